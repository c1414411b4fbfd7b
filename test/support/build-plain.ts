import { type BuildResult, buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { silent } from '../../builder/progress.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/** Builds with the defaults of tests: all counties, no tiles, no output. */
export function buildPlain(
  request: Pick<BuildRequest, 'osm' | 'blocks'> & Partial<BuildRequest>,
  store: WritableStore,
): Promise<BuildResult> {
  return buildRelease({ counties: [], release: 'x', tiles: false, ...request }, store, silent);
}
