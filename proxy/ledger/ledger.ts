import type { Accounts } from './accounts.ts';
import type { DelayedGrants } from './delayed-grants.ts';
import type { Metering } from './metering.ts';
import type { PaymentEvents } from './payment-events.ts';
import type { ReplayRecord, Replays } from './replays.ts';
import type { Sessions } from './sessions.ts';
import type { SignIns } from './sign-ins.ts';

/**
 * The single store of accounts, keys and tokens, split into parts so that each caller depends only
 * on what it needs. Implementations pass one shared suite (`test/ledger/ledger-suite.ts`). Any
 * failure of the backing store is a `LedgerUnavailable`: callers fail closed.
 */
export interface Ledger
  extends Metering,
    Accounts,
    DelayedGrants,
    Replays,
    SignIns,
    Sessions,
    PaymentEvents {
  /**
   * Returns the random secret of a name, created on first use; all processes that share the ledger
   * get the same one.
   */
  secret(name: string): Promise<string>;
  /** Every secret created so far, for import into another ledger. */
  secrets(): Promise<Readonly<Record<string, string>>>;
  /** Imports secrets; existing ones stay unchanged. */
  importSecrets(secrets: Readonly<Record<string, string>>): Promise<void>;

  /** Every charge whose response can be replayed, or has expired a short while ago. */
  allReplays(): AsyncIterable<ReplayRecord>;
  /**
   * Imports a charge of an account that is imported afterwards; returns `false` and changes nothing
   * if the account exists already.
   */
  importReplay(record: ReplayRecord): Promise<boolean>;

  /** The ids of the processed payment events that are remembered. */
  closedEvents(): AsyncIterable<string>;
  /** Records that events have been processed elsewhere, except those that are open here. */
  importClosedEvents(ids: readonly string[], nowMs: number): Promise<void>;

  /** Resolves when the backing store responds; rejects with `LedgerUnavailable`. */
  ping(): Promise<void>;
  /** How full the backing store is; rejects with `LedgerUnavailable`. */
  fullness(): Promise<LedgerFullness>;
  close(): Promise<void>;
}

export interface LedgerFullness {
  /** Used share of what limits the ledger: of Redis's memory, or of the disk of a folder. */
  readonly memory?: number;
  readonly disk?: number;
  /** Whether Redis last failed to write or rewrite its append-only file, as on a full disk. */
  readonly isLogFailing: boolean;
}

export interface LedgerOptions {
  readonly rateLimitPerMinute: number;
  /** Receives warnings about a working ledger; by default, process warnings. */
  readonly warn?: (words: string) => void;
}

export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
  /** Whether the operation may have been applied: it was sent, but its reply was lost. */
  readonly mayBeDone: boolean;
  /** Whether waiting may help: the server does not respond, or is temporarily unable to. */
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
 * Error for a debit that may have been applied, or a refund that may not have been. The charge is
 * refunded exactly once, when the ledger responds again.
 */
export class RefundPending extends LedgerUnavailable {
  override readonly name = 'RefundPending';
}

/** Error for a change of which it stays unknown whether it was made, since its reply was lost. */
export class OutcomeUnknown extends LedgerUnavailable {
  override readonly name = 'OutcomeUnknown';

  constructor(message: string, { cause }: { cause: unknown }) {
    super(message, { cause, mayBeDone: true });
  }
}

export function otherFormat(place: string, form: number, known: number): LedgerUnavailable {
  const advice =
    form > known
      ? `up to ${known}; use the version that wrote it, or a newer one`
      : `${known}; export it with the version that wrote it, and import that into a new one`;
  return new LedgerUnavailable(
    `ledger ${place}: its records have format ${form}, and this version supports ${advice}`,
  );
}
