import type { PreparationJobContext } from './preparation.ts';
import type { JobSpec } from './preparation-job.ts';
import { prepareFeed } from './prepare-feed.ts';
import { prepareHeights } from './prepare-heights.ts';
import { prepareOsmBatch } from './prepare-osm-batch.ts';

/** Runs a job; returns the value of its receipt. Throws a `BuildError` for bad input. */
export async function runPreparationJob(
  spec: JobSpec,
  paths: readonly string[],
  context: PreparationJobContext,
): Promise<unknown> {
  switch (spec.kind) {
    case 'osm':
      return prepareOsmBatch(paths, spec, context);
    case 'elevation':
      return prepareHeights(paths, spec, context);
    case 'feed':
      return prepareFeed(paths[0], spec, context);
  }
}
