import { postedBy } from '../entries.ts';
import { post } from './account-state.ts';
import * as accounts from './accounts.ts';
import * as balances from './balances.ts';
import type { RedisConnection } from './connection.ts';
import * as delayed from './delayed-grants.ts';
import type { Once } from './once.ts';
import * as events from './payment-events.ts';
import * as records from './records.ts';
import * as replays from './replays.ts';
import * as signIns from './sign-ins.ts';

/** Operations that may safely be repeated, by name: what these modules export. */
const OPERATIONS = {
  ...postedBy<RedisConnection, true>(post),
  ...accounts,
  ...delayed,
  ...events,
  ...records,
  ...signIns,
  allReplays: replays.allReplays,
  importReplay: replays.importReplay,
  storeResponse: replays.storeResponse,
};

/** Operations that move tokens for a response, each applied exactly once. */
const ONCE_OPERATIONS = {
  debit: balances.debit,
  debitOnce: replays.debitOnce,
  refund: balances.refund,
  replay: replays.replay,
  undeliver: replays.undeliver,
};

export function operationsOn(redis: RedisConnection, once: Once) {
  return { ...bind(OPERATIONS, redis), ...bind(ONCE_OPERATIONS, redis, once) };
}

/** A table of functions with their first parameters bound. */
type Bound<Table, Given extends readonly unknown[]> = {
  readonly [Name in keyof Table]: Table[Name] extends (
    ...args: [...Given, ...infer Rest]
  ) => infer Result
    ? (...args: Rest) => Result
    : never;
};

function bind<const Table extends object, Given extends readonly unknown[]>(
  table: Table,
  ...given: Given
): Bound<Table, Given> {
  const entries = Object.entries(table).map(([name, operation]) => [
    name,
    operation.bind(null, ...given),
  ]);
  return Object.fromEntries(entries);
}
