import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { RATE_WINDOW_SECONDS, rateState } from '../../portal/accounts/rate-state.ts';
import type { RateCounter, Taken } from '../../portal/accounts/rate-window.ts';
import { lruMap } from '../../shards/lru-map.ts';
import type { Millis } from '../../shards/units.ts';

const MAX_SUBJECTS = 100_000;
/** Duration of a lease. A process's figure for the rest of a window is never older than this. */
const LEASE_MS: Millis = 1_000;
/**
 * Fraction of its share of the remaining units that a process leases at a time, so that few units
 * sit unused elsewhere.
 */
const PART_OF_SHARE = 1 / 8;
/** Time within which a process must return units; otherwise it keeps them. */
const RECALL_WITHIN_MS: Millis = 500;

/** Requests of a subject's window that one process may admit without a call to the parent. */
export interface Lease {
  readonly limit: number;
  readonly units: number;
  /** Units left in the window, which are not leased to any process. */
  readonly unleased: number;
  readonly windowEndsMs: Millis;
}

/** Units of a lease that were not used. */
export interface Unused {
  readonly units: number;
  readonly windowEndsMs: Millis;
}

interface Window<Holder> {
  readonly endsMs: Millis;
  unleased: number;
  /** Units leased to each process, which it may not have used yet. */
  readonly held: Map<Holder, number>;
  recalling: Promise<void> | null;
}

/** Requests a subject's unused units back from a process. */
type Recall<Holder> = (holder: Holder, subject: string) => Promise<Unused>;

/**
 * Counts requests for processes that share a limit, in fixed windows that open with a subject's
 * first request. A process leases several requests at a time, so that most need no round trip. A
 * window never leases more than its limit, and before a process is refused, the others return their
 * unused units. So the limit is exact, unless a process dies or hangs while holding a lease: those
 * units then count as used.
 */
export class RateLeases<Holder> {
  readonly #limit: number;
  readonly #part: number;
  readonly #recall: Recall<Holder>;
  readonly #windows = lruMap<string, Window<Holder>>(MAX_SUBJECTS);

  constructor(limit: number, processes: number, recall: Recall<Holder>) {
    this.#limit = limit;
    this.#part = PART_OF_SHARE / processes;
    this.#recall = recall;
  }

  /** Grants a lease to a process, in exchange for the unused units of its previous one. */
  async lease(holder: Holder, subject: string, unused: Unused, nowMs: Millis): Promise<Lease> {
    const window = this.#windowOf(subject, nowMs);
    giveBack(window, holder, unused);
    while (window.recalling) await window.recalling;
    const held = [...window.held.values()].reduce((sum, units) => sum + units, 0);
    if (held > window.unleased) {
      window.recalling = this.#recallAll(window, subject);
      await window.recalling;
      window.recalling = null;
    }
    const part = Math.max(1, Math.floor(window.unleased * this.#part));
    const units = Math.min(window.unleased, part);
    window.unleased -= units;
    if (units > 0) window.held.set(holder, units);
    return { limit: this.#limit, units, unleased: window.unleased, windowEndsMs: window.endsMs };
  }

  #windowOf(subject: string, nowMs: Millis): Window<Holder> {
    const known = this.#windows.get(subject);
    // A window that ends further ahead than its length was opened before the clock was set back.
    const length = RATE_WINDOW_SECONDS * 1_000;
    if (known && nowMs < known.endsMs && known.endsMs <= nowMs + length) return known;
    const unleased = this.#limit;
    const window = { endsMs: nowMs + length, unleased, held: new Map(), recalling: null };
    this.#windows.set(subject, window);
    return window;
  }

  async #recallAll(window: Window<Holder>, subject: string): Promise<void> {
    const none = { units: 0, windowEndsMs: window.endsMs };
    const ask = async (holder: Holder) => {
      const late = new Promise<Unused>((resolve) => {
        setTimeout(resolve, RECALL_WITHIN_MS, none).unref();
      });
      const unused = await Promise.race([this.#recall(holder, subject), late]).catch(() => none);
      giveBack(window, holder, unused);
    };
    await Promise.all(Array.from(window.held.keys(), ask));
  }
}

function giveBack<Holder>(
  window: Window<Holder>,
  holder: Holder,
  { units, windowEndsMs }: Unused,
): void {
  window.held.delete(holder);
  if (windowEndsMs === window.endsMs) window.unleased += units;
}

const NONE: Unused = { units: 0, windowEndsMs: 0 };

/** A lease that is held. */
interface Held extends Omit<Lease, 'units'> {
  readonly sinceMs: Millis;
  /** Whether nothing was left to lease, because the window is used up. */
  readonly isLast: boolean;
  units: number;
}

/** Counts the requests of one process against its leases. */
export class LeasedRates implements RateCounter {
  readonly #ask: (subject: string, unused: Unused) => Promise<Lease>;
  readonly #held = lruMap<string, Held>(MAX_SUBJECTS);
  readonly #asking = new Map<string, Promise<void>>();

  /** `ask` requests a new lease, and hands back the unused units of the previous one. */
  constructor(ask: (subject: string, unused: Unused) => Promise<Lease>) {
    this.#ask = ask;
  }

  take(subject: string, nowMs: Millis): Taken | Promise<Taken> {
    return this.#takeHeld(subject, nowMs) ?? this.#takeLater(subject);
  }

  /** Returns a subject's unused units. */
  giveBack(subject: string): Unused {
    const held = this.#held.get(subject) ?? NONE;
    this.#held.delete(subject);
    return { units: held.units, windowEndsMs: held.windowEndsMs };
  }

  #takeHeld(subject: string, nowMs: Millis): Taken | undefined {
    const held = this.#held.get(subject);
    if (held === undefined || !isGood(held, nowMs)) return undefined;
    const allowed = held.units > 0;
    if (!allowed && !held.isLast) return undefined;
    if (allowed) held.units--;
    const { limit, unleased, units, windowEndsMs } = held;
    const elapsedMs = RATE_WINDOW_SECONDS * 1_000 - (windowEndsMs - nowMs);
    const window = { limit, windowSeconds: RATE_WINDOW_SECONDS };
    return { allowed, rate: rateState(window, limit - unleased - units, elapsedMs) };
  }

  /**
   * Takes a request from a new lease. Requests that arrive while a lease is being requested wait
   * for it too.
   */
  async #takeLater(subject: string): Promise<Taken> {
    for (;;) {
      let asking = this.#asking.get(subject);
      if (asking === undefined) {
        asking = this.#renew(subject).finally(() => this.#asking.delete(subject));
        this.#asking.set(subject, asking);
      }
      await asking;
      const taken = this.#takeHeld(subject, Date.now());
      if (taken !== undefined) return taken;
    }
  }

  async #renew(subject: string): Promise<void> {
    let lease: Lease;
    try {
      lease = await this.#ask(subject, this.giveBack(subject));
    } catch (error) {
      throw new LedgerUnavailable('the process that counts rates has exited', { cause: error });
    }
    const isLast = lease.units === 0;
    this.#held.set(subject, { ...lease, sinceMs: Date.now(), isLast });
  }
}

function isGood({ sinceMs, windowEndsMs }: Held, nowMs: Millis): boolean {
  return sinceMs <= nowMs && nowMs < sinceMs + LEASE_MS && nowMs < windowEndsMs;
}
