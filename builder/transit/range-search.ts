import type { Millis } from '../../shards/units.ts';
import type { Timetable } from './timetable.ts';

const NEVER = 0x7fff_ffff;

/** What a search over a range of departures asks for. */
export interface RangeLimits {
  /** Trips begin at so many times, `step` apart. */
  readonly departures: number;
  readonly step: Millis;
  /** From arriving at the first stop, on foot, to the earliest departure one catches there. */
  readonly boardSlack: Millis;
  /** Longest trip, from its beginning to alighting. */
  readonly limit: Millis;
}

/**
 * A search over a range of departures, from the last to the first, and what it finds. Who leaves
 * earlier may wait, so labels are kept from departure to departure: what is found anew for an
 * earlier one is exactly where its arrivals are earlier, and a stop's arrivals over the whole
 * window are a few steps, the events.
 */
export abstract class RangeSearch {
  readonly limits: RangeLimits;
  /** Stops reached by the last run, the first of them as many as it said. */
  readonly reached: Int32Array;
  /**
   * Per stop, `eventCount[s]` steps from `s × departures`: leaving with departure `eventDeparture`
   * or any before it, one arrives at `eventArrival`. Departures descend and arrivals with them.
   */
  readonly eventCount: Int32Array;
  readonly eventDeparture: Uint16Array;
  readonly eventArrival: Int32Array;

  /** Earliest arrival on board a vehicle so far. */
  protected readonly alight: Int32Array;
  protected reachedCount = 0;
  /** Stops that got an earlier arrival for the departure under way. */
  readonly #improved: Int32Array;
  #improvedCount = 0;
  readonly #isImproved: Uint8Array;

  constructor({ stopCount }: Timetable, limits: RangeLimits) {
    this.limits = limits;
    this.reached = new Int32Array(stopCount);
    this.eventCount = new Int32Array(stopCount);
    this.eventDeparture = new Uint16Array(stopCount * limits.departures);
    this.eventArrival = new Int32Array(stopCount * limits.departures);
    this.alight = new Int32Array(stopCount).fill(NEVER);
    this.#improved = new Int32Array(stopCount);
    this.#isImproved = new Uint8Array(stopCount);
  }

  /**
   * Searches from an origin from where one walks to `accessStops` in `accessTimes`, in a window that
   * opens at `windowStart`. Returns how many stops it reached.
   */
  abstract run(accessStops: Int32Array, accessTimes: Int32Array, windowStart: Millis): number;

  protected forgetArrivals(): void {
    for (let i = 0; i < this.reachedCount; i++) {
      const stop = this.reached[i];
      this.alight[stop] = NEVER;
      this.eventCount[stop] = 0;
    }
    this.reachedCount = 0;
  }

  /** Notes an arrival that is earlier than all before it. */
  protected alightAt(stop: number, arrival: Millis): void {
    if (this.alight[stop] === NEVER) this.reached[this.reachedCount++] = stop;
    this.alight[stop] = arrival;
    if (this.#isImproved[stop]) return;
    this.#isImproved[stop] = 1;
    this.#improved[this.#improvedCount++] = stop;
  }

  /** Makes events of what was noted for a departure. */
  protected keepEvents(departure: number): void {
    const { departures } = this.limits;
    for (let i = 0; i < this.#improvedCount; i++) {
      const stop = this.#improved[i];
      this.#isImproved[stop] = 0;
      const at = stop * departures + this.eventCount[stop]++;
      this.eventDeparture[at] = departure;
      this.eventArrival[at] = this.alight[stop];
    }
    this.#improvedCount = 0;
  }
}
