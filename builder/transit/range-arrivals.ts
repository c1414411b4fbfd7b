import type { Millis } from '../../shards/units.ts';

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
 * What it finds. Who leaves earlier may wait, so a stop's arrivals over the whole window are a few
 * steps, the events.
 */
export interface RangeArrivals {
  readonly limits: RangeLimits;
  /** Stops that it reached, the first of them as many as it said. */
  readonly reached: Int32Array;
  /**
   * Per stop, `eventCount[s]` steps from `s × departures`: leaving with departure `eventDeparture`
   * or any before it, one arrives at `eventArrival`. Departures descend and arrivals with them.
   */
  readonly eventCount: Int32Array;
  readonly eventDeparture: Uint16Array;
  readonly eventArrival: Int32Array;
}
