import { StoreError } from '../errors.ts';
import type { Millis } from '../units.ts';
import type { Lock } from './store.ts';

/**
 * A lock that its owner has not renewed for this long may be taken over, if the owner cannot be
 * seen. A build may block its event loop for seconds at a time, but never for a minute.
 */
export const LOCK_LAPSES_MS: Millis = 60_000;
/** Renewals of a lock in the time in which it lapses: some may fail. */
export const RENEWALS = 6;

/** An acquired lock, which may be lost; or its current holder, as text. */
export type TakenLock = HeldLock | { readonly taken: false; readonly owner: string };

export interface HeldLock {
  readonly taken: true;
  /**
   * Whether the lock is still held. If it was not renewed in time, it is renewed now, which
   * succeeds only if it was not taken over meanwhile.
   */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export class HeldLocks {
  readonly #locks = new Map<HeldLock, string>();
  readonly lapsesMs: Millis;

  constructor(lapsesMs: Millis) {
    this.lapsesMs = lapsesMs;
  }

  /** Keeps a lock until it is released; `name` is its name in errors. */
  keep(name: string, lock: TakenLock): Lock {
    if (!lock.taken) return lock;
    this.#locks.set(lock, name);
    const release = () => {
      this.#locks.delete(lock);
      return lock.release();
    };
    return { taken: true, release };
  }

  /** Rejects with `conflict` if a lock was lost: another writer may be doing what it protected. */
  async require(): Promise<void> {
    for (const [lock, name] of this.#locks) {
      if (await lock.isHeld()) continue;
      const problem = `this lock was not renewed for ${this.lapsesMs / 1000} s and another process took it, so nothing more is written; run again when they are done`;
      throw new StoreError('conflict', name, problem);
    }
  }
}
