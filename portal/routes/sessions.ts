import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem, truncate } from '../../proxy/http/problem.ts';
import { type Device, deviceSchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import { endedCookie } from '../sign-in/session-cookie.ts';
import type { PortalOperation } from './operation.ts';
import { timeOf } from './own-account.ts';
import { isHttps } from './own-site.ts';
import { forChange, forSession, isId } from './signed-in.ts';

export function serveSessions(app: FastifyInstance, services: PortalServices): void {
  const { ledger, now } = services;

  app.get('/sessions', {
    config: { operation: LIST },
    ...forSession(services, async ({ account, session: own }) => ({
      sessions: (await ledger.sessions(account.id, now())).map(
        (session): Device => ({
          id: session.id,
          client: session.client,
          address: session.address,
          started_at: timeOf(session.startedAtMs),
          seen_at: timeOf(session.seenAtMs),
          current: session.id === own.id,
        }),
      ),
    })),
  });

  app.delete('/sessions/:id', {
    config: { operation: END },
    ...forChange(services, async ({ account, session: own }, request, reply) => {
      const { id } = request.params as { id: string };
      if (!isId(id) || !(await ledger.endSession(account.id, id, now()))) {
        throw new Problem('session-not-found', `there is no session ${truncate(id)}`);
      }
      if (id === own.id) reply.header('set-cookie', endedCookie(isHttps(services)));
      return reply.code(204).send();
    }),
  });
}

const LIST: PortalOperation = {
  operationId: 'sessions',
  summary: 'List sessions',
  description: 'Sessions expire thirty days after their last use; newest first.',
  tag: 'Account',
  access: 'session',
  response: {
    description: 'The sessions of the account.',
    schema: z.object({ sessions: z.array(deviceSchema) }),
    example: {
      sessions: [
        {
          id: 'n3yT0bX1u2w3v4z5',
          client: 'curl/8.11.0',
          address: '192.0.2.7',
          started_at: '2026-11-22T09:30:00.000Z',
          seen_at: '2026-11-22T09:30:00.000Z',
          current: true,
        },
      ],
    },
  },
};

const END: PortalOperation = {
  operationId: 'endSession',
  summary: 'End a session',
  description: 'Signs that device out; it may be the session of the request.',
  tag: 'Account',
  access: 'change',
  params: z.object({ id: z.string().meta({ description: 'An id from `GET /sessions`.' }) }),
  response: { status: 204, description: 'The session has ended.', setsCookie: true },
  problems: ['session-not-found'],
};
