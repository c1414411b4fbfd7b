import type { WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { BuildRequest } from '../build-request.ts';
import { type BuildPlan, planBuild } from '../plan.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { LinkedRegion } from '../region/build-world.ts';
import { openSearchPool } from '../workers/search-pool.ts';
import { countyDigest } from './county-digest.ts';
import type { CountyScope } from './county-scope.ts';
import { type SearchedCounty, searchCounty, searchedCountySchema } from './search-county.ts';

export interface SearchContext {
  readonly request: BuildRequest;
  readonly linked: LinkedRegion;
  readonly scopes: readonly CountyScope[];
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly scratch: string;
  readonly progress: Progress;
}

/** Searches the counties that have not been searched yet, and takes the others over. */
export async function searchCounties({
  request,
  linked,
  scopes,
  store,
  receipts,
  scratch,
  progress,
}: SearchContext): Promise<{
  counties: ReadonlyMap<CountyFips, SearchedCounty>;
  made: readonly CountyFips[];
  plan: BuildPlan;
}> {
  const kept = new Map<CountyFips, SearchedCounty>();
  const missing: { scope: CountyScope; key: string }[] = [];
  for (const scope of scopes) {
    const key = countyDigest(linked, scope);
    const receipt = await receipts.find(`search-${scope.county}`, key, searchedCountySchema);
    if (receipt) kept.set(scope.county, receipt);
    else missing.push({ scope, key });
  }
  const toSearch = missing.map(({ scope }) => scope);
  const plan = planBuild(request, linked, toSearch);
  progress.note(plan.summary);

  const total = toSearch.reduce((sum, scope) => sum + scope.endBlock - scope.firstBlock, 0);
  const stage = progress.start('search', total, 'blocks');
  const pool = openSearchPool(linked.world, missing.length === 0 ? 1 : plan.threads);
  let done = 0;
  try {
    for (const { scope, key } of missing) {
      const county = await searchCounty(linked, scope, pool, store, scratch, (blocks) =>
        stage.at(done + blocks),
      );
      await receipts.keep(`search-${scope.county}`, key, county);
      kept.set(scope.county, county);
      done += scope.endBlock - scope.firstBlock;
    }
  } finally {
    await pool.close();
  }
  const counties = new Map(scopes.map(({ county }) => [county, kept.get(county)!]));
  stage.finish(describe([...counties.values()], scopes.length - missing.length));
  return { counties, made: toSearch.map(({ county }) => county), plan };
}

function describe(counties: readonly SearchedCounty[], takenOver: number): string {
  const sum = (of: (county: SearchedCounty) => number) => counties.reduce((s, c) => s + of(c), 0);
  const perRow = (bytes: number, rows: number) => (bytes / Math.max(1, rows)).toFixed(2);
  const [pois, reach] = [sum((c) => c.poi_rows), sum((c) => c.reach_rows)];
  const poiBytes = perRow(
    sum((c) => c.objects.pois.bytes),
    pois,
  );
  const reachBytes = perRow(
    sum((c) => c.objects['reach-from'].bytes),
    reach,
  );
  const kept = takenOver > 0 ? `; ${takenOver} counties had been searched before` : '';
  return `${pois} POI rows of ${poiBytes} bytes, ${reach} reach rows of ${reachBytes} bytes${kept}`;
}
