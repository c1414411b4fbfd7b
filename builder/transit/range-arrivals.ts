import type { Millis, StopOrdinal } from '../../shards/units.ts';

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

/** Who is told what a search from several origins at a time finds. */
export interface ArrivalListener {
  /**
   * Who sets out from a lane's origin with any departure from `first` to `last` alights at a stop at
   * `arrival`, and not before. Of one stop it is told in the order of arrivals.
   */
  arrive(stop: StopOrdinal, lane: number, arrival: Millis, first: number, last: number): void;
}
