import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalidParameter } from '../../proxy/http/problem.ts';
import { dayOf } from '../../proxy/ledger/bookkeeping.ts';
import { type UsageDay, usageDaySchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import type { PortalOperation } from './operation.ts';
import { forSession } from './signed-in.ts';

const DAY_MS = 86_400_000;
const [DAYS_BY_DEFAULT, MAX_DAYS] = [90, 366];

const day = z.iso
  .date({
    error: ({ input }) =>
      typeof input === 'string' ? 'is not a day such as 2026-11-22' : 'must be given once',
  })
  .optional()
  .meta({ description: 'A UTC day.', example: '2026-11-22' });
const query = z
  .strictObject({ from: day, to: day })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    error: 'must not be before from',
    path: ['to'],
  });

const USAGE: PortalOperation = {
  operationId: 'usage',
  summary: 'Get usage by day, key and route',
  description: `Token usage of the account’s keys, oldest first. Both days are included: \`to\` defaults to today, \`from\` to ${DAYS_BY_DEFAULT - 1} days before it. At most ${MAX_DAYS} days.`,
  tag: 'Account',
  access: 'session',
  query,
  response: {
    description: 'One row per day, key and route.',
    schema: z.object({ days: z.array(usageDaySchema) }),
    example: {
      days: [
        {
          day: '2026-11-22',
          key_id: 'k7Qm2x',
          route: 'GET /v1/blocks/{geoid}/summary',
          requests: 3,
          tokens: 210,
        },
      ],
    },
  },
};

export function serveUsage(app: FastifyInstance, services: PortalServices): void {
  app.get('/usage', {
    config: { operation: USAGE },
    ...forSession(services, async ({ account }, request) => {
      const span = spanOf(request.query as z.output<typeof query>, services.now());
      const usage = await services.ledger.usage(account.id, span);
      return {
        days: usage.map(
          ({ keyId: key_id, day, route, requests, tokens }): UsageDay => ({
            day,
            key_id,
            route,
            requests,
            tokens,
          }),
        ),
      };
    }),
  });
}

/** The requested days. Throws the problem `invalid-parameters` if there are too many. */
function spanOf(asked: z.output<typeof query>, nowMs: number): { from: string; to: string } {
  const { to = dayOf(nowMs) } = asked;
  const lastMs = Date.parse(to);
  const { from = dayOf(lastMs - (DAYS_BY_DEFAULT - 1) * DAY_MS) } = asked;
  if (lastMs - Date.parse(from) < MAX_DAYS * DAY_MS) return { from, to };
  throw invalidParameter(
    ['query', 'from'],
    `is more than ${MAX_DAYS} days before to, which is ${to}`,
    'too_big',
  );
}
