import type { KeyHash } from '../accounts.ts';
import { type AccountId, isMember } from '../accounts.ts';
import { BROWSER_TOKEN_KEY_ID } from '../browser-token.ts';
import { LastUses } from '../last-uses.ts';
import type { Admission } from '../metering.ts';
import type { RateWindow } from '../rate-window.ts';
import { isLive, type SessionId } from '../sessions.ts';
import type { LedgerDatabase } from './database.ts';

/** An account, and the key that acts for it, as far as needed for admission. */
interface KeyOwner {
  readonly account: AccountId;
  readonly keyId: string;
  readonly revokedAtMs: number | null;
  readonly isDisabled: number;
  readonly membership: string | null;
  readonly balance: number;
}

/** An account, and the session that acts for it, as far as needed for admission. */
interface SessionOwner extends Omit<KeyOwner, 'revokedAtMs'> {
  readonly seenAtMs: number;
}

const OWNER_OF_KEY = `
  SELECT account, keys.id AS keyId, revokedAtMs, membership, balance,
    keys.disabled OR accounts.disabled AS isDisabled
  FROM keys JOIN accounts ON accounts.id = account WHERE hash = ?`;

const OWNER_OF_SESSION = `
  SELECT account, '${BROWSER_TOKEN_KEY_ID}' AS keyId, seenAtMs, membership, balance,
    disabled AS isDisabled
  FROM sessions JOIN accounts ON accounts.id = account WHERE account = ? AND sessions.id = ?`;

/** Maximum number of owners cached between two commits. */
const MAX_KNOWN = 10_000;

/**
 * Maximum number of admissions that wait for one read of SQLite's `data_version`: what they go on
 * to do then takes a millisecond or two of a turn.
 */
const TOGETHER = 64;

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/** Admits requests by reads alone. */
export class Admissions {
  readonly #database: LedgerDatabase;
  readonly #rates: RateWindow;
  readonly #lastUses = new LastUses();
  /**
   * Reads cached since the last commit by any connection, by hash of a key, or account and id of a
   * session; `undefined` for those that do not exist.
   */
  readonly #known = new Map<string, KeyOwner | SessionOwner | undefined>();
  #version = -1;
  /** Admissions of this turn of the event loop, before the version is read. */
  #waiting: Waiting[] = [];

  constructor(database: LedgerDatabase, rates: RateWindow) {
    this.#database = database;
    this.#rates = rates;
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    await this.#upToDate();
    const owner = this.#owner<KeyOwner>(keyHash, OWNER_OF_KEY, keyHash);
    if (!owner || owner.revokedAtMs !== null) return { outcome: 'invalid-key' };
    if (owner.isDisabled) return { outcome: 'account-disabled' };
    if (this.#lastUses.isDue(keyHash, nowMs)) this.#noteUse(keyHash, nowMs);
    return this.#admitted(owner, nowMs);
  }

  async admitSession({ account, id }: SessionId, nowMs: number): Promise<Admission> {
    await this.#upToDate();
    const owner = this.#owner<SessionOwner>(`${account} ${id}`, OWNER_OF_SESSION, account, id);
    if (!owner || !isLive(owner, nowMs)) return { outcome: 'invalid-key' };
    if (owner.isDisabled) return { outcome: 'account-disabled' };
    return this.#admitted(owner, nowMs);
  }

  #admitted(owner: KeyOwner | SessionOwner, nowMs: number): Admission {
    const { account, keyId, balance } = owner;
    const { allowed, rate } = this.#rates.take(account, nowMs);
    const membership = owner.membership === null ? null : JSON.parse(owner.membership);
    const member = isMember(membership, nowMs);
    if (!allowed) return { outcome: 'rate-limited', member, balance, rate };
    return { outcome: 'admitted', account, keyId, member, balance, rate };
  }

  #owner<Owner extends KeyOwner | SessionOwner>(
    credential: string,
    sql: string,
    ...values: readonly string[]
  ): Owner | undefined {
    if (this.#known.has(credential)) return this.#known.get(credential) as Owner | undefined;
    const owner = this.#database.read((db) => db.get<Owner>(sql, ...values));
    this.#known.set(credential, owner);
    return owner;
  }

  /**
   * Resolves once `#known` has nothing older than this call. SQLite locks the file to say whether
   * another connection has committed, which takes longer than the rest of an admission, so it is
   * asked once for all admissions that begin in a turn of the event loop, after the last of them.
   */
  #upToDate(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === TOGETHER) this.#readVersion();
      else if (this.#waiting.length === 1) setImmediate(this.#readVersion);
    });
  }

  readonly #readVersion = (): void => {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    try {
      const version = this.#database.read(
        (db) => db.get<{ data_version: number }>('PRAGMA data_version')!.data_version,
      );
      if (version !== this.#version || this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#version = version;
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };

  /** Records a use of a key with the next commit; the request does not wait for it. */
  #noteUse(keyHash: KeyHash, nowMs: number): void {
    this.#lastUses.noted(keyHash, nowMs);
    this.#database.write('noteUse', [keyHash, nowMs]).catch(() => this.#lastUses.forget(keyHash));
  }
}
