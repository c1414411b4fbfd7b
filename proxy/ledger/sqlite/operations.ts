import { postedBy } from '../entries.ts';
import * as state from './account-state.ts';
import * as accounts from './accounts.ts';
import * as balances from './balances.ts';
import * as delayed from './delayed-grants.ts';
import * as events from './payment-events.ts';
import * as replays from './replays.ts';
import * as signIns from './sign-ins.ts';
import type { SqlConnection } from './sql-connection.ts';
import * as transfer from './transfer.ts';

export const READS = {
  account: state.account,
  accountByEmail: accounts.accountByEmail,
  audit: state.audit,
  delayedGrant: delayed.delayedGrant,
  dueGrants: delayed.dueGrants,
  exportAccount: transfer.exportAccount,
  formerMailboxes: transfer.formerMailboxes,
  grants: state.grants,
  keys: accounts.keys,
  openEvents: events.openEvents,
  queueTime: delayed.queueTime,
  secrets: transfer.secrets,
  sessions: signIns.sessions,
  usage: balances.usage,
};

/** Operations that change something, by name, as sent to the writer thread. */
export const WRITES = {
  ...postedBy<SqlConnection, false>(state.post),
  answerChallenge: signIns.answerChallenge,
  closeAccount: accounts.closeAccount,
  closeEvent: events.closeEvent,
  debit: balances.debit,
  /** A valid `debit`, even a single one, is committed as a run (`merged-debits.ts`). */
  debitRun: balances.debitRun,
  debitOnce: replays.debitOnce,
  deferGrant: delayed.deferGrant,
  delayGrant: delayed.delayGrant,
  endDelay: delayed.endDelay,
  importAccount: transfer.importAccount,
  importClosedEvents: events.importClosedEvents,
  importFormerMailboxes: transfer.importFormerMailboxes,
  importReplay: replays.importReplay,
  importSecrets: transfer.importSecrets,
  issueKey: accounts.issueKey,
  storeResponse: replays.storeResponse,
  storeChallenge: signIns.storeChallenge,
  storeEvent: events.storeEvent,
  noteSeen: signIns.noteSeen,
  noteUse: accounts.noteUse,
  openAccount: accounts.openAccount,
  refund: balances.refund,
  replay: replays.replay,
  returnLimited: signIns.returnLimited,
  returnSpaced: delayed.returnSpaced,
  secret: transfer.secret,
  takeLimited: signIns.takeLimited,
  takeSpaced: delayed.takeSpaced,
  undeliver: replays.undeliver,
};

type Operation = (db: SqlConnection, ...args: never[]) => unknown;

export type Reads = typeof READS;
export type Writes = typeof WRITES;
export type ArgsOf<F extends Operation> = F extends (db: SqlConnection, ...args: infer A) => unknown
  ? A
  : never;

export type Promised<F extends Operation> = (...args: ArgsOf<F>) => Promise<ReturnType<F>>;

/** A requested change: structured-cloneable, since it may be sent to another thread. */
export interface Write {
  readonly name: keyof Writes;
  readonly args: readonly unknown[];
}

/** Outcome of a change: its result, or what it threw. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };
