import type { AccountId } from './accounts.ts';
import type { KeyHash } from './key-hash.ts';
import type { RateState } from './rate-state.ts';

/**
 * Ledger operations of a metered request. Every failure is a rejection with a `LedgerUnavailable`.
 */
export interface Metering {
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
   * Refunds the undelivered part of a debit: all of it, which also uncounts its request, or
   * `tokens` of it.
   */
  refund(charge: Charge, tokens?: number): Promise<void>;
}

export interface Charge {
  readonly account: AccountId;
  readonly keyId: string;
  /** Method and path of the route: usage is counted under it. */
  readonly route: string;
  readonly tokens: number;
  /** When the debit was asked for; its UTC day is the one usage is counted under. */
  readonly atMs: number;
}

export type Debit =
  | { readonly outcome: 'debited'; readonly balance: number; readonly receipt?: undefined }
  | { readonly outcome: 'insufficient'; readonly balance: number };

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
