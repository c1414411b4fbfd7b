import { createHash } from 'node:crypto';
import { z } from 'zod';
import { counted } from '../../shards/number-words.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { Receipts, StageContext } from '../receipts/receipts.ts';
import { type SearchedCounty, searchedCountySchema } from '../receipts/region-receipt.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import { openSearchPool } from '../search/search-pool.ts';
import { countyDigest } from './county-digest.ts';
import { factsInScope } from './county-results.ts';
import type { CountyScope } from './county-scope.ts';
import { searchCounty, withFacts } from './search-county.ts';

/** A county, the key of its search, and the SHA-256 of the facts of its POIs. */
interface KeyedCounty {
  readonly scope: CountyScope;
  readonly key: string;
  readonly facts: string;
}

/**
 * The counties of a region that have been searched before, those of them whose POIs have other
 * facts by now, and those that have not been searched.
 */
interface FoundCounties {
  readonly kept: ReadonlyMap<CountyFips, SearchedCounty>;
  readonly renamed: readonly (KeyedCounty & { readonly searched: SearchedCounty })[];
  readonly missing: readonly KeyedCounty[];
}

/** The result of a search, and the facts of its POIs, on which no time depends, as SHA-256. */
const receiptSchema = z.strictObject({ facts: z.string(), county: searchedCountySchema });

export async function findSearched(
  linked: LinkedRegion,
  scopes: readonly CountyScope[],
  receipts: Receipts,
): Promise<FoundCounties> {
  const kept = new Map<CountyFips, SearchedCounty>();
  const renamed: (KeyedCounty & { searched: SearchedCounty })[] = [];
  const missing: KeyedCounty[] = [];
  for (const scope of scopes) {
    const key = countyDigest(linked, scope);
    const facts = createHash('sha256').update(factsInScope(linked, scope)).digest('hex');
    const receipt = await receipts.find(stageOf(scope), key, receiptSchema);
    if (!receipt) missing.push({ scope, key, facts });
    else if (receipt.facts === facts) kept.set(scope.county, receipt.county);
    else renamed.push({ scope, key, facts, searched: receipt.county });
  }
  return { kept, renamed, missing };
}

function stageOf({ county }: CountyScope): string {
  return `search-${county}`;
}

interface SearchContext extends StageContext {
  readonly linked: LinkedRegion;
  readonly scopes: readonly CountyScope[];
  readonly found: FoundCounties;
  readonly threads: number;
  readonly scratch: string;
}

/**
 * Searches the counties that have not been searched before, and reuses the results of all others,
 * where POIs have other facts, with these.
 */
export async function searchCounties({
  linked,
  scopes,
  found: { kept, renamed, missing },
  threads,
  store,
  receipts,
  scratch,
  progress,
}: SearchContext): Promise<ReadonlyMap<CountyFips, SearchedCounty>> {
  const searched = new Map(kept);
  const total = missing.reduce((sum, { scope }) => sum + blocksOf(scope), 0);
  const stage = progress.start('search', total, 'blocks');
  const pool = openSearchPool(linked.searchRegion, missing.length === 0 ? 1 : threads);
  let done = 0;
  const keep = async ({ scope, key, facts }: KeyedCounty, county: SearchedCounty) => {
    await receipts.keep(stageOf(scope), key, { facts, county });
    searched.set(scope.county, county);
  };
  try {
    for (const one of renamed) {
      const facts = factsInScope(linked, one.scope);
      await keep(one, await withFacts(one.searched, one.scope.county, facts, store, scratch));
    }
    for (const one of missing) {
      const county = await searchCounty(linked, one.scope, pool, store, scratch, (blocks) =>
        stage.at(done + blocks),
      );
      await keep(one, county);
      done += blocksOf(one.scope);
    }
  } finally {
    await pool.close();
  }
  const counties = new Map(scopes.map(({ county }) => [county, searched.get(county)!]));
  stage.finish(describe([...counties.values()], kept.size + renamed.length));
  return counties;
}

function blocksOf({ firstBlock, endBlock }: CountyScope): number {
  return endBlock - firstBlock;
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
  const kept = takenOver > 0 ? `; ${counted(takenOver, 'county', 'counties')} reused` : '';
  return `${counted(pois, 'POI row')} of ${poiBytes} bytes, ${counted(reach, 'reach row')} of ${reachBytes} bytes${kept}`;
}
