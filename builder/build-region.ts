import { hashOfJson } from '../shards/codec/json-object.ts';
import { boxOf, edgesOf } from '../shards/geometry/wgs84.ts';
import { furtherWalksOf } from '../shards/modes.ts';
import type { WritableStore } from '../shards/store/store.ts';
import { Taxonomy } from '../shards/taxonomy.ts';
import type { CountyFips } from '../shards/units.ts';
import type { Resources } from './build-request.ts';
import { type CountyScope, scopeCounties } from './county/county-scope.ts';
import { findSearched, searchCounties } from './county/search-counties.ts';
import type { Destination, DestinationFacts } from './destinations/destination.ts';
import { BuildError } from './errors.ts';
import { fitSearch } from './memory-budget.ts';
import { requireThisProgram } from './plan/program-version.ts';
import { type StoredPlan, searchedWindows } from './plan/release-plan.ts';
import { BlockTables } from './prepare/blocks.ts';
import { FeedTables } from './prepare/feeds.ts';
import { heightsAt } from './prepare/heights.ts';
import { placesNear } from './prepare/places.ts';
import { poisWithin } from './prepare/pois.ts';
import { OsmTables } from './prepare/read-osm-cells.ts';
import type { Progress } from './progress.ts';
import { putJson } from './publish/put-object.ts';
import { type ReceiptOf, Receipts } from './receipts/receipts.ts';
import {
  type Gathered,
  type RegionReceipt,
  regionReceiptSchema,
} from './receipts/region-receipt.ts';
import { isLinked, type LinkedRegion, linkRegion } from './region/link-region.ts';
import { boxAround, type RegionInputs, readRegion } from './region/read-region.ts';
import { routingOf } from './routing-parameters.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** A unit of work: some counties of a plan, and the resources available for them. */
interface RegionRequest extends Resources {
  readonly plan: StoredPlan;
  /** The origin counties, ascending. */
  readonly counties: readonly CountyFips[];
}

interface RegionResult {
  readonly receipt: RegionReceipt;
  /** Counties that were searched; the objects of all other counties already existed. */
  readonly searched: readonly CountyFips[];
}

export function regionReceipt(
  { searchPlan }: StoredPlan,
  counties: readonly CountyFips[],
): ReceiptOf<typeof regionReceiptSchema> {
  return [`region-${counties[0]}`, hashOfJson([searchPlan, counties]), regionReceiptSchema];
}

/**
 * Builds the objects that describe trips from some counties of a plan to all given blocks and
 * destinations, even those beyond the counties. These objects are final: they stay the same
 * whatever other regions join the release. Each county leaves a receipt in the store, so an
 * interrupted build resumes where it stopped, and a build with changed inputs redoes only what the
 * changes affect. The region leaves a receipt too, for the join. `receipts`: those in the store, if
 * already listed.
 */
export async function buildRegion(
  request: RegionRequest,
  store: WritableStore,
  progress: Progress,
  receipts = new Receipts(store),
): Promise<RegionResult> {
  const { plan: stored, counties } = request;
  requireThisProgram(stored);
  const kept = await receipts.find(...regionReceipt(stored, counties));
  if (kept) return { receipt: kept, searched: [] };
  return inScratchFolder(request.scratch, async (scratch) => {
    const { plan, searchPlan } = stored;
    const hasHills = plan.inputs.elevation.length > 0;
    const blocks = new BlockTables(store, plan.blocks);
    const osm = new OsmTables(store, plan.osm);
    const rulesOfR5 = new Set(plan.rules_of_r5);
    const routing = routingOf(plan.routing);
    const windows = searchedWindows(plan).map(
      ({ feeds, ...window }) => new FeedTables(store, feeds, window),
    );
    const inputs: RegionInputs = {
      osm,
      blocks,
      poisWithin: (area) => poisWithin(store, plan.pois, area),
      heightsAt: hasHills ? (lon, lat) => heightsAt(store, plan.elevation, lon, lat) : null,
      windows,
      counties,
      rulesOfR5,
      further: furtherWalksOf(plan.modes),
      routing,
    };
    const region = await readRegion(inputs, progress);
    const linked = linkRegion(region, plan.modes, new Taxonomy(plan.taxonomy.types), progress);
    const own = boxAround([...region.counties.values()].flat());
    const censusPlaces = await placesNear(store, plan.places, own);
    const scopes = scopeCounties(linked);
    for (const scope of scopes) requireStreets(linked, scope);
    const found = await findSearched(linked, scopes, receipts);
    const toSearch = found.missing.map(({ scope }) => scope);
    const { threads, summary } = fitSearch(request, linked, toSearch);
    progress.note(summary);
    const stage = { linked, scopes, found, threads, store, receipts, scratch, progress };
    const searched = await searchCounties(stage);

    const inScope = new Set(scopes.flatMap(({ destinations }) => [...destinations]));
    const destinations = region.destinations.filter((_, ordinal) => inScope.has(ordinal));
    const listed = destinations.filter(({ destId }) => region.listed.has(destId));
    const gathered: Gathered = { destinations: destinations.map(factsOf), censusPlaces };
    const receipt: RegionReceipt = {
      plan: searchPlan,
      streets_as_of_ms: region.streetsAsOfMs,
      listed_types: [...new Set(listed.flatMap(({ types }) => types))].sort((a, b) => a - b),
      counties: Object.fromEntries(
        scopes.map(({ county, reach, destinations: ordinals }) => {
          const positions = Array.from(ordinals, (ordinal): [number, number] => {
            const { lon, lat } = region.destinations[ordinal];
            return [lon, lat];
          });
          const poi_box = positions.length > 0 ? edgesOf(boxOf(positions)) : null;
          return [county, { searched: searched.get(county)!, poi_box, reach: [...reach] }];
        }),
      ),
      gathered: await putJson(store, `regions/${counties[0]}`, gathered),
    };
    const [receiptStage, key] = regionReceipt(stored, counties);
    await receipts.keep(receiptStage, key, receipt);
    return { receipt, searched: toSearch.map(({ county }) => county) };
  });
}

/** Throws a `BuildError` for a county with people but without a street, which no extract covers. */
function requireStreets({ region, links }: LinkedRegion, scope: CountyScope): void {
  const { county, firstBlock, endBlock } = scope;
  const hasPeople = region.counties.get(county)!.some(({ population }) => population !== 0);
  if (!hasPeople || links.slice(firstBlock, endBlock).some(isLinked)) return;
  throw new BuildError(
    `county ${county}: no block with people is near a street; give --osm an extract that covers the county, or build without it`,
  );
}

function factsOf({ entrances: _, outline: __, ...facts }: Destination): DestinationFacts {
  return facts;
}
