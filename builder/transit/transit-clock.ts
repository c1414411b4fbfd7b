import { boxesMeet, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Metres, Millis, Seconds } from '../../shards/units.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { offsetAtNoon, type ServiceDate } from '../gtfs/service-time.ts';
import {
  MILLIS_PER_MINUTE,
  MILLIS_PER_SECOND,
  ROUTING,
  WINDOW_LENGTH,
} from '../routing-parameters.ts';

/** The common clock of all feeds of a release: that of the one with the most trips. */
export interface TransitClock {
  /** The nominal day of the release. */
  readonly common: ServiceDate;
  /** Its offset from UTC. */
  readonly aheadOfUtc: Seconds;
  /**
   * When the first window opens in any nearby zone, and when the last ride of a trip from any
   * window must have begun.
   */
  readonly earliest: Millis;
  readonly latest: Millis;
}

const { windowStart } = ROUTING.transit;

/** No train travels this far within the longest reported time. */
const FARTHEST_RIDE: Metres = 300_000;

/** `area`: around all origins. Zones of stops that cannot be reached from there are ignored. */
export function clockOf(
  feeds: readonly FeedOutline[],
  common: ServiceDate,
  area: BoundingBox,
): TransitClock {
  const largest = feeds.reduce((best, feed) => (feed.trips > best.trips ? feed : best));
  const clock = { common, aheadOfUtc: offsetAtNoon(largest.timeZone, common) };
  const far = bufferBox(area, FARTHEST_RIDE);
  const zones = feeds.flatMap(({ zones }) =>
    [...zones].filter(([, box]) => boxesMeet(box, far)).map(([zone]) => zone),
  );
  const opens = [windowStart, ...Array.from(new Set(zones), (zone) => opensAt(clock, zone))];
  return {
    ...clock,
    earliest: Math.min(...opens),
    latest: Math.max(...opens) + WINDOW_LENGTH + ROUTING.maxReachMinutes * MILLIS_PER_MINUTE,
  };
}

/**
 * How far a zone's clock is behind, both on the common day: eight o'clock in July corresponds to
 * eight o'clock for trains that are read for November.
 */
export function shiftOf(
  { common, aheadOfUtc }: Pick<TransitClock, 'common' | 'aheadOfUtc'>,
  timeZone: string,
): Seconds {
  return aheadOfUtc - offsetAtNoon(timeZone, common);
}

/** When the window opens in a zone, by the common clock. */
export function opensAt(
  clock: Pick<TransitClock, 'common' | 'aheadOfUtc'>,
  timeZone: string,
): Millis {
  return windowStart + shiftOf(clock, timeZone) * MILLIS_PER_SECOND;
}
