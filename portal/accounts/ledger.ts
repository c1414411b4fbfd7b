import type { Accounts } from './accounts.ts';
import type { Metering } from './metering.ts';
import type { Replays } from './replays.ts';

/**
 * The one place of accounts, keys and tokens, in three parts: each caller asks for what it needs.
 * Implementations pass one shared suite (`test/accounts/ledger-suite.ts`). Any failure of the
 * backing store is a `LedgerUnavailable`: callers fail closed.
 */
export interface Ledger extends Metering, Accounts, Replays {
  /** A random secret by name, made when first asked for: the same for all who share the ledger. */
  secret(name: string): Promise<string>;

  /** Resolves when the backing store answers; rejects with `LedgerUnavailable`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}
