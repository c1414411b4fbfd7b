import { type Ledger, LedgerUnavailable } from './ledger.ts';

/** Between tries to have a secret of a ledger that is away. */
const ASK_AGAIN_MS = 250;

/** Secrets that something is sealed with: those of the settings, or one that the ledger keeps. */
export class KeptSecrets {
  #all: readonly string[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(all: readonly string[] | undefined) {
    this.#all = all;
  }

  /** Of a ledger that is away, the secret is asked for until it tells. */
  static async open(
    set: readonly string[] | undefined,
    ledger: Pick<Ledger, 'secret'>,
    name: string,
  ): Promise<KeptSecrets> {
    const secrets = new KeptSecrets(set);
    if (!set) await secrets.#ask(() => ledger.secret(name));
    return secrets;
  }

  /** The first seals, all open. A `LedgerUnavailable` while the ledger has not told. */
  get all(): readonly string[] {
    if (this.#all === undefined) throw new LedgerUnavailable('the ledger has not told its secrets');
    return this.#all;
  }

  /** Ends the asking. */
  close(): void {
    clearTimeout(this.#timer);
  }

  async #ask(secret: () => Promise<string>): Promise<void> {
    try {
      this.#all = [await secret()];
    } catch (error) {
      if (!(error instanceof LedgerUnavailable && error.isAway)) throw error;
      this.#timer = setTimeout(() => void this.#ask(secret).catch(() => {}), ASK_AGAIN_MS).unref();
    }
  }
}
