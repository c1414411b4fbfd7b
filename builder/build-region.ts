import { createHash } from 'node:crypto';
import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import type { RegionRequest } from './build-request.ts';
import { readCensusPlaces } from './census/census-places.ts';
import { scopeCounties } from './county/county-scope.ts';
import { findSearched, searchCounties } from './county/search-counties.ts';
import { TAXONOMY_VERSION } from './destinations/taxonomy.ts';
import { fingerprint } from './inputs/fingerprint.ts';
import { planSearch } from './plan.ts';
import type { Progress } from './progress.ts';
import { putObject } from './publish/put-object.ts';
import { encodeGathered } from './receipts/gathered.ts';
import { Receipts } from './receipts/receipts.ts';
import type { RegionReceipt } from './receipts/region-receipt.ts';
import { linkRegion } from './region/link-region.ts';
import { boxAround, readRegion } from './region/read-region.ts';
import { taxonomyOf } from './region/taxonomy-of.ts';
import { inScratchFolder } from './scratch-folder.ts';

export interface RegionResult {
  readonly receipt: RegionReceipt;
  /** Counties that were searched; the others' objects were there already. */
  readonly searched: readonly CountyFips[];
}

/**
 * Builds the objects of some counties that say where one gets from them: among all blocks given,
 * and to all destinations, however far they lie beyond. They are final: whatever other regions a release
 * is joined of, these stay as they are. Counties leave receipts in the store, so a build that was
 * broken off goes on where it was, and one of changed inputs does what they changed; so does the
 * region as a whole, for who joins it.
 */
export function buildRegion(
  request: RegionRequest,
  store: WritableStore,
  progress: Progress,
): Promise<RegionResult> {
  return inScratchFolder(request.scratch, async (scratch) => {
    const region = await readRegion(request, progress);
    const taxonomy = taxonomyOf(region);
    const linked = linkRegion(region, taxonomy, progress);
    const own = boxAround([...region.counties.values()].flat());
    const censusPlaces = await readCensusPlaces(request.places ?? [], own);
    const scopes = scopeCounties(linked);
    const receipts = new Receipts(store);
    const found = await findSearched(linked, scopes, receipts);
    const toSearch = found.missing.map(({ scope }) => scope);
    const { threads, summary } = planSearch(request, linked, toSearch);
    progress.note(summary);
    const stage = { linked, scopes, found, threads, store, receipts, scratch, progress };
    const counties = await searchCounties(stage);

    const inScope = new Set(scopes.flatMap(({ destinations }) => [...destinations]));
    const gathered = encodeGathered({
      destinations: region.destinations.filter((_, ordinal) => inScope.has(ordinal)),
      censusPlaces,
    });
    const [first] = region.counties.keys();
    const receipt: RegionReceipt = {
      modes: [...linked.modes],
      taxonomy: { version: TAXONOMY_VERSION, types: [...taxonomy.types] },
      sources: {
        osm: await fingerprints(request.osm),
        blocks: await fingerprints(request.blocks),
        listed: await fingerprints(request.pois ?? []),
      },
      streets_as_of_ms: region.streetsAsOfMs,
      listed_types: [...region.listedTypes].sort((a, b) => a - b),
      transit: region.transit?.serviceDate
        ? { service_date: region.transit.serviceDate, feeds: [...region.transit.feeds] }
        : null,
      counties: Object.fromEntries(
        scopes.map(({ county, reach }) => [
          county,
          { searched: counties.get(county)!, reach: [...reach] },
        ]),
      ),
      gathered: await putObject(store, `regions/${first}`, 'json', gathered),
    };
    const key = createHash('sha256').update(JSON.stringify(receipt)).digest('hex');
    await receipts.keep(`region-${first}`, key, receipt);
    return { receipt, searched: toSearch.map(({ county }) => county) };
  });
}

function fingerprints(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => fingerprint([path])));
}
