import type { Database, RootDatabase } from 'lmdb';
import type { AccountId, AuditEntry, Membership } from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';
import type { Charge } from '../metering.ts';
import type { PaymentEvent } from '../payment-events.ts';
import type { KeptAnswer, Receipt } from '../replays.ts';
import type { StoredSession } from '../sessions.ts';
import type { Challenge } from '../sign-ins.ts';

/** Tables whose records say when they end, and are removed some time after. */
export type Ending = 'challenges' | 'limits' | 'events';

/** The tables of a ledger. */
export interface Books {
  /** Format version of the ledger itself. */
  readonly about: Database<number, string>;
  readonly accounts: Database<AccountRecord, string>;
  /** By mailbox. */
  readonly emails: Database<AccountId, string>;
  /** By SHA-256 of a mailbox whose account was closed: `disabled` where it was so then. */
  readonly formerMailboxes: Database<true | 'disabled', string>;
  readonly keys: Database<KeyRecord, KeyHash>;
  /** When a key was last used, in ms since 1970: written apart from it, once a minute at most. */
  readonly lastUses: Database<number, KeyHash>;
  /** [account, key id] → hash. */
  readonly keysOfAccount: Database<KeyHash, string[]>;
  /** [account, cause]. */
  readonly grants: Database<{ tokens: number; atMs: number }, string[]>;
  /** [account, UTC day, key id, route]. */
  readonly usage: Database<UsageRecord, string[]>;
  /** [account, ms since 1970, which of that moment]. */
  readonly audit: Database<AuditEntry, [string, number, number]>;
  /** [account, session id]. */
  readonly sessions: Database<StoredSession, string[]>;
  /** By mailbox. */
  readonly challenges: Database<ChallengeRecord, string>;
  /** By subject. */
  readonly limits: Database<LimitRecord, string>;
  /** By id; closed ones are kept for a time, to be known again. */
  readonly events: Database<EventRecord, string>;
  /** [ms since 1970, event id] of those still to be acted upon: the oldest come first. */
  readonly openEvents: Database<true, [number, string]>;
  /** [end in ms since 1970, table, key] of what is removed some time after its end. */
  readonly ends: Database<true, [number, Ending, string]>;
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
  membership: Membership | null;
  disabled: boolean;
  balance: number;
  createdAtMs: number;
  closedAtMs: number | null;
  customer: string | null;
}

export interface KeyRecord {
  readonly account: AccountId;
  readonly id: string;
  readonly prefix: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly disabled: boolean;
  readonly revokedAtMs: number | null;
}

export interface UsageRecord {
  requests: number;
  tokens: number;
  lastAtMs: number;
}

export interface ChallengeRecord extends Challenge {
  readonly wrongCodes: number;
}

export interface LimitRecord {
  readonly startMs: number;
  readonly used: number;
  readonly endsAtMs: number;
}

export interface EventRecord extends PaymentEvent {
  /** `null` while it is still to be acted upon. */
  readonly endsAtMs: number | null;
}

export interface ReplayRecord {
  readonly fingerprint: string;
  /** Time of the debit that paid for the response. */
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
export const MAX_TABLES = 32;

/** Where each table keeps the shapes of its records, so that a record is its values alone. */
const STRUCTURES = Symbol.for('structures');

export function openBooks(root: RootDatabase): Books {
  const table = <Value, Key extends string | [...(string | number)[]]>(
    name: string,
  ): Database<Value, Key> => root.openDB<Value, Key>({ name, sharedStructuresKey: STRUCTURES });
  return {
    about: table('about'),
    accounts: table('accounts'),
    emails: table('emails'),
    keys: table('keys'),
    lastUses: table('last-uses'),
    keysOfAccount: table('keys-of-account'),
    grants: table('grants'),
    usage: table('usage'),
    formerMailboxes: table('former-mailboxes'),
    audit: table('audit'),
    sessions: table('sessions'),
    challenges: table('challenges'),
    limits: table('limits'),
    events: table('payment-events'),
    openEvents: table('open-payment-events'),
    ends: table('ends'),
    secrets: table('secrets'),
    replays: table('replays'),
    answers: table('replay-answers'),
    replayEnds: table('replay-ends'),
    receipts: table('receipts'),
  };
}

/** The entries of an account in a table whose keys begin with it, in the order of their keys. */
export function entriesOf<Value, Key extends [string, ...(string | number)[]] | string[]>(
  table: Database<Value, Key>,
  account: AccountId,
): [Key, Value][] {
  // Array keys sort by their elements; no element sorts after this one.
  const [start, end] = [[account], [account, LAST]] as unknown as [Key, Key];
  return Array.from(table.getRange({ start, end }), ({ key, value }) => [key, value]);
}

const LAST = '\u{10ffff}';
