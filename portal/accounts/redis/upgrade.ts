import type { AuditEntry } from '../accounts.ts';
import { closedAt, tooNew } from '../upgrade.ts';
import type { RedisConnection } from './connection.ts';
import { ANY_ACCOUNT, accountIn, FORM_MARK, keysOf } from './key-names.ts';
import { USAGE } from './lua.ts';
import { script } from './script.ts';

/** How records are written now; a ledger without a mark has the first form, or nothing. */
const FORM = 3;

/**
 * Brings a ledger whose records have an earlier form to the present one, an account at a time: each
 * step may be made twice, and the mark is set after the last.
 */
export async function upgrade(redis: RedisConnection): Promise<void> {
  const form = Number((await redis.ask((client) => client.get(FORM_MARK))) ?? 1);
  if (form === FORM) return;
  if (form > FORM) throw tooNew(redis.shown, form, FORM);
  for await (const key of redis.keysLike(ANY_ACCOUNT)) {
    const { account, audit, usage } = keysOf(accountIn(key));
    const [email, entries] = await Promise.all([
      redis.ask((client) => client.hget(account, 'email')),
      redis.ask((client) => client.lrange(audit, 0, -1)),
    ]);
    const trail = entries.map((text): AuditEntry => JSON.parse(text));
    const closedAtMs = closedAt({ email }, trail);
    if (closedAtMs !== null) await redis.run(MARK_CLOSED, [account], [closedAtMs]);
    await redis.run(PUT_INTO_MONTHS, [usage], []);
  }
  await redis.ask((client) => client.set(FORM_MARK, FORM));
}

/** Once it is closed, an account has no address any more: what was read of it is still true. */
const MARK_CLOSED = script<0 | 1>(`return redis.call('HSETNX', KEYS[1], 'closedAtMs', ARGV[1])`);

/** Moves counts of one hash into one per month. */
export const PUT_INTO_MONTHS = script<null>(USAGE, 'put_into_months(KEYS[1])');
