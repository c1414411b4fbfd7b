import type { ClientId } from '../../../shards/concurrency/fair-queue.ts';
import type { Account } from '../accounts.ts';
import type { Ledger, LedgerOptions } from '../ledger.ts';
import { RateWindow } from '../rate-window.ts';
import { isSeenLongAgo } from '../sessions.ts';
import { accountIds } from './accounts.ts';
import { Admissions } from './admission.ts';
import { LedgerDatabase } from './database.ts';
import {
  type ArgsOf,
  type Promised,
  READS,
  type Reads,
  WRITES,
  type Writes,
} from './operations.ts';
import { closedEvents } from './payment-events.ts';
import { hasReplay, replayKeys, replayRecord } from './replays.ts';
import { session } from './sign-ins.ts';

/**
 * Opens, or creates, a single-machine ledger in a folder. Each change is made in one transaction.
 * Several processes may have it open; rates are counted per process.
 * Rejects with `LedgerUnavailable` for an unusable folder.
 */
export async function openSqliteLedger(
  directory: string,
  { rateLimitPerMinute }: Pick<LedgerOptions, 'rateLimitPerMinute'>,
): Promise<Ledger> {
  const database = await LedgerDatabase.open(directory);
  const admissions = new Admissions(database, new RateWindow(rateLimitPerMinute));
  const reads = readsOf(database);
  const { debitRun: _, noteSeen, noteUse: __, replay, ...writes } = writesOf(database);
  return {
    ...reads,
    ...writes,
    admit: (keyHash, nowMs) => admissions.admit(keyHash, nowMs),
    admitSession: (session, nowMs) => admissions.admitSession(session, nowMs),

    async replay(account, request, nowMs) {
      // Usually there is no replay, and nothing to write.
      const isKnown = database.read((db) => hasReplay(db, account, request));
      return isKnown ? replay(account, request, nowMs) : undefined;
    },

    async session(ref, nowMs) {
      const found = database.read((db) => session(db, ref, nowMs));
      if (found && isSeenLongAgo(found.session, nowMs)) await noteSeen(ref.account, ref.id, nowMs);
      return found;
    },

    async *allAccounts(): AsyncGenerator<Account> {
      for (const id of database.read(accountIds)) {
        const account = await reads.account(id);
        if (account) yield account;
      }
    },

    async *allReplays() {
      for (const of of database.read(replayKeys)) {
        const record = database.read((db) => replayRecord(db, of));
        if (record) yield record;
      }
    },

    async *closedEvents() {
      yield* database.read(closedEvents);
    },

    ping: async () => database.check(),
    fullness: () => database.fullness(),
    close: () => database.close(),
  };
}

type PromisedReads = { readonly [Name in keyof Reads]: Promised<Reads[Name]> };
type PromisedWrites = { readonly [Name in keyof Writes]: Promised<Writes[Name]> };

function readsOf(database: LedgerDatabase): PromisedReads {
  const entries = Object.entries(READS).map(([name, read]) => {
    const perform = read as (...args: unknown[]) => unknown;
    return [name, async (...args: unknown[]) => database.read((db) => perform(db, ...args))];
  });
  return Object.fromEntries(entries);
}

function writesOf(database: LedgerDatabase): PromisedWrites {
  const entries = Object.keys(WRITES).map((name) => {
    const write = (...args: unknown[]) =>
      database.write(name as 'debit', args as ArgsOf<Writes['debit']>, clientOf(args));
    return [name, write];
  });
  return Object.fromEntries(entries);
}

/** The client that an operation is for: the account in its first argument, if present. */
function clientOf([first]: readonly unknown[]): ClientId | undefined {
  if (typeof first !== 'object' || first === null || !('account' in first)) return undefined;
  return typeof first.account === 'string' ? first.account : undefined;
}
