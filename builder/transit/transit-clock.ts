import { boxesMeet, bufferBox } from '../../shards/geometry/wgs84.ts';
import { BASE_WINDOW, type DepartureWindow } from '../../shards/services.ts';
import type { BoundingBox, Metres, Millis, Seconds } from '../../shards/units.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { offsetAtNoon, type ServiceDate } from '../gtfs/service-time.ts';
import {
  MILLIS_PER_MINUTE,
  MILLIS_PER_SECOND,
  ROUTING,
  windowTimes,
} from '../routing-parameters.ts';

/**
 * The common clock of all feeds that are read for a window of departures, which is that of the feed
 * with the most trips.
 */
export interface TransitClock {
  /** The nominal day of the window. */
  readonly common: ServiceDate;
  /** When the window opens, by the local clock, and how long it stays open. */
  readonly opens: Millis;
  readonly length: Millis;
  /** The offset of the clock from UTC on that day. */
  readonly aheadOfUtc: Seconds;
  /**
   * The time when the first window opens in any nearby zone, and the time by which the last ride of
   * a trip from any window must have begun.
   */
  readonly earliest: Millis;
  readonly latest: Millis;
}

/** No train travels this far within the longest reported time. */
export const FARTHEST_RIDE: Metres = 300_000;

/**
 * Chooses the common clock of some feeds. `area` contains all origins; zones of stops that cannot
 * be reached from there are ignored.
 */
export function clockOf(
  feeds: readonly FeedOutline[],
  common: ServiceDate,
  area: BoundingBox,
  window: DepartureWindow = BASE_WINDOW,
): TransitClock {
  const largest = feeds.reduce((best, feed) => (feed.trips > best.trips ? feed : best));
  const { opens, length } = windowTimes(window);
  const clock = { common, opens, length, aheadOfUtc: offsetAtNoon(largest.timeZone, common) };
  const far = bufferBox(area, FARTHEST_RIDE);
  const zones = feeds.flatMap(({ zones }) =>
    [...zones].filter(([, box]) => boxesMeet(box, far)).map(([zone]) => zone),
  );
  const openings = [opens, ...Array.from(new Set(zones), (zone) => opensAt(clock, zone))];
  return {
    ...clock,
    earliest: Math.min(...openings),
    latest: Math.max(...openings) + length + ROUTING.maxReachMinutes * MILLIS_PER_MINUTE,
  };
}

/**
 * Returns how far a zone's clock is behind the common clock, both on the common day, so that eight
 * o'clock in July corresponds to eight o'clock for trains that are read for November.
 */
export function shiftOf(
  { common, aheadOfUtc }: Pick<TransitClock, 'common' | 'aheadOfUtc'>,
  timeZone: string,
): Seconds {
  return aheadOfUtc - offsetAtNoon(timeZone, common);
}

/** Returns when the window opens in a zone, on the common clock. */
export function opensAt(
  clock: Pick<TransitClock, 'common' | 'aheadOfUtc' | 'opens'>,
  timeZone: string,
): Millis {
  return clock.opens + shiftOf(clock, timeZone) * MILLIS_PER_SECOND;
}
