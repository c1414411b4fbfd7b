import type { Millis, StopOrdinal } from '../../shards/units.ts';
import { type ArrivalListener, LANES, type RangeLimits } from './lane-search.ts';

/** Each time and its departure are stored as one number: `time << DEPARTURE_BITS | departure`. */
export const DEPARTURE_BITS = 6;
export const DEPARTURE_MASK = (1 << DEPARTURE_BITS) - 1;
/** Longer than any time, with or without a walk. */
export const NO_TIME = 1 << 24;
const NEVER = NO_TIME << DEPARTURE_BITS;

/**
 * Keeps the fastest departures to each stop from each lane's origin, up to the wanted number. If
 * the result for a target is its `wanted`th best time, or one of a lower rank, a stop's other
 * departures cannot change it, since those kept are at least as fast after any walk.
 */
export class FastestDepartures implements ArrivalListener {
  readonly wanted: number;
  readonly #limits: RangeLimits;
  /**
   * The departures to stop `s` from lane `l`'s origin, each with its time, the fastest first, begin
   * at `(s × LANES + l) × wanted`. `NEVER` marks unused places.
   */
  readonly keys: Int32Array;
  /**
   * Stops that are reached from any lane's origin; only the first `stopCount` entries are valid.
   */
  readonly stops: Int32Array;
  stopCount = 0;
  readonly #isReached: Uint8Array;
  #windowStart: Millis = 0;

  constructor(stopCount: number, limits: RangeLimits, wanted: number) {
    if (limits.departures > 1 << DEPARTURE_BITS) throw new Error('too many departures');
    this.wanted = wanted;
    this.#limits = limits;
    this.keys = new Int32Array(stopCount * LANES * wanted).fill(NEVER);
    this.stops = new Int32Array(stopCount);
    this.#isReached = new Uint8Array(stopCount);
  }

  /** Resets the departures for origins whose window opens at `windowStart`. */
  begin(windowStart: Millis): void {
    const width = LANES * this.wanted;
    for (let i = 0; i < this.stopCount; i++) {
      const stop = this.stops[i];
      this.#isReached[stop] = 0;
      this.keys.fill(NEVER, stop * width, (stop + 1) * width);
    }
    this.stopCount = 0;
    this.#windowStart = windowStart;
  }

  arrive(stop: StopOrdinal, lane: number, arrival: Millis, first: number, last: number): void {
    const { step, limit } = this.#limits;
    const keys = this.keys;
    const fastest = (stop * LANES + lane) * this.wanted;
    const slowest = fastest + this.wanted - 1;
    // All these departures arrive at the same time, so each earlier one takes one step longer.
    let time = arrival - (this.#windowStart + last * step);
    if (time > limit) return;
    if (this.#isReached[stop] === 0) {
      this.#isReached[stop] = 1;
      this.stops[this.stopCount++] = stop;
    }
    for (let departure = last; departure >= first; departure--, time += step) {
      const key = (time << DEPARTURE_BITS) | departure;
      if (key >= keys[slowest]) return;
      let at = slowest;
      for (; at > fastest && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
      keys[at] = key;
    }
  }
}
