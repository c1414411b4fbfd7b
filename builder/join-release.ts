import { FORMAT_VERSION } from '../shards/format-version.ts';
import {
  type CountyManifest,
  DIRECTIONS,
  type Direction,
  type Latest,
  type Manifest,
} from '../shards/manifest.ts';
import type { ObjectRef, WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import type { JoinRequest } from './build-request.ts';
import { planJoin } from './plan.ts';
import type { Progress } from './progress.ts';
import { publishManifest } from './publish/publish.ts';
import { putObject } from './publish/put-object.ts';
import { Receipts } from './receipts/receipts.ts';
import type { RegionCounty, RegionReceipt } from './receipts/region-receipt.ts';
import { components } from './release/components.ts';
import { countyMap } from './release/county-map.ts';
import { boxOfDestinations, findHomes, putDestIds } from './release/homes.ts';
import { joinRegions } from './release/join-regions.ts';
import { poiMap } from './release/poi-map.ts';
import { putStates } from './release/state-objects.ts';
import { transposePois, transposeReach } from './release/transposes.ts';
import { assumptions } from './routing-parameters.ts';
import { inScratchFolder } from './scratch-folder.ts';
import { drawTiles } from './tiles/draw-tiles.ts';

export interface JoinResult {
  readonly latest: Latest;
  readonly manifest: Manifest;
}

/**
 * Makes a release of regions, from what they left in the store and nothing else, and publishes it:
 * what speaks of counties from the other side (catchments, `reach-to`), directories, states, tiles,
 * the manifest. The regions' own objects stay as they are. Nothing is published unless all of it
 * was made: `latest.json` is swapped last.
 */
export function joinRelease(
  request: JoinRequest,
  regions: readonly RegionReceipt[],
  store: WritableStore,
  progress: Progress,
): Promise<JoinResult> {
  return inScratchFolder(request.scratch, async (scratch) => {
    const joined = await joinRegions(store, regions);
    const { modes, taxonomy, sources } = joined;
    const directions = DIRECTIONS.filter((one) => request.directions?.includes(one) ?? true);
    const { threads, transposeMemory: memory, summary } = planJoin(request, joined.counties.size);
    progress.note(summary);

    const receipts = new Receipts(store);
    const transposing = {
      ...{ counties: joined.counties, modes: modes.length, store, receipts, scratch, progress },
      ...{ threads, memory },
    };
    const homes = await findHomes(store, joined.destinations, joined.counties);
    const reachTo = directions.includes('to') ? await transposeReach(transposing) : null;
    const catchments = await transposePois(transposing, homes);

    const counties: Record<CountyFips, CountyManifest> = {};
    const outlined: { county: CountyFips; population: number; blocks: ObjectRef }[] = [];
    for (const [county, { searched }] of joined.counties) {
      const { poi_rows, reach_rows, objects, ...facts } = searched;
      const atHome = homes.destinationsOf.get(county) ?? [];
      counties[county] = {
        ...facts,
        poi_box: boxOfDestinations(atHome),
        reach: reachOf(joined.counties, county, directions),
        objects: {
          ...objects,
          ...(reachTo && { 'reach-to': reachTo.get(county)! }),
          catchment: catchments.get(county)!,
          'poi-map': await putObject(store, `poi-map/${county}`, 'fgb', poiMap(county, atHome)),
        },
      };
      outlined.push({ county, population: facts.population, blocks: objects.blocks });
    }
    const county = await countyMap(store, outlined);
    const manifest: Manifest = {
      format: FORMAT_VERSION,
      release: request.release,
      modes: [...modes],
      directions,
      components: components(sources),
      assumptions: assumptions(sources.transit, directions),
      taxonomy,
      feeds: sources.transit?.feeds ?? [],
      counties,
      states: await putStates(store, joined.censusPlaces, joined.counties),
      objects: {
        'dest-ids': await putDestIds(store, homes),
        'county-map': await putObject(store, 'county-map/all', 'fgb', county),
      },
      tiles:
        request.tiles === false
          ? {}
          : await drawTiles({ modes, taxonomy, counties }, { store, receipts, progress, scratch }),
    };
    return { latest: await publishManifest(store, manifest, new Date()), manifest };
  });
}

/** Which counties a county's rows lead to, and come from. */
function reachOf(
  counties: ReadonlyMap<CountyFips, RegionCounty>,
  county: CountyFips,
  directions: readonly Direction[],
): CountyManifest['reach'] {
  const reaching = [...counties].filter(([, { reach }]) => reach.includes(county));
  return {
    from: [...counties.get(county)!.reach],
    to: directions.includes('to') ? reaching.map(([from]) => from) : [],
  };
}
