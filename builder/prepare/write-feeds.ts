import { counted } from '../../shards/number-words.ts';
import type { LeftOutFeed } from '../../shards/release/manifest.ts';
import type { Bytes } from '../../shards/units.ts';
import { isoDate } from '../gtfs/service-time.ts';
import type { WheelchairUnknown } from '../routing-parameters.ts';
import type { DatedFeeds } from '../transit/date-feeds.ts';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { prepareByJobs } from './prepare-by-jobs.ts';
import { feedResultSchema, type PreparedFeed } from './read-feeds.ts';

/** Memory assumed for reading a large feed, of which only the trips of its day are held. */
const FEED_BYTES: Bytes = 200e6;

/** Feeds that are read, and those that turned out to be unusable, by path. */
interface WrittenFeeds {
  readonly prepared: readonly PreparedFeed[];
  readonly unusable: ReadonlyMap<string, LeftOutFeed>;
}

/**
 * Reads feeds for their days once for all units, each by a job, and puts the service of each into
 * the store; with `unknown`, also what riders without steps may use.
 */
export async function writeFeeds(
  { clock, feeds }: DatedFeeds,
  preparation: PreparationByJobs,
  unknown?: WheelchairUnknown,
): Promise<WrittenFeeds> {
  const jobs = feeds.map(({ path: file, ...feed }): PreparationJob => {
    return {
      spec: { kind: 'feed', ...feed, clock, ...(unknown && { wheelchair_unknown: unknown }) },
      paths: [file],
      memory: FEED_BYTES,
      work: 1,
    };
  });
  const stage = preparation.progress.start('transit', jobs.length, 'feeds');
  const read = await prepareByJobs(jobs, feedResultSchema, preparation, stage);
  const prepared: PreparedFeed[] = [];
  const unusable = new Map<string, LeftOutFeed>();
  for (const [i, feed] of read.entries()) {
    if ('feedDay' in feed) prepared.push(feed);
    else unusable.set(feeds[i].path, feed);
  }
  const trips = prepared.reduce((sum, { facts }) => sum + facts.trips_in_window, 0);
  stage.finish(
    `${counted(prepared.length, 'feed')}, ${counted(trips, 'trip')} in the window of ${isoDate(clock.common)}`,
  );
  return { prepared, unusable };
}
