import type { Account } from '../accounts.ts';
import { type Ledger, type LedgerOptions, tooNew } from '../ledger.ts';
import type { RedisAddress } from '../ledger-address.ts';
import { Admissions } from './admission.ts';
import { RedisConnection } from './connection.ts';
import { durabilityFaults } from './durability.ts';
import { ANY_ACCOUNT, accountIn, RECORD_VERSION_KEY } from './key-names.ts';
import { Once } from './once.ts';
import { operationsOn } from './operations.ts';

/**
 * Opens a ledger in a Redis, shared by many machines. Each step of an account is one script, atomic
 * and in one round trip, or a compare-and-set by `post`; Redis logs it before it replies
 * (`appendfsync always`). A debit whose reply is lost is undone. A step across two slots (an
 * address, a key) claims before it uses, so that the next step completes an interrupted one. Rates
 * are counted across all processes that share the ledger. Rejects with `LedgerUnavailable` for a
 * Redis that cannot be reached or used.
 */
export async function openRedisLedger(
  address: RedisAddress,
  { rateLimitPerMinute, warn = (words) => process.emitWarning(words) }: LedgerOptions,
): Promise<Ledger> {
  const redis = await RedisConnection.open(address);
  for (const fault of await durabilityFaults(redis)) warn(`ledger ${address.shown}: ${fault}`);
  try {
    await requireRecordVersion(redis);
  } catch (error) {
    await redis.close();
    throw error;
  }
  const once = new Once(redis, warn);
  const admissions = new Admissions(redis, rateLimitPerMinute);
  const operations = operationsOn(redis, once);
  return {
    ...operations,
    admit: (keyHash, nowMs) => admissions.admit(keyHash, nowMs),
    admitSession: (session, nowMs) => admissions.admitSession(session, nowMs),

    async *allAccounts(): AsyncGenerator<Account> {
      for await (const key of redis.keysLike(ANY_ACCOUNT)) {
        const account = await operations.account(accountIn(key));
        if (account) yield account;
      }
    },

    async ping() {
      await redis.ask((client) => client.ping());
    },

    async fullness() {
      const infos = await redis.infos();
      const shares = infos.map((info) => {
        const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
        return bytes('used_memory') / (bytes('maxmemory') || bytes('total_system_memory'));
      });
      const isLogFailing = infos.some((info) =>
        /^aof_last_(write|bgrewrite)_status:err/m.test(info),
      );
      return { memory: Math.max(...shares), isLogFailing };
    },

    async close() {
      await once.close();
      await redis.close();
    },
  };
}

const RECORD_VERSION = 1;

/** Marks a new ledger; rejects one written by a newer version of the program. */
async function requireRecordVersion(redis: RedisConnection): Promise<void> {
  const version = Number((await redis.ask((client) => client.get(RECORD_VERSION_KEY))) ?? 0);
  if (version > RECORD_VERSION) throw tooNew(redis.shown, version, RECORD_VERSION);
  if (version < RECORD_VERSION)
    await redis.ask((client) => client.set(RECORD_VERSION_KEY, RECORD_VERSION));
}
