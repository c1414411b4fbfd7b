import path from 'node:path';
import { counted } from '../../shards/number-words.ts';
import type { Bytes } from '../../shards/units.ts';
import { isoDate } from '../gtfs/service-time.ts';
import type { DatedFeeds } from '../transit/date-feeds.ts';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { prepareByJobs } from './prepare-by-jobs.ts';
import { type PreparedFeed, preparedFeedSchema } from './read-feeds.ts';

/** Memory assumed for reading a large feed, of which only the trips of its day are held. */
const FEED_BYTES: Bytes = 200e6;

/**
 * Reads feeds for their days once for all units, each by a job, and puts the service of each into
 * the store. Feeds that are left out are absent from the result. Throws a `BuildError` for an
 * unusable feed.
 */
export async function writeFeeds(
  { clock, feeds }: DatedFeeds,
  preparation: PreparationByJobs,
): Promise<PreparedFeed[]> {
  const jobs = feeds.flatMap(({ day, path: file, ...feed }): PreparationJob[] => {
    if (day === null) return [];
    return [
      {
        spec: { kind: 'feed', day, ...feed, clock },
        paths: [file],
        key: preparation.keyOf([clock, day, feed.sha256, feed.patterns, path.basename(file)]),
        memory: FEED_BYTES,
        work: 1,
      },
    ];
  });
  const stage = preparation.progress.start('transit', jobs.length, 'feeds');
  const prepared = await prepareByJobs(jobs, preparedFeedSchema, preparation, stage);
  const trips = prepared.reduce((sum, { facts }) => sum + facts.trips_in_window, 0);
  stage.finish(
    `${counted(prepared.length, 'feed')}, ${counted(trips, 'trip')} in the window of ${isoDate(clock.common)}`,
  );
  return prepared;
}
