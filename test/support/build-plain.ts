import { type BuildResult, buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { silent } from '../../builder/progress.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/** Builds as tests do unless they say otherwise: of all counties, without tiles, in silence. */
export function buildPlain(
  request: Pick<BuildRequest, 'osm' | 'blocks'> & Partial<BuildRequest>,
  store: WritableStore,
): Promise<BuildResult> {
  return buildRelease({ counties: [], release: 'x', tiles: false, ...request }, store, silent);
}
