import { counted } from '../number-words.ts';
import type { FeedFacts, Manifest } from './manifest.ts';

/** The use of a feed in a release, and the reason if it has less service than expected. */
interface FeedState {
  readonly status: 'used' | 'empty-in-window';
  readonly reason: string | null;
}

/** A service day with a smaller share of the trips of the feed's best ordinary weekday is odd. */
const MIN_SHARE = 1 / 2;

/** Judges the service that a release has from a feed. */
export function feedState(feed: FeedFacts): FeedState {
  const { service_date, trips_in_window, best_weekday_trips: best } = feed;
  const trips = tripsOn(feed);
  if (trips_in_window === 0) {
    const reason = `none of its ${counted(trips, 'trip')} on ${service_date} runs in the window`;
    return { status: 'empty-in-window', reason };
  }
  const isOdd = trips < MIN_SHARE * best;
  const reason = isOdd
    ? `only ${counted(trips, 'trip')} run on ${service_date}, but ${best} on its best weekdays; check --service-date, or download a current feed`
    : null;
  return { status: 'used', reason };
}

/** Returns the number of trips of a feed on its service day. */
function tripsOn({ weekday_patterns: [own] }: FeedFacts): number {
  return own?.trips ?? 0;
}

/** A feed of a release, as stated to its users. */
export interface StatedFeed {
  readonly file: string;
  readonly publisher: string | null;
  readonly licence: string | null;
  readonly service_date: string | null;
  readonly trips: number | null;
  readonly status: FeedState['status'] | 'left-out';
  readonly reason: string | null;
}

/** Lists the feeds that were given for a release, used or not, by file. */
export function statedFeeds({
  feeds,
  feeds_left_out,
}: Pick<Manifest, 'feeds' | 'feeds_left_out'>): StatedFeed[] {
  const used = feeds.map((feed): StatedFeed => {
    const { file, publisher, agency, service_date } = feed;
    const stated = { file, publisher: publisher ?? agency, licence: null };
    return { ...stated, service_date, trips: tripsOn(feed), ...feedState(feed) };
  });
  const others = feeds_left_out.map(
    ({ file, publisher, reason }): StatedFeed => ({
      file,
      publisher,
      licence: null,
      service_date: null,
      trips: null,
      status: 'left-out',
      reason,
    }),
  );
  return [...used, ...others].sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)));
}
