/**
 * The one interface to accounts, keys and tokens. Implementations pass one shared suite
 * (`test/accounts/ledger-suite.ts`). Any failure of the backing store is a `LedgerUnavailable`:
 * callers fail closed.
 */
export interface Ledger {
  /**
   * The head of every keyed request in one call: which account a key belongs to, and one unit of
   * that account's rate. Costs nothing but the rate.
   */
  admit(keyHash: KeyHash, nowMs: number): Promise<Admission>;

  /**
   * Takes `tokens` from the account, all or nothing, and counts one request for the key's day.
   * Resolved once the debit is durable. Racing debits never overdraw.
   */
  debit(charge: Charge): Promise<Debit>;

  /** Gives back a debit whose answer was not delivered, and takes its request off the count. */
  refund(charge: Charge): Promise<void>;

  createAccount(account: { email: string | null; member?: boolean }): Promise<Account>;
  account(id: AccountId): Promise<Account | undefined>;
  accountByEmail(email: string): Promise<Account | undefined>;
  setMember(id: AccountId, member: boolean): Promise<void>;
  setDisabled(id: AccountId, disabled: boolean): Promise<void>;

  /** Adds tokens once per cause: a repeated cause changes nothing and returns `granted: false`. */
  grant(id: AccountId, grant: Grant): Promise<{ granted: boolean; balance: number }>;

  /** Mints a key; the plain key is in this answer and nowhere else. At most `MAX_ACTIVE_KEYS`. */
  createKey(
    id: AccountId,
    label: string,
    nowMs: number,
  ): Promise<
    { created: true; plainKey: string; key: ApiKey } | { created: false; reason: 'too-many-keys' }
  >;
  keys(id: AccountId): Promise<ApiKey[]>;
  /** Revoking twice is no error; an unknown prefix or id is `false`. */
  revokeKey(id: AccountId, keyId: string): Promise<boolean>;
  allAccounts(): AsyncIterable<Account>;

  /** Tokens and requests per key and UTC day, oldest first. */
  usage(id: AccountId): Promise<UsageDay[]>;
  /** The grants of an account, oldest first. Σ grants − Σ usage = balance, always. */
  grants(id: AccountId): Promise<Grant[]>;

  /** A random secret by name, made when first asked for: the same for all who share the ledger. */
  secret(name: string): Promise<string>;

  /** Resolves when the backing store answers; rejects with `LedgerUnavailable`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export const MAX_ACTIVE_KEYS = 3;
export const SIGNUP_GRANT_TOKENS = 5_000;

declare const brand: unique symbol;
/** SHA-256 of a plain key, base64url. The only form in which a key is stored. */
export type KeyHash = string & { readonly [brand]?: 'key hash' };
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
  readonly revoked: boolean;
}

export interface Grant {
  readonly tokens: number;
  /** Unique within the account: `signup`, an invoice id, a checkout session id, `cli:<uuid>`. */
  readonly cause: string;
  readonly atMs: number;
}

export interface Charge {
  readonly account: AccountId;
  readonly keyId: string;
  readonly tokens: number;
  /** When the request was admitted; its UTC day is the one usage is counted under. */
  readonly atMs: number;
}

export type Debit =
  | { readonly outcome: 'debited'; readonly balance: number }
  | { readonly outcome: 'insufficient'; readonly balance: number };

/** A fixed window of requests: what `RateLimit` and `RateLimit-Policy` report. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

export type Admission =
  | {
      readonly outcome: 'admitted';
      readonly account: AccountId;
      readonly keyId: string;
      readonly member: boolean;
      readonly balance: number;
      readonly rate: RateState;
    }
  | { readonly outcome: 'rate-limited'; readonly rate: RateState }
  | { readonly outcome: 'invalid-key' }
  | { readonly outcome: 'account-disabled' };

export interface UsageDay {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly keyId: string;
  readonly requests: number;
  readonly tokens: number;
}

export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}
