import { groupBy } from '../../shards/arrays/group-by.ts';
import type { ClassesRequest } from '../access/build-access-classes.ts';
import type { Resources } from '../build-request.ts';
import { fitJoin } from '../memory-budget.ts';
import { requireThisProgram } from '../plan/program-version.ts';
import type { ReleasePlan, StoredPlan } from '../plan/release-plan.ts';
import type { StageContext } from '../receipts/receipts.ts';
import type { RegionReceipt } from '../receipts/region-receipt.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { drawTiles } from '../tiles/draw-tiles.ts';
import { hasArchives } from '../tiles/join-archives.ts';
import type { TransitLines } from '../tiles/map-sources.ts';
import { bytesToDraw } from '../tiles/tile-drawer.ts';
import { type TileWork, tileWorkOf } from '../tiles/tile-work.ts';
import type { Part, PartOptions } from './join-part.ts';
import { joinRegions } from './join-regions.ts';
import type { States } from './state-objects.ts';

/** Returns what the tiles of a release are drawn from, by its regions. */
export function tilesOfRelease(
  stored: StoredPlan,
  receipts: readonly RegionReceipt[],
  parts: readonly Part[],
  states: States,
): TileWork {
  requireThisProgram(stored);
  const { plan } = stored;
  const { sources, regions, counties } = joinRegions(stored, receipts);
  const joined = new Map(parts.flatMap((part) => Object.entries(part.counties)));
  const drawn = Array.from(counties, ([county, { searched }]) => {
    const { index, nearest, blocks } = searched.objects;
    const { catchment } = joined.get(county)!;
    const { block_box } = searched;
    return [county, { block_box, objects: { index, nearest, blocks, catchment } }];
  });
  const placesOf = Object.entries(states).map(([state, { objects }]) => [state, objects.places]);
  const agencies = [...new Set((sources.transit?.feeds ?? []).map(({ agency }) => agency))];
  const request = {
    modes: plan.modes,
    taxonomy: plan.taxonomy,
    counties: Object.fromEntries(drawn),
    poiSources: [...agencies, ...plan.inputs.pois.map(({ name }) => `POI list ${name}`).sort()],
    baseMap: { features: plan.osm.map, places: Object.fromEntries(placesOf) },
    ...(plan.service_date !== null && { lines: { agencies, feeds: linesOf(plan) } }),
  };
  return tileWorkOf(
    request,
    regions.map((region) => Object.keys(region.counties)),
  );
}

function linesOf({ feeds, windows }: ReleasePlan): TransitLines['feeds'] {
  const read = [...feeds, ...windows.flatMap((window) => window.feeds)];
  return [...groupBy(read, ({ facts }) => facts.sha256).values()].map((ofFeed) => {
    const areas = ofFeed.flatMap(({ lines }) => lines ?? []);
    return [...new Map(areas.map((area) => [area.object.name, area])).values()];
  });
}

/** Returns what the access classes of each unit are made from; empty for a release without them. */
export function classesOfRelease(
  stored: StoredPlan,
  { tiles, directions, access }: PartOptions,
  receipts: readonly RegionReceipt[],
  parts: readonly Part[],
): ClassesRequest[] {
  if (!tiles || access.length === 0) return [];
  const joined = new Map(parts.flatMap((part) => Object.entries(part.counties)));
  const buckets = parts.map((part) => part.buckets!);
  return receipts.map(({ counties }) => {
    const counted = Object.entries(counties).map(([county, { searched }]) => {
      const { index } = searched.objects;
      return [county, { index, access: joined.get(county)!.access! }] as const;
    });
    const { modes } = stored.plan;
    return { modes, directions, access, counties: new Map(counted), buckets };
  });
}

/** Draws the tiles of a unit, unless all archives of the release are in the store. */
export async function drawUnit(
  work: TileWork,
  unit: number,
  resources: Resources,
  context: StageContext,
): Promise<void> {
  if (await hasArchives(work, context.receipts)) return;
  const { pyramids } = work.units[unit];
  const fit = fitJoin(
    resources,
    new Set(pyramids.flatMap((one) => one.counties)).size,
    bytesToDraw(work.request, pyramids),
  );
  context.progress.note(fit.summary);
  await inScratchFolder(resources.scratch, (scratch) =>
    drawTiles(work, unit, { ...context, scratch, threads: fit.tileThreads }),
  );
}
