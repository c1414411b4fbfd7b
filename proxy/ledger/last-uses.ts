import { lruMap } from '../../shards/lru-map.ts';
import type { KeyHash } from './accounts.ts';

/** Resolution of a key's last use: at most one write per interval. */
const LAST_USE_MS = 60_000;
const MAX_KEYS_KNOWN = 100_000;

/**
 * Times at which this process last recorded each key's use, so that not every request causes a
 * write.
 */
export class LastUses {
  readonly #notedAtMs = lruMap<KeyHash, number>(MAX_KEYS_KNOWN);

  isDue(key: KeyHash, nowMs: number): boolean {
    const noted = this.#notedAtMs.get(key);
    return noted === undefined || Math.abs(nowMs - noted) >= LAST_USE_MS;
  }

  noted(key: KeyHash, nowMs: number): void {
    this.#notedAtMs.set(key, nowMs);
  }

  /** Drops a key whose use could not be recorded, so that its next use is due again. */
  forget(key: KeyHash): void {
    this.#notedAtMs.delete(key);
  }
}
