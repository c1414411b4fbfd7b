import { LRUCache } from 'lru-cache';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { rateState } from '../../portal/accounts/rate-state.ts';
import type { RateCounter, Taken } from '../../portal/accounts/rate-window.ts';
import type { Millis } from '../../shards/units.ts';

const WINDOW_SECONDS = 60;
const MAX_SUBJECTS = 100_000;
/** A lease is for a moment: so what a process says is left of a window is never older than this. */
const LEASE_MS: Millis = 1_000;
/** A process gets this part of what would be its share of the rest: little lies unused elsewhere. */
const PART_OF_SHARE = 1 / 8;
/** Who does not give back units in time keeps them. */
const RECALL_WITHIN_MS: Millis = 500;

/** Requests of a subject's window that one process may let pass without asking. */
export interface Lease {
  readonly limit: number;
  readonly units: number;
  /** What is left of the window, not leased to anybody. */
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
  /** Units that a process may not have used yet. */
  readonly held: Map<Holder, number>;
  recalling: Promise<void> | null;
}

/** Asks a process for the units of a subject that it has not used. */
type Recall<Holder> = (holder: Holder, subject: string) => Promise<Unused>;

/**
 * Counts requests for processes that share a limit, in fixed windows that open with a subject's first
 * request. A process gets a lease of some, so that it asks for few of its requests. Of a window never
 * more is leased than its limit; and before a process is given none, the others give back what they
 * have not used. So the limit holds exactly, unless a process dies or hangs with a lease in hand: then
 * those units count as used.
 */
export class RateLeases<Holder> {
  readonly #limit: number;
  readonly #part: number;
  readonly #recall: Recall<Holder>;
  readonly #windows = new LRUCache<string, Window<Holder>>({ max: MAX_SUBJECTS });

  constructor(limit: number, processes: number, recall: Recall<Holder>) {
    this.#limit = limit;
    this.#part = PART_OF_SHARE / processes;
    this.#recall = recall;
  }

  /** A lease for a process, which has none any more and gives back what it has not used. */
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
    // One that ends later than a window is long was opened before the clock was set back.
    const length = WINDOW_SECONDS * 1_000;
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

/** A lease in hand. */
interface Held extends Omit<Lease, 'units'> {
  readonly sinceMs: Millis;
  /** Nothing was left to lease: the window is used up. */
  readonly isLast: boolean;
  units: number;
}

/** Counts the requests of one process by the leases that it is given. */
export class LeasedRates implements RateCounter {
  readonly #ask: (subject: string, unused: Unused) => Promise<Lease>;
  readonly #held = new LRUCache<string, Held>({ max: MAX_SUBJECTS });
  readonly #asking = new Map<string, Promise<void>>();

  /** `ask`: for a lease, in place of the last, of which the unused requests are given back. */
  constructor(ask: (subject: string, unused: Unused) => Promise<Lease>) {
    this.#ask = ask;
  }

  take(subject: string, nowMs: Millis): Taken | Promise<Taken> {
    return this.#takeHeld(subject, nowMs) ?? this.#takeLater(subject);
  }

  /** Gives back what is in hand of a subject. */
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
    const elapsedMs = WINDOW_SECONDS * 1_000 - (windowEndsMs - nowMs);
    const window = { limit, windowSeconds: WINDOW_SECONDS };
    return { allowed, rate: rateState(window, limit - unleased - units, elapsedMs) };
  }

  /** Those who come while a lease is asked for wait for it too. */
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
      throw new LedgerUnavailable('the process that counts rates has ended', { cause: error });
    }
    const isLast = lease.units === 0;
    this.#held.set(subject, { ...lease, sinceMs: Date.now(), isLast });
  }
}

function isGood({ sinceMs, windowEndsMs }: Held, nowMs: Millis): boolean {
  return sinceMs <= nowMs && nowMs < sinceMs + LEASE_MS && nowMs < windowEndsMs;
}
