import { Problem, shortened } from '../../portal/http/problem.ts';
import {
  BLOCKS_A_COUNTY,
  countyOf,
  type GeoidNumber,
  geoidFromNumber,
} from '../../shards/geoid.ts';
import type { StateManifest } from '../../shards/manifest.ts';
import type { PlaceEntry, PlaceTable } from '../../shards/places/place-table.ts';
import type { Release } from '../../shards/release.ts';
import { ordinalsOf, rankIn } from '../../shards/sorted.ts';
import type { StatePlace } from '../../shards/units.ts';
import type { CountyBlocks } from './blocks-in-area.ts';

/** A census place of the release, and where to read of it. */
export interface LocatedPlace {
  readonly place: PlaceEntry;
  readonly ordinal: StatePlace;
  readonly table: PlaceTable;
  readonly state: StateManifest;
}

/** Looks a place up in its state's table, which the release keeps in memory; else `place-not-found`. */
export async function locatePlace(release: Release, geoid: string): Promise<LocatedPlace> {
  const state = release.state(geoid.slice(0, 2));
  const table = state && (await release.places(state));
  const ordinal = table?.ordinalOf(geoid) ?? -1;
  if (state && table && ordinal !== -1) {
    return { place: table.places[ordinal], ordinal, table, state };
  }
  const asked = shortened(geoid);
  throw new Problem('place-not-found', `there is no census place ${asked} in this release`, {
    geoid: asked,
  });
}

/** Blocks of a place that are looked up together: a page seldom needs more. */
const BLOCKS_A_STEP = 256;

/** The blocks of a place whose GEOID is not below `from`, some of a county at a time. */
export async function* blocksOfPlace(
  release: Release,
  { table, ordinal }: LocatedPlace,
  from: GeoidNumber,
): AsyncGenerator<CountyBlocks> {
  const blocks = await release.placeBlocks(table, ordinal);
  for (let first = rankIn(blocks, from), end: number; first < blocks.length; first = end) {
    const fips = countyOf(geoidFromNumber(blocks[first]));
    end = Math.min(first + BLOCKS_A_STEP, rankIn(blocks, (Number(fips) + 1) * BLOCKS_A_COUNTY));
    const county = release.county(fips)!;
    const index = await release.index(county);
    yield { county, index, ordinals: ordinalsOf(index.geoids, blocks.subarray(first, end)) };
  }
}
