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

  /**
   * Gives back what of a debit was not delivered: all of it, which takes its request off the count
   * too, or so many `tokens` of it.
   */
  refund(charge: Charge, tokens?: number): Promise<void>;

  /**
   * `debit`, once for an `Idempotency-Key`: who comes first is charged, and their answer is kept for
   * `ANSWER_LIFE_MS`; who comes again with the same request gets that answer and is not charged.
   * Debit and answer are in one transaction, so of racing requests one is first. What is not debited
   * is not kept. A key that is not 1 to 255 characters long is a `RangeError`.
   */
  debitOnce(
    charge: Charge,
    request: IdempotentRequest,
    answer: KeptAnswer,
  ): Promise<DebitOnce | Replay>;

  /**
   * The answer that an earlier request with this `Idempotency-Key` was given, if one is kept: to ask
   * before one is made. Charges only what was repaid of it.
   */
  replay(
    account: AccountId,
    request: IdempotentRequest,
    nowMs: number,
  ): Promise<Replay | undefined>;

  /**
   * Says, once for each delivery, that an answer of `debitOnce` or `replay` was not delivered, or
   * not so many `undelivered` tokens of it. When all deliveries of a debit have failed, what none of
   * them delivered is repaid, once. An answer of which nothing was delivered is then forgotten;
   * another is still kept, and the next replay of it charges again what was repaid: so it is paid
   * for once, and nothing of it can be had for nothing.
   *
   * The receipt names one debit, not its `Idempotency-Key`: a debit under the same key, made when
   * the first had ended or had been undone, is never touched. A debit whose answer has ended in
   * the meantime is undone all the same. Receipts are removed, but not before they are
   * `RECEIPT_LIFE_MS` old: then the debit stays. A delivery of which nothing is heard, because its
   * process died, counts as made: until the answer ends it can be had again for nothing.
   */
  undeliver(receipt: Receipt, undelivered?: number): Promise<void>;

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

  /** A random secret by name, made when first asked for: the same for all who share the ledger. */
  secret(name: string): Promise<string>;

  /** Resolves when the backing store answers; rejects with `LedgerUnavailable`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export const MAX_ACTIVE_KEYS = 3;
export const SIGNUP_GRANT_TOKENS = 5_000;
export const MAX_CAUSE_BYTES = 1_500;
/** How long an answer to an `Idempotency-Key` is kept. */
export const ANSWER_LIFE_MS = 24 * 60 * 60 * 1000;
/** How long after a debit it can be said, at least, that its answer was not delivered. */
export const RECEIPT_LIFE_MS = 2 * ANSWER_LIFE_MS;
/** A larger body is not kept: its charge is. */
export const MAX_KEPT_BYTES = 8 * 2 ** 20;

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

export interface Charge {
  readonly account: AccountId;
  readonly keyId: string;
  readonly tokens: number;
  /** When the request was admitted; its UTC day is the one usage is counted under. */
  readonly atMs: number;
}

export type Debit =
  | { readonly outcome: 'debited'; readonly balance: number; readonly receipt?: undefined }
  | { readonly outcome: 'insufficient'; readonly balance: number };

/** Names one debit of `debitOnce`, for whoever delivers its answer. */
export interface Receipt {
  readonly account: AccountId;
  /** When the answer that it paid for ends. */
  readonly endsAtMs: number;
  readonly id: string;
}

export type DebitOnce =
  | { readonly outcome: 'debited'; readonly balance: number; readonly receipt: Receipt }
  | { readonly outcome: 'insufficient'; readonly balance: number };

/** A request that may be sent again without being charged again. */
export interface IdempotentRequest {
  /** The `Idempotency-Key`; each account has its own. */
  readonly key: string;
  /** A hash of what was asked for: another request under the same key has another. */
  readonly fingerprint: string;
}

/** An answer as it is kept to be given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, compressed. `null`: it was too large, and has to be made again. */
  readonly gzip: Uint8Array | null;
}

export type Replay =
  | {
      readonly outcome: 'replayed';
      readonly answer: KeptAnswer;
      /** What it cost when it was made. */
      readonly tokens: number;
      readonly balance: number;
      /** Of the debit that paid for it. */
      readonly receipt: Receipt;
      /** What this replay was charged: what an undelivered part had been repaid. Mostly 0. */
      readonly charged: number;
    }
  /** What had been repaid of it can no longer be paid. */
  | { readonly outcome: 'insufficient'; readonly tokens: number; readonly balance: number }
  /** The key was used for another request. */
  | { readonly outcome: 'conflict' };

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
  | {
      readonly outcome: 'rate-limited';
      readonly member: boolean;
      readonly balance: number;
      readonly rate: RateState;
    }
  /** Unknown or revoked. */
  | { readonly outcome: 'invalid-key' }
  /** The account, or this key of it, is disabled. */
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
