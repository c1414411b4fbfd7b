import { countNodes } from './count-nodes.ts';
import { prepareOsmBatch } from './osm-batch.ts';
import type { JobMeans } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { prepareFeed } from './prepare-feed.ts';

/** Runs a job on its files; returns what its receipt keeps. Throws a `BuildError` for bad input. */
export async function runPreparationJob(
  job: PreparationJob,
  paths: readonly string[],
  means: JobMeans,
): Promise<unknown> {
  switch (job.kind) {
    case 'osm-nodes':
      return countNodes(paths[0], job, means);
    case 'osm':
      return prepareOsmBatch(paths, job, means);
    case 'feed':
      return prepareFeed(paths[0], job, means);
  }
}
