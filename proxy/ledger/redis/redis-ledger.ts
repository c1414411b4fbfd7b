import type { Account } from '../accounts.ts';
import { type Ledger, type LedgerOptions, otherFormat } from '../ledger.ts';
import type { RedisAddress } from '../ledger-address.ts';
import { Admissions } from './admission.ts';
import { RedisConnection } from './connection.ts';
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
  if (version > RECORD_VERSION) throw otherFormat(redis.shown, version, RECORD_VERSION);
  if (version < RECORD_VERSION)
    await redis.ask((client) => client.set(RECORD_VERSION_KEY, RECORD_VERSION));
}

/**
 * Returns one sentence for each setting by which a Redis can lose acknowledged debits; empty if
 * there are none or the settings cannot be read, as on many hosted servers.
 */
export async function durabilityFaults(connection: RedisConnection): Promise<string[]> {
  const faults = new Set<string>();
  const [files, memory, replicas] = await Promise.all([
    connection.settings('append*'),
    connection.settings('maxmemory*'),
    connection.replicas(),
  ]);
  for (const settings of files) {
    const [appendOnly, fsync] = [settings.get('appendonly'), settings.get('appendfsync')];
    if (appendOnly === 'no') {
      faults.add(
        'has no append-only file: a restart loses acknowledged debits; set appendonly yes',
      );
    } else if (fsync !== undefined && fsync !== 'always') {
      faults.add(`has appendfsync ${fsync}: a crash loses acknowledged debits; set it to always`);
    }
  }
  for (const { connected, wanted } of replicas) {
    if (connected === 0 || wanted > 0) continue;
    faults.add(
      'has replicas but min-replicas-to-write 0: a failover loses acknowledged debits; set it to 1',
    );
  }
  for (const settings of memory) {
    const policy = settings.get('maxmemory-policy');
    if (policy?.startsWith('allkeys') && settings.get('maxmemory') !== '0') {
      faults.add(`has maxmemory-policy ${policy}: it evicts accounts; set it to noeviction`);
    }
  }
  return [...faults];
}
