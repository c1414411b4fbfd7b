import { makeAccessClasses, readAccessClasses } from '../../builder/access/build-access-classes.ts';
import { buildRegion } from '../../builder/build-region.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { joinPart, type Part } from '../../builder/join/join-part.ts';
import { joinRelease, partOptionsOf, publishRelease } from '../../builder/join/join-release.ts';
import { classesOfRelease, drawUnit, tilesOfRelease } from '../../builder/join/release-tiles.ts';
import { makeStates } from '../../builder/join/state-objects.ts';
import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import type { RegionReceipt } from '../../builder/receipts/region-receipt.ts';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import { planRelease } from '../../builder/tasks/plan-release.ts';
import {
  joinArchives,
  readArchives,
  type TileArchives,
} from '../../builder/tiles/join-archives.ts';
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
  const plan = await planRelease(request, store, silent);
  const regions = [];
  for (const counties of parts) {
    regions.push((await buildRegion({ ...request, plan, counties }, store, silent)).receipt);
  }
  const manifest = await joinInParts({ ...request, plan }, regions, store);
  await publishRelease(store, manifest);
  return manifest;
}

/** Joins regions into a release, each of them as a part of its own. */
export async function joinInParts(
  request: Parameters<typeof joinRelease>[0],
  regions: readonly RegionReceipt[],
  store: WritableStore,
): Promise<Manifest> {
  const receipts = new Receipts(store);
  const parts: Part[] = [];
  for (const region of regions) {
    const counties = Object.keys(region.counties).sort();
    const part = { ...request, ...partOptionsOf(request), counties };
    parts.push(await joinPart(part, regions, store, silent, receipts));
  }
  const places = parts.map((part) => part.places);
  const states = await makeStates(store, places, receipts);
  const tiles = request.tiles === false ? {} : await draw();
  const counted = classesOfRelease(request.plan, partOptionsOf(request), regions, parts);
  for (const unit of counted) await makeAccessClasses(unit, { store, receipts, progress: silent });
  const classes = (await readAccessClasses(counted, receipts))!;
  return joinRelease(request, { regions, parts, states, tiles, classes }, store, silent, receipts);

  async function draw(): Promise<TileArchives> {
    const work = tilesOfRelease(request.plan, regions, parts, states);
    for (const unit of work.units.keys()) {
      await drawUnit(work, unit, request, { store, receipts, progress: silent });
    }
    for (const group of work.groups.keys()) {
      const join = (scratch: string) => joinArchives(work, group, { store, receipts, scratch });
      await inScratchFolder(request.scratch, join);
    }
    return (await readArchives(work, receipts))!;
  }
}
