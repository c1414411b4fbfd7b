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
import * as secrets from './secrets.ts';
import * as sessions from './sessions.ts';
import * as signIns from './sign-ins.ts';

/** Operations that may safely be repeated, by name. */
const OPERATIONS = {
  ...postedBy<RedisConnection, true>(post),
  account: accounts.account,
  accountByEmail: accounts.accountByEmail,
  answerChallenge: signIns.answerChallenge,
  audit: records.audit,
  closeAccount: accounts.closeAccount,
  closeEvent: events.closeEvent,
  deferGrant: delayed.deferGrant,
  delayGrant: delayed.delayGrant,
  delayedGrant: delayed.delayedGrant,
  dueGrants: delayed.dueGrants,
  endDelay: delayed.endDelay,
  exportAccount: records.exportAccount,
  formerMailboxes: accounts.formerMailboxes,
  grants: records.grants,
  importAccount: records.importAccount,
  importClosedEvents: events.importClosedEvents,
  importFormerMailboxes: accounts.importFormerMailboxes,
  importReplay: replays.importReplay,
  importSecrets: secrets.importSecrets,
  issueKey: accounts.issueKey,
  storeChallenge: signIns.storeChallenge,
  storeEvent: events.storeEvent,
  keys: accounts.keys,
  openAccount: accounts.openAccount,
  openEvents: events.openEvents,
  returnLimited: signIns.returnLimited,
  queueTime: delayed.queueTime,
  returnSpaced: delayed.returnSpaced,
  secret: secrets.secret,
  secrets: secrets.secrets,
  session: sessions.session,
  sessions: sessions.sessions,
  storeResponse: replays.storeResponse,
  takeLimited: signIns.takeLimited,
  takeSpaced: delayed.takeSpaced,
  usage: records.usage,
};

/** Operations that move tokens for a response, each applied exactly once. */
const ONCE_OPERATIONS = {
  debit: balances.debit,
  debitOnce: replays.debitOnce,
  refund: balances.refund,
  replay: replays.replay,
  undeliver: replays.undeliver,
};

/** The operations on one Redis, as methods of the ledger. */
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
