import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../proxy/http/problem.ts';
import { type Activity, accountSchema, activitySchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import { endedCookie } from '../sign-in/session-cookie.ts';
import type { PortalOperation } from './operation.ts';
import { ACCOUNT_EXAMPLE, ownAccount, timeOf } from './own-account.ts';
import { isHttps } from './own-site.ts';
import { forChange, forSession } from './signed-in.ts';

export function serveAccount(app: FastifyInstance, services: PortalServices): void {
  const { ledger, payment, now } = services;

  app.get('/account', {
    config: { operation: SHOW },
    ...forSession(services, ({ account }) => ownAccount(account, services)),
  });

  app.delete('/account', {
    config: { operation: CLOSE },
    ...forChange(services, async ({ account }, _request, reply) => {
      if (!payment && account.membership?.subscription) throw cannotEnd();
      // Before closing, since a closed account with a running subscription would have no owner to
      // end it.
      await payment?.endSubscription(account);
      await ledger.closeAccount(account.id, { by: 'owner', atMs: now() });
      await payment?.endSubscription(account);
      return reply
        .header('set-cookie', endedCookie(isHttps(services)))
        .code(204)
        .send();
    }),
  });

  app.get('/audit', {
    config: { operation: AUDIT },
    ...forSession(services, async ({ account }) => ({
      entries: (await ledger.audit(account.id)).map(
        ({ atMs, by, what, detail }): Activity => ({ at: timeOf(atMs), by, what, detail }),
      ),
    })),
  });
}

/** The problem for an account with a paid membership if there is no payment processor to end it. */
function cannotEnd(): Problem {
  return new Problem(
    'membership-unavailable',
    'the membership is paid for and cannot be cancelled right now; the account is unchanged',
  );
}

const SHOW: PortalOperation = {
  operationId: 'account',
  summary: 'Balance and membership',
  description: 'The account of the session.',
  tag: 'Account',
  access: 'session',
  response: {
    description: 'The account, its token balance and its membership.',
    schema: accountSchema,
    example: ACCOUNT_EXAMPLE,
  },
};

const CLOSE: PortalOperation = {
  operationId: 'closeAccount',
  summary: 'Close the account',
  description:
    'Revokes its keys, ends its sessions, cancels its membership and deletes its address. Remaining tokens are lost, and a new account with the same address gets no second sign-up grant. A disabled account is still disabled when its address signs in again.',
  tag: 'Account',
  access: 'change',
  response: { status: 204, description: 'The account is closed.', setsCookie: true },
  problems: ['membership-unavailable'],
};

const AUDIT: PortalOperation = {
  operationId: 'auditTrail',
  summary: 'Account activity',
  description:
    'Sign-ins, keys, grants and changes, with the actor of each; newest first, up to some hundred entries.',
  tag: 'Account',
  access: 'session',
  response: {
    description: 'The latest entries.',
    schema: z.object({ entries: z.array(activitySchema) }),
    example: {
      entries: [
        {
          at: '2026-11-22T09:31:00.000Z',
          by: 'owner',
          what: 'key-created',
          detail: 'ta_live_Ab12…, first',
        },
      ],
    },
  },
};
