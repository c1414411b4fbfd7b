import type { RateLimit, RateState } from './rate-window.ts';

/**
 * Accounts, their keys, and their records. Every ledger failure rejects with `LedgerUnavailable`.
 */
export interface Accounts {
  /**
   * Finds or creates the account of an address; without an address, always creates one. Only one of
   * several concurrent calls creates it. All spellings of an address that reach one mailbox share
   * one account (`mailboxOf`). The sign-up grant is due unless the mailbox has had an account
   * before; if that one was closed while disabled, the new one is disabled too. Throws a
   * `RangeError` for an empty address, or one over `MAX_MAILBOX_BYTES`.
   */
  openAccount(order: AccountOrder): Promise<{ account: Account; isNew: boolean }>;
  account(id: AccountId): Promise<Account | undefined>;
  accountByEmail(email: string): Promise<Account | undefined>;
  allAccounts(): AsyncIterable<Account>;
  setDisabled(id: AccountId, disabled: boolean, by: Change): Promise<void>;
  setMembership(id: AccountId, membership: Membership | null, by: Change): Promise<void>;
  setCustomer(id: AccountId, customer: string): Promise<void>;
  /**
   * Permanently removes the address, sessions and membership of an account and revokes its keys. No
   * key or session can be created for it afterwards. Its records are kept, including whether it was
   * disabled and that its mailbox has had the sign-up grant. A delayed grant ends with its account:
   * unless that is disabled, its mailbox counts as one that never had an account. Idempotent.
   */
  closeAccount(id: AccountId, by: Change): Promise<void>;

  /**
   * Adds tokens once per cause: a repeated cause changes nothing and returns `granted: false`.
   * Throws a `RangeError` for a cause that is empty or over `MAX_CAUSE_BYTES`.
   */
  grant(id: AccountId, grant: Grant, by: Actor): Promise<{ granted: boolean; balance: number }>;
  /**
   * Takes back tokens once per cause, at most the balance, and records them as a negative grant.
   * `taken` is 0 for a repeated cause.
   */
  takeBack(id: AccountId, grant: Grant, by: Actor): Promise<{ taken: number; balance: number }>;

  /**
   * Applies account, grant, membership and key in one change. Applies nothing if the account is
   * closed, has `MAX_ACTIVE_KEYS` already, has been given too many lately, or any part is invalid.
   * The plain key appears only in this result.
   */
  issueKey(order: KeyOrder): Promise<KeyIssue>;
  /** The active keys and the last `MAX_REVOKED_KEPT` revoked ones, oldest first. */
  keys(id: AccountId): Promise<ApiKey[]>;
  /** Revokes a key. Idempotent; returns `false` for an id that is unknown or no longer kept. */
  revokeKey(id: AccountId, keyId: string, by: Change): Promise<boolean>;
  /**
   * Disables or enables a key. A disabled key is rejected until it is enabled; a revoked one stays
   * revoked. Returns `false` for an id that is unknown or no longer kept.
   */
  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean, by: Change): Promise<boolean>;

  /** Tokens and requests per key, route and UTC day, oldest first; both days are inclusive. */
  usage(id: AccountId, days?: { from?: string; to?: string }): Promise<UsageDay[]>;
  /** The grants of an account, oldest first. Σ grants − Σ usage = balance, always. */
  grants(id: AccountId): Promise<Grant[]>;

  /** The account's audit trail, newest first: `AUDIT_KEPT` entries, evicted by `surplusEntry`. */
  audit(id: AccountId): Promise<AuditEntry[]>;

  /** A consistent snapshot of everything a ledger stores permanently about an account. */
  exportAccount(id: AccountId): Promise<AccountRecords | undefined>;
  /** Imports an account; returns `false` and changes nothing if it exists already. */
  importAccount(records: AccountRecords): Promise<boolean>;

  /** The mailboxes of closed accounts, which have had the sign-up grant. */
  formerMailboxes(): Promise<FormerMailbox[]>;
  /** Imports mailboxes of closed accounts; existing records stay unchanged. */
  importFormerMailboxes(mailboxes: readonly FormerMailbox[]): Promise<void>;
}

/** Maximum number of revoked keys kept per account; of older ones, only the usage is kept. */
export const MAX_REVOKED_KEPT = 100;
export const MAX_CAUSE_BYTES = 1_500;
export const AUDIT_KEPT = 500;

declare const brand: unique symbol;
export type AccountId = string & { readonly [brand]?: 'account' };
/** SHA-256 of a plain key, base64url. The only form in which a key is stored. */
export type KeyHash = string & { readonly [brand]?: 'key hash' };

export interface Account {
  readonly id: AccountId;
  /**
   * The address as its owner first wrote it; `null` if an operator created the account without one,
   * or if the account is closed.
   */
  readonly email: string | null;
  readonly membership: Membership | null;
  readonly disabled: boolean;
  readonly balance: number;
  readonly createdAtMs: number;
  /** `null` if open. */
  readonly closedAtMs: number | null;
  /** Customer id at the payment processor. */
  readonly customer: string | null;
}

export const MEMBERSHIP_STATUSES = ['active', 'ending', 'past_due'] as const;

export interface Membership {
  /**
   * `ending`: paid, and not to be renewed. `past_due`: a payment has failed, and is being retried.
   */
  readonly status: (typeof MEMBERSHIP_STATUSES)[number];
  /** Expiry; `null` for a membership granted by an operator. */
  readonly untilMs: number | null;
  readonly renewsAtMs: number | null;
  readonly subscription: string | null;
}

/** Membership granted by an operator. */
export const WITHOUT_END: Membership = {
  status: 'active',
  untilMs: null,
  renewsAtMs: null,
  subscription: null,
};

/**
 * Whether a membership is active. An expired one is not, even before its expiry has been processed.
 */
export function isMember(membership: Membership | null, nowMs: number): boolean {
  return membership !== null && (membership.untilMs === null || nowMs < membership.untilMs);
}

export const ACTORS = ['owner', 'operator', 'payment'] as const;
export type Actor = (typeof ACTORS)[number];

export interface Change {
  readonly by: Actor;
  readonly atMs: number;
}

export interface AuditEntry extends Change {
  readonly what: AuditEvent;
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
type AuditEvent = (typeof AUDIT_EVENTS)[number];

export interface ApiKey {
  readonly id: string;
  /** The leading characters of the plain key, to recognise it by. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAtMs: number;
  /**
   * Time of the last admitted request with this key, charged or free, at a resolution of
   * `LAST_USE_MS`; `null` if there was none.
   */
  readonly lastUsedAtMs: number | null;
  readonly disabled: boolean;
  readonly revokedAtMs: number | null;
}

export type HashedKey = ApiKey & { readonly hash: KeyHash };

export interface AccountOrder {
  readonly email: string | null;
  /** Grant for a new account; defaults to the sign-up grant, if due. `null`: no grant. */
  readonly grant?: Grant | null;
  /** Replaces the sign-up grant of the plans, if one is due. */
  readonly signupGrant?: Grant;
  readonly by: Actor;
  readonly atMs: number;
}

export interface KeyOrder {
  /**
   * The owner of a new key: an account by id, or by address, found or created as in `openAccount`.
   */
  readonly owner: { readonly id: AccountId } | { readonly email: string | null };
  readonly label: string;
  /**
   * Grant to book; defaults to the sign-up grant if the order creates the account. `null`: no
   * grant.
   */
  readonly grant?: Grant | null;
  /** Gives the account a membership without expiry. */
  readonly member?: boolean;
  /** Limit on keys created per account and period; refused attempts do not count. */
  readonly rate?: RateLimit;
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

/** A sign-up grant that is credited later. */
export interface DelayedGrant {
  /** The limit in whose queue it waits; the account itself, if it waits in a queue of its own. */
  readonly waitsFor: string;
  /** When the queue is expected to have room for it. */
  readonly dueAtMs: number;
  /** Rank in the queue; the lowest is credited first. */
  readonly orderMs: number;
  /** The network that the account was opened from. */
  readonly network: string;
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

export interface FormerMailbox {
  /** SHA-256, as computed by `hashMailbox`. */
  readonly hash: string;
  /**
   * Whether the account was disabled when it was closed; a new account of the mailbox is then
   * disabled too.
   */
  readonly disabled: boolean;
}

/** An account as transferred between ledgers: one line of an export. */
export interface AccountRecords {
  readonly account: Account;
  readonly keys: readonly HashedKey[];
  readonly grants: readonly Grant[];
  readonly usage: readonly UsageDay[];
  /** Oldest first. */
  readonly audit: readonly AuditEntry[];
  readonly delayedGrant: DelayedGrant | null;
}
