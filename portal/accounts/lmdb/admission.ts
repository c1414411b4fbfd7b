import { isMember } from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';
import { LastUses } from '../last-uses.ts';
import type { Admission } from '../metering.ts';
import type { RateCounter } from '../rate-window.ts';
import type { LedgerDatabase } from './database.ts';
import { noteUse } from './keys.ts';

/** Authorizes keyed requests by reads alone. Rates are counted by every sharer of `rates`. */
export class Admissions {
  readonly #database: LedgerDatabase;
  readonly #rates: RateCounter;
  readonly #lastUses = new LastUses();

  constructor(database: LedgerDatabase, rates: RateCounter) {
    this.#database = database;
    this.#rates = rates;
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    const found = this.#database.read(({ keys, accounts }) => {
      const key = keys.get(keyHash);
      return key && { key, account: accounts.get(key.account) };
    });
    if (!found?.account || found.key.revokedAtMs !== null) return { outcome: 'invalid-key' };
    const { key, account } = found;
    if (key.disabled || account.disabled) return { outcome: 'account-disabled' };
    if (this.#lastUses.isDue(keyHash, nowMs)) this.#noteUse(keyHash, nowMs);
    const { allowed, rate } = await this.#rates.take(key.account, nowMs);
    const { balance } = account;
    const member = isMember(account.membership, nowMs);
    if (!allowed) return { outcome: 'rate-limited', member, balance, rate };
    return { outcome: 'admitted', account: key.account, keyId: key.id, member, balance, rate };
  }

  /** Written alongside the next commit, not by this request. */
  #noteUse(keyHash: KeyHash, nowMs: number): void {
    this.#lastUses.noted(keyHash, nowMs);
    this.#database
      .write((batch) => noteUse(batch, keyHash, nowMs))
      .catch(() => this.#lastUses.forget(keyHash));
  }
}
