import type { Degrees, Millis } from '../../shards/units.ts';

/** A way into a stop from the streets, and its time inside the station. */
export interface Entrance {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly secondsIn: number;
  readonly secondsOut: number;
  /**
   * The part of `secondsIn` and of `secondsOut` that is assumed: for levels, and for a way inside
   * that no feed describes.
   */
  readonly secondsOfLevels: number;
}

/** A stop or platform that some trip calls at. */
export interface TransitStop {
  readonly agency: string;
  readonly id: string;
  readonly name: string;
  readonly lon: Degrees;
  readonly lat: Degrees;
  /**
   * The id, name and position of the stop's station, or of the stop itself if it has no station.
   */
  readonly station: {
    readonly id: string;
    readonly name: string;
    readonly lon: Degrees;
    readonly lat: Degrees;
  };
  readonly entrances: readonly Entrance[];
  /**
   * When the departure window opens at the stop's location, in milliseconds on the timetable's
   * clock.
   */
  readonly windowStart: Millis;
}
