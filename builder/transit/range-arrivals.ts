import type { Millis, StopOrdinal } from '../../shards/units.ts';

/** Parameters of a search over a range of departures. */
export interface RangeLimits {
  /** Number of times at which trips begin, `step` apart. */
  readonly departures: number;
  readonly step: Millis;
  /**
   * Time from reaching the first stop on foot to the earliest departure that can be caught there.
   */
  readonly boardSlack: Millis;
  /** Longest trip, from its beginning to alighting. */
  readonly limit: Millis;
}

/** Receives the results of a search from several origins at a time. */
export interface ArrivalListener {
  /**
   * Reports that riders who leave a lane's origin with any departure from `first` to `last`,
   * inclusive, alight at a stop at `arrival`, and no earlier. Calls for one stop come in order of
   * arrival.
   */
  arrive(stop: StopOrdinal, lane: number, arrival: Millis, first: number, last: number): void;
}
