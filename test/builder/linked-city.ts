import type { BuildRequest } from '../../builder/build-request.ts';
import { type CountyScope, scopeCounties } from '../../builder/county/county-scope.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { silent } from '../../builder/progress.ts';
import { type LinkedRegion, linkRegion } from '../../builder/region/link-region.ts';
import { BASE_MODES } from '../../shards/modes.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import { readFiles } from '../support/prepared-city.ts';
import { datesOf } from '../support/read-feeds.ts';

/** A small city, read and linked, and the scopes of its counties. */
export interface LinkedCity {
  readonly linked: LinkedRegion;
  readonly scopes: readonly CountyScope[];
}

/**
 * Reads and links the inputs of a small one-county city as if it had several counties: `sizes` is
 * the number of blocks in each, in block order.
 */
export async function linkCity(
  inputs: Pick<BuildRequest, 'osm' | 'blocks' | 'gtfs'>,
  sizes: readonly number[],
): Promise<LinkedCity> {
  const feeds = await datesOf(inputs);
  const whole = await readFiles({ ...inputs, feeds, counties: [] });
  const blocks = [...whole.counties.values()].flat();
  let first = 0;
  const counties = new Map(
    sizes.map((size, i) => {
      const fips = String(99_001 + 2 * i);
      const own = blocks.slice(first, first + size).map((block) => ({ ...block, county: fips }));
      first += size;
      return [fips, own] as const;
    }),
  );
  if (first !== blocks.length) throw new Error(`${first} of ${blocks.length} blocks have a county`);
  const linked = linkRegion(
    { ...whole, counties, targets: counties },
    BASE_MODES,
    new Taxonomy(TAXONOMY),
    silent,
  );
  return { linked, scopes: scopeCounties(linked) };
}
