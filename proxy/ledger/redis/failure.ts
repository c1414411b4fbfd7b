import { messageOf } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

const ADVICE: readonly (readonly [says: RegExp, advice: string])[] = [
  [
    /WRONGPASS|NOAUTH|NOPERM/,
    'rejects this user and password; check USER:PASSWORD@ in its address',
  ],
  [/^OOM/, 'Redis is out of memory; raise its maxmemory'],
  [/^MISCONF/, 'Redis cannot write to its disk; free some space'],
  [/^NOREPLICAS/, 'Redis has too few replicas to accept writes; is one down?'],
  [/sentinels are unreachable/, 'its sentinels are unreachable, or name no reachable master'],
  [/^READONLY/, 'is a replica; use the address of its master, or of its sentinels'],
  [/^MOVED/, 'is a node of a cluster; use redis+cluster://HOST:PORT'],
  [/^LOADING/, 'Redis is still loading its data; try again soon'],
  [/^CLUSTERDOWN/, 'the cluster is down; see redis-cli cluster info'],
  [/cluster support disabled/i, 'is not a cluster; use redis://HOST:PORT'],
  [/^LATE|timed? ?out/i, 'Redis does not respond; is it overloaded, or stopped?'],
];

/** Permanent errors: the server responds, but is not the intended one or refuses access. */
const WRONG = /WRONGPASS|NOAUTH|NOPERM|^READONLY|^MOVED|cluster support disabled/i;

/**
 * Explains a Redis error and how to fix it. `shown`: the address without its password; `last`: the
 * connection's last error, which is more specific.
 */
export function unavailable(shown: string, error: unknown, last?: Error): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const text = messageOf(error);
  const isUnsent = /isn't writeable|isn't ready|startup nodes/.test(text);
  const isOffline = isUnsent || text.includes('Connection is closed');
  // ioredis's message for a connection that broke while waiting for a reply.
  const isBroken = text.includes('max retries');
  const met = (isOffline || isBroken) && last ? messageOf(last) : text;
  const found = ADVICE.find(([says]) => says.test(met))?.[1];
  const broke = `the connection broke before Redis responded${last ? ` (${met})` : ''}; is it restarting?`;
  const unreachable = `cannot be reached (${met}); is Redis running there?`;
  const other = isBroken ? broke : isOffline ? unreachable : `cannot be used (${met})`;
  // A command with an error reply was not executed; one without any reply may have been.
  const isResponse = error instanceof Error && error.name === 'ReplyError';
  const mayBeDone = !isUnsent && !isResponse;
  const isAway = !WRONG.test(met);
  const words = `ledger ${shown}: ${found ?? other}`;
  return new LedgerUnavailable(words, { cause: error, mayBeDone, isAway });
}
