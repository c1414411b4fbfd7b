import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../../proxy/http/json-body.ts';
import { Problem, truncate } from '../../proxy/http/problem.ts';
import { rateLimited } from '../../proxy/http/rate-limiting.ts';
import { MAX_REVOKED_KEPT } from '../../proxy/ledger/accounts.ts';
import { MAX_ACTIVE_KEYS, MAX_LABEL } from '../../proxy/plans.ts';
import { UNSHOWN } from '../../shards/shown-text.ts';
import { type Key, keySchema, type NewKey, newKeySchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import type { PortalOperation } from './operation.ts';
import { timeOf } from './own-account.ts';
import { forChange, forSession, isId } from './signed-in.ts';

/** Limit on new keys per day; a client that needs more accumulates many revoked keys. */
const MADE_PER_DAY = { limit: 30, windowSeconds: 24 * 60 * 60 };

const orderSchema = z.strictObject({
  label: z
    .string()
    .refine((label) => [...label].length <= MAX_LABEL, `has more than ${MAX_LABEL} characters`)
    .refine((label) => !UNSHOWN.test(label), 'contains a control character')
    .default('')
    .meta({
      description: `What the key is for: up to ${MAX_LABEL} characters.`,
      maxLength: MAX_LABEL,
    }),
});

export function serveKeys(app: FastifyInstance, services: PortalServices): void {
  const { ledger, now } = services;

  app.get('/keys', {
    config: { operation: LIST },
    ...forSession(services, async ({ account }) => ({
      keys: (await ledger.keys(account.id)).map(
        (key): Key => ({
          id: key.id,
          prefix: key.prefix,
          label: key.label,
          created_at: timeOf(key.createdAtMs),
          last_used_at: timeOf(key.lastUsedAtMs),
          revoked_at: timeOf(key.revokedAtMs),
          ...(key.disabled && { disabled: true }),
        }),
      ),
    })),
  });

  app.post('/keys', {
    config: { operation: CREATE },
    ...forChange(services, async ({ account }, request, reply) => {
      const { label } = parseBody(orderSchema, request);
      if (account.disabled) {
        throw new Problem('account-disabled', 'a disabled account cannot create keys');
      }
      const made = await ledger.issueKey({
        owner: { id: account.id },
        label: label.trim(),
        rate: MADE_PER_DAY,
        by: 'owner',
        atMs: now(),
      });
      if (!made.created && made.rate) throw rateLimited(reply, made.rate, 'new keys');
      if (!made.created && made.reason === 'closed') {
        throw new Problem('no-session', 'the account has been closed');
      }
      if (!made.created) {
        throw new Problem(
          'too-many-keys',
          `an account can have at most ${MAX_ACTIVE_KEYS} active keys; revoke one first`,
        );
      }
      return reply.code(201).send({
        key: made.plainKey,
        prefix: made.key.prefix,
        tokens_remaining: made.account.balance,
      } satisfies NewKey);
    }),
  });

  app.delete('/keys/:id', {
    config: { operation: REVOKE },
    ...forChange(services, async ({ account }, request, reply) => {
      const { id } = request.params as { id: string };
      const isRevoked =
        isId(id) && (await ledger.revokeKey(account.id, id, { by: 'owner', atMs: now() }));
      if (!isRevoked) {
        throw new Problem('key-not-found', `there is no key ${truncate(id)}`);
      }
      return reply.code(204).send();
    }),
  });
}

const LIST: PortalOperation = {
  operationId: 'keys',
  summary: 'List API keys',
  description: `Oldest first: the active keys, and the last ${MAX_REVOKED_KEPT} revoked ones. \`last_used_at\` is precise to the minute. The key itself is shown only when it is created.`,
  tag: 'Keys',
  access: 'session',
  response: {
    description: 'The keys of the account.',
    schema: z.object({ keys: z.array(keySchema) }),
    example: {
      keys: [
        {
          id: 'k7Qm2x',
          prefix: 'ta_live_Ab12',
          label: 'first',
          created_at: '2026-11-22T09:31:00.000Z',
          last_used_at: null,
          revoked_at: null,
        },
      ],
    },
  },
};

const CREATE: PortalOperation = {
  operationId: 'createKey',
  summary: 'Create an API key',
  description: `Only this response contains the key. An account can have at most ${MAX_ACTIVE_KEYS} active keys and create ${MADE_PER_DAY.limit} a day.`,
  tag: 'Keys',
  access: 'change',
  body: orderSchema,
  bodyExample: { label: 'first' },
  response: {
    status: 201,
    description: 'The new key: store it.',
    schema: newKeySchema,
    example: {
      key: 'ta_live_…',
      prefix: 'ta_live_Ab12',
      tokens_remaining: 5_000,
    },
  },
  problems: ['too-many-keys', 'account-disabled'],
};

const REVOKE: PortalOperation = {
  operationId: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'Takes effect immediately and is final. Repeating the request is not an error.',
  tag: 'Keys',
  access: 'change',
  params: z.object({ id: z.string().meta({ description: 'An id from `GET /keys`.' }) }),
  response: { status: 204, description: 'The key is revoked.' },
  problems: ['key-not-found'],
};
