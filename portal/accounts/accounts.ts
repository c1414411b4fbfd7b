/** Accounts, their keys, and their books. Every failure of the ledger is a `LedgerUnavailable`. */
export interface Accounts {
  createAccount(account: { email: string | null; member?: boolean }): Promise<Account>;
  account(id: AccountId): Promise<Account | undefined>;
  accountByEmail(email: string): Promise<Account | undefined>;
  setMember(id: AccountId, member: boolean): Promise<void>;
  setDisabled(id: AccountId, disabled: boolean): Promise<void>;

  /**
   * Adds tokens once per cause: a repeated cause changes nothing and returns `granted: false`. A
   * cause that is empty or over `MAX_CAUSE_BYTES` is a `RangeError`.
   */
  grant(id: AccountId, grant: Grant): Promise<{ granted: boolean; balance: number }>;

  /** Mints a key; the plain key is in this answer and nowhere else. At most `MAX_ACTIVE_KEYS`. */
  createKey(id: AccountId, label: string, nowMs: number): Promise<KeyCreation>;
  /**
   * Account, grant, membership and key in one change: all of it or, if the account has
   * `MAX_ACTIVE_KEYS` already or anything of it is impossible, nothing.
   */
  issueKey(order: KeyOrder): Promise<KeyIssue>;
  keys(id: AccountId): Promise<ApiKey[]>;
  /** Revoking twice is no error; an unknown prefix or id is `false`. */
  revokeKey(id: AccountId, keyId: string): Promise<boolean>;
  /** A disabled key is refused until it is enabled; revoked it stays. `false` as above. */
  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean): Promise<boolean>;
  allAccounts(): AsyncIterable<Account>;

  /** Tokens and requests per key and UTC day, oldest first. */
  usage(id: AccountId): Promise<UsageDay[]>;
  /** The grants of an account, oldest first. Σ grants − Σ usage = balance, always. */
  grants(id: AccountId): Promise<Grant[]>;
}

export const MAX_ACTIVE_KEYS = 3;
export const MAX_CAUSE_BYTES = 1_500;

declare const brand: unique symbol;
export type AccountId = string & { readonly [brand]?: 'account' };

export interface Account {
  readonly id: AccountId;
  readonly email: string | null;
  readonly member: boolean;
  readonly disabled: boolean;
  readonly balance: number;
  readonly createdAtMs: number;
}

export interface ApiKey {
  readonly id: string;
  /** The leading characters of the plain key, to recognise it by. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly disabled: boolean;
  readonly revoked: boolean;
}

export type KeyCreation =
  | { readonly created: true; readonly plainKey: string; readonly key: ApiKey }
  | { readonly created: false; readonly reason: 'too-many-keys' };

export interface KeyOrder {
  /**
   * Whose the key is: the account of an id, or of an address. One whose address has no account yet,
   * or that is to have none (`null`), is made.
   */
  readonly owner: { readonly id: AccountId } | { readonly email: string | null };
  readonly label: string;
  /** By default the sign-up grant if the account is made by this. `null`: none. */
  readonly grant?: Grant | null;
  /** Makes the account a member's. */
  readonly member?: boolean;
  readonly atMs: number;
}

export type KeyIssue =
  | (Extract<KeyCreation, { created: true }> & { readonly account: Account })
  | Extract<KeyCreation, { created: false }>;

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
  readonly requests: number;
  readonly tokens: number;
}
