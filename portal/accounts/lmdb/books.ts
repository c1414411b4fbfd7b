import type { Database, RootDatabase } from 'lmdb';
import type { AccountId } from '../accounts.ts';
import type { Charge, KeyHash } from '../metering.ts';
import type { KeptAnswer, Receipt } from '../replays.ts';

/** The tables of a ledger. */
export interface Books {
  readonly accounts: Database<AccountRecord, string>;
  readonly emails: Database<AccountId, string>;
  readonly keys: Database<KeyRecord, KeyHash>;
  /** [account, key id] → hash. */
  readonly keysOfAccount: Database<KeyHash, string[]>;
  /** [account, cause]. */
  readonly grants: Database<{ tokens: number; atMs: number }, string[]>;
  /** [account, UTC day, key id]. */
  readonly usage: Database<UsageRecord, string[]>;
  readonly secrets: Database<string, string>;
  /** [account, Idempotency-Key]. */
  readonly replays: Database<ReplayRecord, string[]>;
  /** Under the same keys, written after them: a body may be of megabytes. */
  readonly answers: Database<KeptAnswer, string[]>;
  /** [end of life in ms since 1970, account, Idempotency-Key] → nothing: the oldest come first. */
  readonly replayEnds: Database<true, [number, ...string[]]>;
  /** [end of the answer's life, account, receipt id]: the oldest come first. They outlive answers. */
  readonly receipts: Database<ReceiptRecord, [number, ...string[]]>;
}

export interface AccountRecord {
  email: string | null;
  member: boolean;
  disabled: boolean;
  balance: number;
  createdAtMs: number;
}

export interface KeyRecord {
  readonly account: AccountId;
  readonly id: string;
  readonly prefix: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly disabled: boolean;
  readonly revoked: boolean;
}

export interface UsageRecord {
  requests: number;
  tokens: number;
}

export interface ReplayRecord {
  readonly fingerprint: string;
  /** Of the debit that paid for the answer. */
  readonly receipt: Receipt;
}

/** A debit for an answer, apart from it: each delivery rewrites this and nothing larger. */
export interface ReceiptRecord {
  readonly charge: Charge;
  readonly idempotencyKey: string;
  /** How many deliveries have been begun and are not known to have failed. */
  readonly deliveries: number;
  /** Tokens of what the best of the failed deliveries delivered. */
  readonly delivered: number;
  /** Tokens that were given back, and that the next delivery is charged. */
  readonly repaid: number;
}

/** More than there are, for those to come: LMDB wants to know when it opens. */
export const MAX_TABLES = 16;

/** Where each table keeps the shapes of its records, so that a record is its values alone. */
const STRUCTURES = Symbol.for('structures');

export function openBooks(root: RootDatabase): Books {
  const table = <Value, Key extends string | [...(string | number)[]]>(
    name: string,
  ): Database<Value, Key> => root.openDB<Value, Key>({ name, sharedStructuresKey: STRUCTURES });
  return {
    accounts: table('accounts'),
    emails: table('emails'),
    keys: table('keys'),
    keysOfAccount: table('keys-of-account'),
    grants: table('grants'),
    usage: table('usage'),
    secrets: table('secrets'),
    replays: table('replays'),
    answers: table('replay-answers'),
    replayEnds: table('replay-ends'),
    receipts: table('receipts'),
  };
}

/** The entries of an account in a table whose keys begin with it, in the order of their keys. */
export function entriesOf<Value>(
  table: Database<Value, string[]>,
  account: AccountId,
): [string[], Value][] {
  // Array keys sort by their elements; no element sorts after this one.
  const range = table.getRange({ start: [account], end: [account, '\u{10ffff}'] });
  return Array.from(range, ({ key, value }) => [key, value]);
}
