import type { Accounts } from './accounts.ts';
import type { Metering } from './metering.ts';
import type { PaymentEvents } from './payment-events.ts';
import type { RateCounter } from './rate-window.ts';
import type { Replays } from './replays.ts';
import type { Sessions } from './sessions.ts';
import type { SignIns } from './sign-ins.ts';

/**
 * The one place of accounts, keys and tokens, in parts: each caller asks for what it needs.
 * Implementations pass one shared suite (`test/accounts/ledger-suite.ts`). Any failure of the
 * backing store is a `LedgerUnavailable`: callers fail closed.
 */
export interface Ledger extends Metering, Accounts, Replays, SignIns, Sessions, PaymentEvents {
  /** A random secret by name, made when first asked for: the same for all who share the ledger. */
  secret(name: string): Promise<string>;
  /** Every secret made so far, for another ledger to take over. */
  secrets(): Promise<Readonly<Record<string, string>>>;
  /** Takes over secrets; those that are there already stay as they are. */
  importSecrets(secrets: Readonly<Record<string, string>>): Promise<void>;

  /** Resolves when the backing store answers; rejects with `LedgerUnavailable`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface LedgerOptions {
  readonly rateLimitPerMinute: number;
  /** Rate counters of an embedded ledger; per process by default. */
  readonly rates?: RateCounter;
  /** Told what a person should know of a ledger that works; by default the process warns of it. */
  readonly warn?: (words: string) => void;
}

export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
  /** Whether what was asked for may have been done: it was sent, and its reply was lost. */
  readonly mayBeDone: boolean;
  /** Whether waiting may mend it: nothing answers there, or cannot for now. */
  readonly isAway: boolean;

  constructor(
    message: string,
    { cause, mayBeDone = false, isAway = false }: UnavailableOptions = {},
  ) {
    super(message, { cause });
    this.mayBeDone = mayBeDone;
    this.isAway = isAway;
  }
}

interface UnavailableOptions {
  readonly cause?: unknown;
  readonly mayBeDone?: boolean;
  readonly isAway?: boolean;
}

/**
 * A debit that may have been made, or a refund that may not: what was charged is given back, once,
 * when the ledger answers again.
 */
export class GivenBackLater extends LedgerUnavailable {
  override readonly name = 'GivenBackLater';
}

/** Error for a ledger whose records a newer program has written. */
export function tooNew(place: string, form: number, known: number): LedgerUnavailable {
  return new LedgerUnavailable(
    `ledger ${place}: its records have format ${form}, and this version supports up to ${known}; use the version that wrote it, or a newer one`,
  );
}
