import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../../proxy/http/json-body.ts';
import { Problem } from '../../proxy/http/problem.ts';
import { rateLimited } from '../../proxy/http/rate-limiting.ts';
import { sealBrowserToken } from '../../proxy/ledger/browser-token.ts';
import { type NewBrowserToken, newBrowserTokenSchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import type { PortalOperation } from './operation.ts';
import { timeOf } from './own-account.ts';
import { forChange } from './signed-in.ts';

/** Limit per session: one token for each half minute, however many pages share it. */
const MADE_PER_HOUR = { limit: 120, windowSeconds: 60 * 60 };
const [DEFAULT_MINUTES, MAX_MINUTES] = [10, 60];

const orderSchema = z.strictObject({
  origin: z
    .string()
    .refine(isOrigin, 'is not an origin, such as https://www.example.org')
    .optional()
    .meta({
      description: 'Origin of the pages that will use the token; by default the portal’s own.',
      format: 'uri',
    }),
  minutes: z
    .int()
    .min(1)
    .max(MAX_MINUTES)
    .default(DEFAULT_MINUTES)
    .meta({ description: 'How long it is valid.' }),
});

/** Serves a route that gives pages a credential for requests to the API, in place of a key. */
export function serveBrowserTokens(app: FastifyInstance, services: PortalServices): void {
  const { ledger, secrets, config, now } = services;
  app.post('/browser-tokens', {
    config: { operation: MINT },
    ...forChange(services, async ({ account, session }, request, reply) => {
      const { origin = config.accountUrl, minutes } = parseBody(orderSchema, request);
      if (account.disabled) {
        throw new Problem('account-disabled', 'a disabled account cannot create browser tokens');
      }
      const nowMs = now();
      const subject = `browser tokens of ${account.id} ${session.id}`;
      const { allowed, rate } = await ledger.takeLimited(subject, MADE_PER_HOUR, nowMs);
      if (!allowed) throw rateLimited(reply, rate, 'browser tokens');
      const endsAtMs = nowMs + minutes * 60_000;
      const token = { account: account.id, session: session.id, origin, endsAtMs };
      return reply.code(201).send({
        token: sealBrowserToken(secrets.browserToken, token),
        expires_at: timeOf(endsAtMs),
      } satisfies NewBrowserToken);
    }),
  });
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}

const MINT: PortalOperation = {
  operationId: 'createBrowserToken',
  summary: 'Create a browser token',
  description: `A credential for pages, which must not contain a key: \`Authorization: Bearer tb_live_…\`. The API accepts it from pages of one origin only, charges the account, and counts its usage under the key id \`browser-token\`. It ends after its minutes, or with this session. A session can create ${MADE_PER_HOUR.limit} an hour; one can serve any number of pages and visitors.`,
  tag: 'Keys',
  access: 'change',
  body: orderSchema,
  bodyExample: { origin: 'https://www.example.org' },
  response: {
    status: 201,
    description: 'The new token.',
    schema: newBrowserTokenSchema,
    example: { token: 'tb_live_…', expires_at: '2026-11-22T09:41:00.000Z' },
  },
  problems: ['account-disabled'],
};
