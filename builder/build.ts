import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FORMAT_VERSION } from '../shards/format-version.ts';
import {
  type CountyManifest,
  DIRECTIONS,
  type Direction,
  type Latest,
  type Manifest,
} from '../shards/manifest.ts';
import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import type { BuildRequest } from './build-request.ts';
import { readPlaces } from './census/places.ts';
import { type CountyScope, scopeCounties } from './county/county-scope.ts';
import { findSearched, searchCounties } from './county/search-counties.ts';
import { transposePois, transposeReach } from './county/transpose-region.ts';
import { TAXONOMY_VERSION } from './destinations/taxonomy.ts';
import { planBuild } from './plan.ts';
import type { Progress } from './progress.ts';
import { publishManifest } from './publish/publish.ts';
import { putObject } from './publish/put-object.ts';
import { Receipts } from './receipts/receipts.ts';
import { buildWorld } from './region/build-world.ts';
import { boxAround, readRegion } from './region/read-region.ts';
import { components } from './release/components.ts';
import { countyMap } from './release/county-map.ts';
import { boxOfPlaces, homesByCounty, putDestIds } from './release/poi-homes.ts';
import { poiMap } from './release/poi-map.ts';
import { releaseTaxonomy } from './release/release-taxonomy.ts';
import { putStates } from './release/state-objects.ts';
import { assumptions } from './routing-parameters.ts';
import { drawTiles } from './tiles/draw-tiles.ts';

export type { BuildRequest } from './build-request.ts';

export interface BuildResult {
  readonly latest: Latest;
  readonly manifest: Manifest;
  /** Counties that were searched; the others' objects were there already. */
  readonly searched: readonly CountyFips[];
  /** Rows of all POI matrices, and the bytes of those objects. */
  readonly poiRows: number;
  readonly poiBytes: number;
}

/**
 * Builds a release from open data and publishes it. Stages leave receipts in the store, so a build
 * that was broken off goes on where it was, and one of changed inputs does what they changed.
 * Nothing is published unless all of it was built: `latest.json` is swapped last.
 */
export async function buildRelease(
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
): Promise<BuildResult> {
  const scratch = await openScratch(request.scratch);
  try {
    return await buildIn(scratch, request, store, progress);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function openScratch(folder: string | undefined): Promise<string> {
  if (folder === undefined) return mkdtemp(path.join(tmpdir(), 'tta-build-'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

async function buildIn(
  scratch: string,
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
): Promise<BuildResult> {
  const region = await readRegion(request, progress);
  const taxonomy = releaseTaxonomy(region);
  const directions = DIRECTIONS.filter((one) => request.directions?.includes(one) ?? true);
  const linked = buildWorld(region, taxonomy, progress);
  const censusPlaces = await readPlaces(request.places ?? [], boxAround(linked.blocks));
  const scopes = scopeCounties(linked);
  const receipts = new Receipts(store);
  const stage = { linked, scopes, store, receipts, scratch, progress };

  const found = await findSearched(linked, scopes, receipts);
  const toSearch = found.missing.map(({ scope }) => scope);
  const { summary, threads, transposeMemory: memory } = planBuild(request, linked, toSearch);
  progress.note(summary);

  const searched = await searchCounties({ ...stage, found, threads });
  const transposing = { ...stage, searched, threads, memory };
  const placesInScope = new Set(scopes.flatMap(({ places }) => [...places]));
  const homes = homesByCounty(region.destinations, placesInScope, linked.blocks);
  const reachTo = directions.includes('to') ? await transposeReach(transposing) : null;
  const catchments = await transposePois(transposing, homes);

  const counties: Record<CountyFips, CountyManifest> = {};
  for (const [county, { poi_rows, reach_rows, objects, ...facts }] of searched) {
    const places = homes.get(county) ?? [];
    counties[county] = {
      ...facts,
      poi_box: boxOfPlaces(places),
      reach: reachOf(scopes, county, directions),
      objects: {
        ...objects,
        ...(reachTo && { 'reach-to': reachTo.get(county)! }),
        catchment: catchments.get(county)!,
        'poi-map': await putObject(store, `poi-map/${county}`, 'fgb', poiMap(county, places)),
      },
    };
  }
  const modes = [...linked.modes];
  const types = { version: TAXONOMY_VERSION, types: [...taxonomy.types] };
  const outlined = [...searched].map(([county, { population, objects }]) => ({
    county,
    population,
    blocks: objects.blocks,
  }));
  const manifest: Manifest = {
    format: FORMAT_VERSION,
    release: request.release,
    modes,
    directions,
    components: await components(request, region),
    assumptions: assumptions(region.transit, directions),
    taxonomy: types,
    feeds: [...(region.transit?.feeds ?? [])],
    counties,
    states: await putStates(store, censusPlaces, linked.blocks),
    objects: {
      'dest-ids': await putDestIds(store, homes),
      'county-map': await putObject(
        store,
        'county-map/all',
        'fgb',
        await countyMap(store, outlined),
      ),
    },
    tiles:
      request.tiles === false ? {} : await drawTiles({ modes, taxonomy: types, counties }, stage),
  };
  const latest = await publishManifest(store, manifest, new Date());
  return {
    latest,
    manifest,
    searched: toSearch.map(({ county }) => county),
    poiRows: [...searched.values()].reduce((sum, { poi_rows }) => sum + poi_rows, 0),
    poiBytes: [...searched.values()].reduce((sum, { objects }) => sum + objects.pois.bytes, 0),
  };
}

/** Which counties a county's rows lead to, and come from. */
function reachOf(
  scopes: readonly CountyScope[],
  county: CountyFips,
  directions: readonly Direction[],
) {
  const reaching = scopes.filter(({ reach }) => reach.includes(county));
  return {
    from: [...scopes.find((scope) => scope.county === county)!.reach],
    to: directions.includes('to') ? reaching.map((scope) => scope.county) : [],
  };
}
