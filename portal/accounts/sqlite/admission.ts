import { type AccountId, isMember } from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';
import { LastUses } from '../last-uses.ts';
import type { Admission } from '../metering.ts';
import type { RateCounter } from '../rate-window.ts';
import { membershipIn } from './accounts.ts';
import type { Books } from './books.ts';
import type { LedgerDatabase } from './database.ts';

/** A key and its account, as far as needed for admission. */
interface KeyOwner {
  readonly account: AccountId;
  readonly keyId: string;
  readonly revokedAtMs: number | null;
  readonly isDisabled: number;
  readonly membership: string | null;
  readonly balance: number;
}

/** Keys cached between two commits. */
const MAX_KNOWN = 10_000;

/**
 * Authorizes keyed requests by reads alone. Rates are counted across everything that shares
 * `rates`.
 */
export class Admissions {
  readonly #database: LedgerDatabase;
  readonly #rates: RateCounter;
  readonly #lastUses = new LastUses();
  /**
   * Reads cached since the last commit by any connection; `undefined` for keys that do not exist.
   */
  readonly #known = new Map<KeyHash, KeyOwner | undefined>();
  #version = -1;

  constructor(database: LedgerDatabase, rates: RateCounter) {
    this.#database = database;
    this.#rates = rates;
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    const owner = this.#database.read((books) => this.#ownerOf(books, keyHash));
    if (!owner || owner.revokedAtMs !== null) return { outcome: 'invalid-key' };
    if (owner.isDisabled) return { outcome: 'account-disabled' };
    if (this.#lastUses.isDue(keyHash, nowMs)) this.#noteUse(keyHash, nowMs);
    const { account, keyId, balance } = owner;
    const { allowed, rate } = await this.#rates.take(account, nowMs);
    const member = isMember(membershipIn(owner.membership), nowMs);
    if (!allowed) return { outcome: 'rate-limited', member, balance, rate };
    return { outcome: 'admitted', account, keyId, member, balance, rate };
  }

  #ownerOf(books: Books, keyHash: KeyHash): KeyOwner | undefined {
    // SQLite changes this number when another connection has committed.
    const { data_version: version } = books.get<{ data_version: number }>('PRAGMA data_version')!;
    if (version !== this.#version || this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#version = version;
    if (this.#known.has(keyHash)) return this.#known.get(keyHash);
    const owner = books.get<KeyOwner>(
      `SELECT account, keys.id AS keyId, revokedAtMs, membership, balance,
         keys.disabled OR accounts.disabled AS isDisabled
       FROM keys JOIN accounts ON accounts.id = account WHERE hash = ?`,
      keyHash,
    );
    this.#known.set(keyHash, owner);
    return owner;
  }

  /** Written alongside the next commit, not by this request. */
  #noteUse(keyHash: KeyHash, nowMs: number): void {
    this.#lastUses.noted(keyHash, nowMs);
    this.#database.write('noteUse', [keyHash, nowMs]).catch(() => this.#lastUses.forget(keyHash));
  }
}
