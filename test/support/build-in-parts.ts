import { buildRegion } from '../../builder/build-region.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { joinRelease, publishRelease } from '../../builder/join/join-release.ts';
import { silent } from '../../builder/progress.ts';
import { planRelease } from '../../builder/tasks/plan-release.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';

/**
 * Builds and publishes a release whose counties are divided into regions, one per part, which are
 * then joined.
 */
export async function buildInParts(
  request: BuildRequest,
  parts: readonly (readonly CountyFips[])[],
  store: WritableStore,
): Promise<Manifest> {
  const { pathOf, ...plan } = await planRelease(request, store, silent);
  const regions = [];
  for (const counties of parts) {
    regions.push(
      (await buildRegion({ ...request, plan, pathOf, counties }, store, silent)).receipt,
    );
  }
  const manifest = await joinRelease({ ...request, plan, batchBlocks: 1 }, regions, store, silent);
  await publishRelease(store, manifest);
  return manifest;
}
