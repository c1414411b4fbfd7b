import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import { buildRegion } from './build-region.ts';
import type { BuildRequest } from './build-request.ts';
import { type JoinResult, joinRelease } from './join-release.ts';
import type { Progress } from './progress.ts';

export type { BuildRequest } from './build-request.ts';

export interface BuildResult extends JoinResult {
  /** Counties that were searched; the others' objects were there already. */
  readonly searched: readonly CountyFips[];
  /** Rows of all POI matrices, and the bytes of those objects. */
  readonly poiRows: number;
  readonly poiBytes: number;
}

/** Builds a release of one region from open data, and publishes it. */
export async function buildRelease(
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
): Promise<BuildResult> {
  const { receipt, searched } = await buildRegion(request, store, progress);
  const joined = await joinRelease(request, [receipt], store, progress);
  const counties = Object.values(receipt.counties).map((county) => county.searched);
  return {
    ...joined,
    searched,
    poiRows: counties.reduce((sum, { poi_rows }) => sum + poi_rows, 0),
    poiBytes: counties.reduce((sum, { objects }) => sum + objects.pois.bytes, 0),
  };
}
