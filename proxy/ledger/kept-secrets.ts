import { retry } from '../../shards/concurrency/retry.ts';
import { type Ledger, LedgerUnavailable } from './ledger.ts';

/** Pause between attempts to load a secret from an unavailable ledger. */
const RETRY_MS = 250;

/** Sealing secrets: those from the settings, or one stored in the ledger. */
export class KeptSecrets {
  #all: readonly string[] | undefined;
  readonly #ending = new AbortController();

  /**
   * Returns the secrets; if the ledger is unavailable, retries in the background until it returns
   * its secret. `set`: the secrets from the settings, if any.
   */
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
        retry(ask, () => RETRY_MS, options).catch(() => {});
      });
    }
    return secrets;
  }

  /**
   * The secrets: the first one seals, any of them opens. Throws `LedgerUnavailable` until the
   * ledger has returned its secret.
   */
  get all(): readonly string[] {
    if (this.#all === undefined)
      throw new LedgerUnavailable('the secrets of the ledger are not loaded');
    return this.#all;
  }

  close(): void {
    this.#ending.abort();
  }
}
