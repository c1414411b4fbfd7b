import { z } from 'zod';
import { counted, withCommas } from '../number-words.ts';
import type { FeedFacts, Manifest } from './manifest.ts';

export const statedFeedSchema = z.object({
  file: z.string(),
  publisher: z.string().nullable(),
  licence: z.string().nullable().meta({ description: 'Null where none is known.' }),
  service_date: z.iso.date().nullable().meta({ description: 'The day whose service was read.' }),
  trips: z.int().nullable().meta({ description: 'Trips on that day.' }),
  status: z.enum(['used', 'left-out', 'empty-in-window']),
  reason: z.string().nullable().meta({
    description: 'Why the feed is left out, or has less service than expected.',
  }),
});
type StatedFeed = Readonly<z.infer<typeof statedFeedSchema>>;

export function licenceInWords(licence: string | null): string {
  return licence ?? 'none stated';
}

/** The use of a feed in a release, and the reason if it has less service than expected. */
interface FeedState {
  readonly status: Exclude<StatedFeed['status'], 'left-out'>;
  readonly reason: string | null;
}

/** A service day with a smaller share of the trips of the feed's best such days is odd. */
const MIN_SHARE = 1 / 2;

export function feedState(feed: FeedFacts): FeedState {
  const { service_date, trips_in_window, best_weekday_trips: best } = feed;
  const trips = tripsOn(feed);
  const onDay = `${trips === 0 ? 'no trips' : counted(trips, 'trip')} on ${service_date}`;
  if (trips_in_window === 0) {
    const reason = trips === 0 ? `has ${onDay}` : `none of its ${onDay} runs in the window`;
    return { status: 'empty-in-window', reason };
  }
  const isOdd = trips < MIN_SHARE * best;
  const reason = isOdd ? `has ${onDay}, but ${withCommas(best)} on its best days` : null;
  return { status: 'used', reason };
}

function tripsOn({ weekday_patterns: [own] }: FeedFacts): number {
  return own?.trips ?? 0;
}

/** Lists the feeds that were given for a release, used or not, by file. */
export function statedFeeds({
  feeds,
  feeds_left_out,
}: Pick<Manifest, 'feeds' | 'feeds_left_out'>): StatedFeed[] {
  const used = feeds.map((feed): StatedFeed => {
    const { file, publisher, agency, licence, service_date } = feed;
    const stated = { file, publisher: publisher ?? agency, licence };
    return { ...stated, service_date, trips: tripsOn(feed), ...feedState(feed) };
  });
  const others = feeds_left_out.map(
    ({ file, publisher, licence, reason }): StatedFeed => ({
      file,
      publisher,
      licence,
      service_date: null,
      trips: null,
      status: 'left-out',
      reason,
    }),
  );
  return [...used, ...others].sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)));
}
