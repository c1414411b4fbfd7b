import type { Millis, Seconds } from '../../shards/units.ts';
import type { Feed } from '../gtfs/feed.ts';
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

export function clockOf(feeds: readonly Feed[], common: ServiceDate): TransitClock {
  const size = (feed: Feed) => [...feed.tripsOfService.values()].reduce((a, b) => a + b, 0);
  const largest = feeds.reduce((best, feed) => (size(feed) > size(best) ? feed : best));
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
