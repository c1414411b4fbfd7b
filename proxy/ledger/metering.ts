import type { AccountId, KeyHash } from './accounts.ts';
import type { RateState } from './rate-window.ts';
import type { SessionId } from './sessions.ts';

/**
 * Ledger operations of a metered request. Every failure is a rejection with a `LedgerUnavailable`.
 */
export interface Metering {
  /**
   * Authorizes a keyed request in one call: looks up the account of the key and takes one unit of
   * its rate, which is the only cost.
   */
  admit(keyHash: KeyHash, nowMs: number): Promise<Admission>;

  /**
   * Authorizes a request with a browser token, as `admit` does for a key. Looks up the session that
   * requested the token, without extending it. Usage is counted under `BROWSER_TOKEN_KEY_ID`.
   */
  admitSession(session: SessionId, nowMs: number): Promise<Admission>;

  /**
   * Debits `tokens` from the account, all or nothing, and counts one request for the key's day.
   * Resolves once the debit is durable. Concurrent debits never overdraw.
   */
  debit(charge: Charge): Promise<Debit>;

  /**
   * Refunds the undelivered part of a debit: `tokens` of it, or all by default. A full refund also
   * uncounts its request.
   */
  refund(charge: Charge, tokens?: number): Promise<void>;
}

export interface Charge {
  readonly account: AccountId;
  readonly keyId: string;
  /** Method and path of the route, under which usage is counted. */
  readonly route: string;
  readonly tokens: number;
  /** Time of the debit request; its UTC day is the one usage is counted under. */
  readonly atMs: number;
}

export type Debit =
  | { readonly outcome: 'debited'; readonly balance: number; readonly receipt?: never }
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
  /** The key is unknown or revoked, or the session of the browser token has ended. */
  | { readonly outcome: 'invalid-key' }
  /** The account, or this key, is disabled. */
  | { readonly outcome: 'account-disabled' };
