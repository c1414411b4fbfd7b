import { boxesMeet, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Metres, Millis, Seconds } from '../../shards/units.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { offsetAtNoon, type ServiceDate } from '../gtfs/service-time.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';

/** The clock that all feeds of a release share: that of the one with most trips. */
export interface TransitClock {
  /** The day that the release stands for. */
  readonly common: ServiceDate;
  /** How far it is ahead of UTC. */
  readonly aheadOfUtc: Seconds;
  /** When the first window opens in any zone near, and the last trip from one must have begun. */
  readonly earliest: Millis;
  readonly latest: Millis;
}

const SECOND: Millis = 1000;
const { windowStart, departures, departureStep } = ROUTING.transit;
const WINDOW = departures * departureStep;

/** Nobody gets so far by train in the longest time that is told. */
const FARTHEST_RIDE: Metres = 300_000;

/** `area`: around all who begin. Zones of stops that nobody gets to from there are not waited for. */
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
    latest: Math.max(...opens) + WINDOW + ROUTING.maxReachMinutes * MILLIS_PER_MINUTE,
  };
}

/**
 * How far a zone's clock is behind, both of the common day: eight o'clock in July is eight o'clock
 * beside trains that are read in November.
 */
export function shiftOf(
  { common, aheadOfUtc }: Pick<TransitClock, 'common' | 'aheadOfUtc'>,
  timeZone: string,
): Seconds {
  return aheadOfUtc - offsetAtNoon(timeZone, common);
}

/** When the window opens in a zone, by the clock of all. */
export function opensAt(
  clock: Pick<TransitClock, 'common' | 'aheadOfUtc'>,
  timeZone: string,
): Millis {
  return windowStart + shiftOf(clock, timeZone) * SECOND;
}
