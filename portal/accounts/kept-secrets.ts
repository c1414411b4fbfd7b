import { retry } from '../../shards/concurrency/retry.ts';
import { type Ledger, LedgerUnavailable } from './ledger.ts';

/** Between tries to have a secret of a ledger that is away. */
const ASK_AGAIN_MS = 250;

/** Secrets that something is sealed with: those of the settings, or one that the ledger keeps. */
export class KeptSecrets {
  #all: readonly string[] | undefined;
  readonly #ending = new AbortController();

  /** Retries until an unavailable ledger returns the secret. */
  static async open(
    set: readonly string[] | undefined,
    ledger: Pick<Ledger, 'secret'>,
    name: string,
  ): Promise<KeptSecrets> {
    const secrets = new KeptSecrets();
    const ask = async () => {
      secrets.#all = [await ledger.secret(name)];
    };
    if (set) secrets.#all = set;
    else {
      await ask().catch((error) => {
        if (!(error instanceof LedgerUnavailable && error.isAway)) throw error;
        const options = { signal: secrets.#ending.signal, ref: false };
        retry(ask, () => ASK_AGAIN_MS, options).catch(() => {});
      });
    }
    return secrets;
  }

  /** The first seals, all open. A `LedgerUnavailable` while the ledger has not told. */
  get all(): readonly string[] {
    if (this.#all === undefined)
      throw new LedgerUnavailable('the secrets of the ledger are not loaded');
    return this.#all;
  }

  /** Ends the asking. */
  close(): void {
    this.#ending.abort();
  }
}
