import { describe, expect, test } from 'vitest';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import type { RedisConnection } from '../../proxy/ledger/redis/connection.ts';
import { unavailable } from '../../proxy/ledger/redis/failure.ts';
import { durabilityFaults } from '../../proxy/ledger/redis/redis-ledger.ts';

const SHOWN = 'redis://host:1/0';
const STAYS = { isAway: false, mayBeDone: false };
const PASSES = { isAway: true, mayBeDone: false };

/** An error reply, as Redis words it. */
const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

test.each([
  ['WRONGPASS invalid username-password pair or user is disabled.', STAYS, 'rejects this user'],
  ['NOAUTH Authentication required.', STAYS, 'rejects this user and password; check USER:PASSW'],
  ["NOPERM this user has no permissions to run the 'get' command", STAYS, 'rejects this user'],
  ["OOM command not allowed when used memory > 'maxmemory'.", PASSES, 'Redis is out of memory'],
  ['MISCONF Redis is configured to save RDB snapshots', PASSES, 'cannot write to its disk'],
  ['NOREPLICAS Not enough good replicas to write.', PASSES, 'too few replicas to accept writes'],
  ["READONLY You can't write against a read only replica.", STAYS, 'is a replica; use the address'],
  ['MOVED 3999 127.0.0.1:6381', STAYS, 'is a node of a cluster; use redis+cluster://HOST:PORT'],
  ['LOADING Redis is loading the dataset in memory', PASSES, 'is still loading its data'],
  ['CLUSTERDOWN Hash slot not served', PASSES, 'the cluster is down; see redis-cli cluster info'],
  ['ERR This instance has cluster support disabled', STAYS, 'is not a cluster; use redis://HOST'],
  ['LATE 1795823706816', PASSES, 'Redis does not respond; is it overloaded, or stopped?'],
  ['ERR unknown command', PASSES, 'cannot be used (ERR unknown command)'],
  // Only the first word is the kind of an error.
  ...['OOM', 'MISCONF', 'NOREPLICAS', 'READONLY', 'MOVED', 'LOADING', 'CLUSTERDOWN', 'LATE'].map(
    (word) => [`ERR of ${word}`, PASSES, `cannot be used (ERR of ${word})`] as const,
  ),
] as const)('the reply %s is %o: %s', (text, kind, words) => {
  const error = reply(text);
  for (const last of [undefined, new Error('an earlier one')]) {
    const found = unavailable(SHOWN, error, last);
    expect(found).toBeInstanceOf(LedgerUnavailable);
    expect(found).toMatchObject({ ...kind, cause: error });
    expect(found.message.startsWith(`ledger ${SHOWN}: `)).toBe(true);
    expect(found.message).toContain(words);
  }
});

describe('an error of the connection', () => {
  const CLOSED = 'Connection is closed.';
  const BROKEN = 'Reached the max retries per request limit (which is 0).';
  const UNSENT = [
    "Stream isn't writeable and enableOfflineQueue options is false",
    "Cluster isn't ready and enableOfflineQueue options is false",
    'None of startup nodes is available',
  ];
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:1');
  const said = (text: string, last?: Error) => {
    const { message, mayBeDone, isAway } = unavailable(SHOWN, new Error(text), last);
    return { words: message.slice(`ledger ${SHOWN}: `.length), mayBeDone, isAway };
  };

  test('names the last error of the connection, which is more specific', () => {
    for (const text of [...UNSENT, CLOSED]) {
      const mayBeDone = text === CLOSED;
      for (const [last, met] of [
        [undefined, text],
        [refused, refused.message],
      ] as const) {
        const words = `cannot be reached (${met}); is Redis running there?`;
        expect(said(text, last)).toEqual({ words, mayBeDone, isAway: true });
      }
      // Waiting does not correct a wrong password.
      expect(said(text, reply('WRONGPASS invalid username-password pair'))).toEqual({
        words: 'rejects this user and password; check USER:PASSWORD@ in its address',
        mayBeDone,
        isAway: false,
      });
    }
  });

  test('that broke it may have come after the change', () => {
    const kind = { mayBeDone: true, isAway: true };
    const broke = 'the connection broke before Redis responded';
    expect(said(BROKEN)).toEqual({ words: `${broke}; is it restarting?`, ...kind });
    const words = `${broke} (${refused.message}); is it restarting?`;
    expect(said(BROKEN, refused)).toEqual({ words, ...kind });
  });

  test.each(['Command timed out', 'connect ETIMEDOUT', 'Socket timeout', 'Time out'])(
    '%s is reported as a Redis that does not respond',
    (text) => {
      const words = 'Redis does not respond; is it overloaded, or stopped?';
      expect(said(text, refused)).toEqual({ words, mayBeDone: true, isAway: true });
    },
  );

  test('of sentinels names the sentinels', () => {
    const text = 'All sentinels are unreachable. Retrying from scratch after 100ms.';
    const words = 'its sentinels are unreachable, or name no reachable master';
    expect(said(text)).toMatchObject({ words, isAway: true });
    expect(said(CLOSED, new Error(text))).toMatchObject({ words });
  });

  test('that has already been explained is passed on', () => {
    const known = new LedgerUnavailable('known');
    expect(unavailable(SHOWN, known, refused)).toBe(known);
  });
});

describe('settings by which Redis loses acknowledged debits', () => {
  const SAFE = {
    appendonly: 'yes',
    appendfsync: 'always',
    maxmemory: '0',
    'maxmemory-policy': 'noeviction',
  };
  type Settings = Readonly<Record<string, string>>;
  /** Returns the faults of servers with the given settings and numbers of replicas. */
  const faultsOf = (servers: readonly Settings[], replicas = [{ connected: 0, wanted: 0 }]) =>
    durabilityFaults({
      settings: async (pattern: string) =>
        servers.map((all) => {
          const asked = new RegExp(`^${pattern.replace('*', '.*')}$`);
          const isAsked = (name: string) => asked.test(name);
          return new Map(Object.entries(all).filter(([name]) => isAsked(name)));
        }),
      replicas: async () => replicas,
    } as unknown as RedisConnection);
  const faults = (changed: Settings) => faultsOf([{ ...SAFE, ...changed }]);

  test('are not found among recommended settings, or where settings cannot be read', async () => {
    expect(await faultsOf([SAFE])).toEqual([]);
    expect(await faultsOf([{}])).toEqual([]);
    expect(await faultsOf([])).toEqual([]);
  });

  test('include a missing append-only file, and one that is not always synced', async () => {
    const none = 'has no append-only file: a restart loses acknowledged debits; set appendonly yes';
    expect(await faults({ appendonly: 'no' })).toEqual([none]);
    expect(await faults({ appendonly: 'no', appendfsync: 'no' })).toEqual([none]);
    for (const appendfsync of ['everysec', 'no']) {
      expect(await faults({ appendfsync })).toEqual([
        `has appendfsync ${appendfsync}: a crash loses acknowledged debits; set it to always`,
      ]);
    }
  });

  test('include the eviction of any key, if memory is limited', async () => {
    const evicting = (policy: string, maxmemory = '1000') =>
      faults({ maxmemory, 'maxmemory-policy': policy });
    for (const policy of ['allkeys-lru', 'allkeys-random']) {
      expect(await evicting(policy)).toEqual([
        `has maxmemory-policy ${policy}: it evicts accounts; set it to noeviction`,
      ]);
      expect(await evicting(policy, '0')).toEqual([]);
    }
    expect(await evicting('volatile-lru')).toEqual([]);
    expect(await evicting('noeviction')).toEqual([]);
  });

  test('include replicas that writes need not reach', async () => {
    const few =
      'has replicas but min-replicas-to-write 0: a failover loses acknowledged debits; set it to 1';
    for (const [connected, wanted, found] of [
      [1, 0, [few]],
      [2, 0, [few]],
      [0, 0, []],
      [0, 1, []],
      [2, 1, []],
    ] as const) {
      expect(await faultsOf([SAFE], [{ connected, wanted }])).toEqual(found);
    }
  });

  test('are reported once for all servers of a cluster', async () => {
    const slow = { ...SAFE, appendfsync: 'no' };
    expect(await faultsOf([SAFE, slow, slow, { ...slow, appendonly: 'no' }])).toHaveLength(2);
  });
});
