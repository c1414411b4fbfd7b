import type { KeyHash } from './key-hash.ts';
import type { RateState } from './rate-state.ts';

/** Accounts, their keys, and their books. Every failure of the ledger is a `LedgerUnavailable`. */
export interface Accounts {
  /**
   * Finds or creates the account of an address; without an address, always creates one. Of racing
   * calls one creates it. All spellings of an address that lead to one mailbox share one account
   * (`mailboxOf`). The sign-up grant is due unless the mailbox has had an account before; if that
   * one was closed while disabled, the new one is disabled too. An empty address, or one over
   * `MAX_MAILBOX_BYTES`, is a `RangeError`.
   */
  openAccount(order: AccountOrder): Promise<{ account: Account; isNew: boolean }>;
  account(id: AccountId): Promise<Account | undefined>;
  accountByEmail(email: string): Promise<Account | undefined>;
  allAccounts(): AsyncIterable<Account>;
  setDisabled(id: AccountId, disabled: boolean, by: Change): Promise<void>;
  setMembership(id: AccountId, membership: Membership | null, by: Change): Promise<void>;
  /** Sets the account's customer id at the payment processor. */
  setCustomer(id: AccountId, customer: string): Promise<void>;
  /**
   * Takes address, sessions and membership from an account and revokes its keys, for good: it gets
   * neither key nor session any more. Its books stay, and so does that its mailbox has had the
   * sign-up grant, and whether it was disabled. Closing it twice is no error.
   */
  closeAccount(id: AccountId, by: Change): Promise<void>;

  /**
   * Adds tokens once per cause: a repeated cause changes nothing and returns `granted: false`. A
   * cause that is empty or over `MAX_CAUSE_BYTES` is a `RangeError`.
   */
  grant(id: AccountId, grant: Grant, by: Actor): Promise<{ granted: boolean; balance: number }>;
  /**
   * Takes tokens back once per cause, as many as are left of them: a grant of less than nothing.
   * `taken` is 0 for a repeated cause.
   */
  takeBack(id: AccountId, grant: Grant, by: Actor): Promise<{ taken: number; balance: number }>;

  /**
   * Account, grant, membership and key in one change: all of it or, if the account is closed, has
   * `MAX_ACTIVE_KEYS` already, has been given too many lately, or anything of it is impossible,
   * nothing. The plain key is in this answer and nowhere else.
   */
  issueKey(order: KeyOrder): Promise<KeyIssue>;
  /** Oldest first: the active ones, and the `MAX_REVOKED_KEPT` that were revoked last. */
  keys(id: AccountId): Promise<ApiKey[]>;
  /** Revoking twice is no error; an id that is unknown, or no longer kept, is `false`. */
  revokeKey(id: AccountId, keyId: string, by: Change): Promise<boolean>;
  /** A disabled key is refused until it is enabled; revoked it stays. `false` as above. */
  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean, by: Change): Promise<boolean>;

  /** Tokens and requests per key, route and UTC day, oldest first; both days are among them. */
  usage(id: AccountId, days?: { from?: string; to?: string }): Promise<UsageDay[]>;
  /** The grants of an account, oldest first. Σ grants − Σ usage = balance, always. */
  grants(id: AccountId): Promise<Grant[]>;

  /**
   * The account's audit trail, newest first: `AUDIT_KEPT` entries, as `surplusEntry` leaves them.
   */
  audit(id: AccountId): Promise<AuditEntry[]>;

  /** Everything a ledger holds of an account for good, as it is at one moment. */
  exportBooks(id: AccountId): Promise<AccountBooks | undefined>;
  /** Takes over an account; one that is there already is `false`, and stays as it is. */
  importBooks(books: AccountBooks): Promise<boolean>;

  /** The mailboxes whose accounts were closed: they have had the sign-up grant. */
  formerMailboxes(): Promise<FormerMailbox[]>;
  /** Takes over such mailboxes; those that are there already stay as they are. */
  importFormerMailboxes(mailboxes: readonly FormerMailbox[]): Promise<void>;
}

/** For a key revoked longer ago than this many others, only its usage is kept. */
export const MAX_REVOKED_KEPT = 100;
export const MAX_CAUSE_BYTES = 1_500;
export const AUDIT_KEPT = 500;

declare const brand: unique symbol;
export type AccountId = string & { readonly [brand]?: 'account' };

export interface Account {
  readonly id: AccountId;
  /** As its owner wrote it first; `null` of one that an operator made without, or that is closed. */
  readonly email: string | null;
  readonly membership: Membership | null;
  readonly disabled: boolean;
  readonly balance: number;
  readonly createdAtMs: number;
  /** `null` of one that is open. */
  readonly closedAtMs: number | null;
  /** Customer id at the payment processor. */
  readonly customer: string | null;
}

export const MEMBERSHIP_STATUSES = ['active', 'ending', 'past_due'] as const;

export interface Membership {
  /** `ending`: paid, and not to be renewed. `past_due`: a payment has failed, and is tried again. */
  readonly status: (typeof MEMBERSHIP_STATUSES)[number];
  /** When it ends by itself; `null` of one that an operator gave. */
  readonly untilMs: number | null;
  /** When it is paid for next. */
  readonly renewsAtMs: number | null;
  readonly subscription: string | null;
}

/** Cause of a grant by an operator. */
export const WITHOUT_END: Membership = {
  status: 'active',
  untilMs: null,
  renewsAtMs: null,
  subscription: null,
};

/**
 * Whether a membership is in force; past its end it is not, even before the end has been processed.
 */
export function isMember(membership: Membership | null, nowMs: number): boolean {
  return membership !== null && (membership.untilMs === null || nowMs < membership.untilMs);
}

/** Origin of a change to an account. */
export const ACTORS = ['owner', 'operator', 'payment'] as const;
export type Actor = (typeof ACTORS)[number];

/** A change, for the audit trail. */
export interface Change {
  readonly by: Actor;
  readonly atMs: number;
}

export interface AuditEntry extends Change {
  readonly what: AuditEvent;
  /** Which key, how many tokens, from where. */
  readonly detail: string;
}

export const AUDIT_EVENTS = [
  'account-opened',
  'account-closed',
  'account-disabled',
  'account-enabled',
  'signed-in',
  'session-ended',
  'key-created',
  'key-revoked',
  'key-disabled',
  'key-enabled',
  'tokens-granted',
  'tokens-taken-back',
  'membership-changed',
] as const;
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

export interface ApiKey {
  readonly id: string;
  /** The leading characters of the plain key, to recognise it by. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAtMs: number;
  /** When a request with it was last let in, charged or free: to the minute (`LAST_USE_MS`). */
  readonly lastUsedAtMs: number | null;
  readonly disabled: boolean;
  readonly revokedAtMs: number | null;
}

/** A key as a ledger keeps it: its last use is written down apart from it. */
export type StoredKey = Omit<ApiKey, 'lastUsedAtMs'>;

export interface AccountOrder {
  readonly email: string | null;
  /** For a new account: by default the sign-up grant, if it is due. `null`: none. */
  readonly grant?: Grant | null;
  /** The sign-up grant where it is due, if it is not that of the plans. */
  readonly signupGrant?: Grant;
  readonly by: Actor;
  readonly atMs: number;
}

export interface KeyOrder {
  /**
   * The owner of a new key: an account by id, or by address as `openAccount` finds or creates it.
   */
  readonly owner: { readonly id: AccountId } | { readonly email: string | null };
  readonly label: string;
  /** By default the sign-up grant if the account is made by this. `null`: none. */
  readonly grant?: Grant | null;
  /** Gives the account a membership without an end. */
  readonly member?: boolean;
  /** Limit on keys created per account and time; refused attempts do not count. */
  readonly rate?: { readonly limit: number; readonly windowSeconds: number };
  readonly by: Actor;
  readonly atMs: number;
}

export type KeyIssue =
  | {
      readonly created: true;
      readonly plainKey: string;
      readonly key: ApiKey;
      readonly account: Account;
    }
  | {
      readonly created: false;
      readonly reason: 'closed' | 'too-many-keys';
      readonly rate?: undefined;
    }
  | { readonly created: false; readonly reason: 'rate-limited'; readonly rate: RateState };

export interface Grant {
  readonly tokens: number;
  /** Unique within the account: `signup`, an invoice id, a checkout session id, `cli:<uuid>`. */
  readonly cause: string;
  readonly atMs: number;
}

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly keyId: string;
  /** Method and path of the route, such as `GET /v1/blocks/{geoid}/summary`. */
  readonly route: string;
  readonly requests: number;
  readonly tokens: number;
  readonly lastAtMs: number;
}

/** Record of a mailbox whose account was closed. */
export interface FormerMailbox {
  /** SHA-256, as `hashMailbox` makes it. */
  readonly hash: string;
  /** Whether the account was disabled when it was closed: leaving and coming back does not enable. */
  readonly disabled: boolean;
}

/** An account as one ledger hands it to another: a line of an export. */
export interface AccountBooks {
  readonly account: Account;
  readonly keys: readonly (ApiKey & { readonly hash: KeyHash })[];
  readonly grants: readonly Grant[];
  readonly usage: readonly UsageDay[];
  /** Oldest first. */
  readonly audit: readonly AuditEntry[];
}
