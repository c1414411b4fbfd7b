import type { Millis, Seconds } from '../../shards/units.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { offsetAtNoon, type ServiceDate } from '../gtfs/service-time.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';

/** The clock that all feeds of a release share: that of the one with most trips. */
export interface TransitClock {
  /** The day that the release stands for. */
  readonly common: ServiceDate;
  /** How far it is ahead of UTC. */
  readonly aheadOfUtc: Seconds;
  /** When the first window opens in any feed's zone, and the last trip from one must have begun. */
  readonly earliest: Millis;
  readonly latest: Millis;
}

const SECOND: Millis = 1000;
const { windowStart, departures, departureStep } = ROUTING.transit;
const WINDOW = departures * departureStep;

export function clockOf(feeds: readonly FeedOutline[], common: ServiceDate): TransitClock {
  const largest = feeds.reduce((best, feed) => (feed.trips > best.trips ? feed : best));
  const clock = { common, aheadOfUtc: offsetAtNoon(largest.timeZone, common) };
  const opens = feeds.map(({ timeZone }) => windowStart + shiftOf(clock, timeZone) * SECOND);
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
