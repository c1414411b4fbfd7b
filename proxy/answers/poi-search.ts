import { breathe } from '../../shards/breathe.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { Catchments, Release, ReleaseCounty } from '../../shards/release.ts';
import { type Degrees, type DestId, type DestTypeId, MICRO } from '../../shards/units.ts';
import { type Area, COUNTIES_A_PAGE } from './area.ts';
import { folded } from './folded-text.ts';
import type { Page } from './paged-request.ts';

/** Which places are wanted. */
export interface PoiSearch {
  readonly types: ReadonlySet<DestTypeId> | undefined;
  /** Folded. */
  readonly name: string | undefined;
}

/** A place as searches give it. */
export interface PoiResult {
  readonly dest_id: DestId;
  readonly name: string;
  readonly lat: Degrees;
  readonly lon: Degrees;
  readonly address: object;
}

/** Places looked at between two looks at the clock. */
const PLACES_A_STEP = 32;

/** The counties whose places may lie in an area, in the order of their codes. */
export function countiesOfArea(release: Release, { boxes }: Area): ReleaseCounty[] {
  return release.poiBoxes.meeting(boxes);
}

/**
 * A page of the places in an area, in a fixed order: county by county, in each along a curve over
 * the ground, at one spot by id. A position is the first place that a page may have, by what orders
 * places: the code of its county as a number, its cell of the world, its id. It says where a page
 * begins in any release, also in one that has other places around it. `next` is that of the next
 * page, null when there is none.
 */
export async function searchPois(
  release: Release,
  counties: readonly ReleaseCounty[],
  area: Area,
  search: PoiSearch,
  { position, limit }: Pick<Page, 'position' | 'limit'>,
): Promise<{ results: PoiResult[]; next: Page['position'] | null }> {
  const results: PoiResult[] = [];
  const [firstCounty, firstCell, firstId] = position;
  const open = counties.filter(({ fips }) => Number(fips) >= firstCounty);
  for (const [visited, { fips, manifest }] of open.entries()) {
    const code = Number(fips);
    if (visited === COUNTIES_A_PAGE) return { results, next: [code, 0, 0] };
    const places = await release.catchments(manifest);
    const firstRank = code === firstCounty ? rankFrom(places, firstCell, firstId) : 0;
    for (const [i, rank] of (await ranksIn(places, area, firstRank)).entries()) {
      const pause = i % PLACES_A_STEP === 0 ? breathe() : undefined;
      if (pause) await pause;
      const ordinal = places.byRank[rank];
      if (!matches(places, ordinal, search)) continue;
      if (results.length === limit) {
        return { results, next: [code, places.cell[ordinal], places.matrix.origins[ordinal]] };
      }
      results.push(poiResult(places, ordinal));
    }
  }
  return { results, next: null };
}

/** The rank of the first place of a county that is not before a cell, or an id in it. */
function rankFrom(
  { byRank, cell, matrix }: Catchments,
  firstCell: number,
  firstId: DestId,
): number {
  let [low, high] = [0, byRank.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const ordinal = byRank[middle];
    const isBefore =
      cell[ordinal] < firstCell ||
      (cell[ordinal] === firstCell && matrix.origins[ordinal] < firstId);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ranks of the places in an area from `first` on, ascending. */
async function ranksIn(
  { tree, rank, table }: Catchments,
  { boxes, contains }: Area,
  first: number,
): Promise<Uint32Array> {
  const found: number[] = [];
  let looked = 0;
  // Boxes have no place in common: they lie on either side of the antimeridian.
  for (const box of boxes) {
    const { minLon, minLat, maxLon, maxLat } = box;
    const [west, south, east, north] = [minLon, minLat, maxLon, maxLat].map((d) => d * MICRO);
    // A product with a million may be off by a little: what is on the edge is decided in degrees.
    for (const ordinal of tree?.search(west - 1, south - 1, east + 1, north + 1) ?? []) {
      if (rank[ordinal] < first) continue;
      const pause = ++looked % PLACES_A_STEP === 0 ? breathe() : undefined;
      if (pause) await pause;
      const [lon, lat] = [table.lon[ordinal], table.lat[ordinal]];
      if (boxContains(box, lon / MICRO, lat / MICRO) && contains?.(lon, lat) !== false) {
        found.push(rank[ordinal]);
      }
    }
  }
  return Uint32Array.from(found).sort();
}

function matches({ table }: Catchments, ordinal: number, { types, name }: PoiSearch): boolean {
  if (types && !table.types(ordinal).some((type) => types.has(type))) return false;
  return name === undefined || folded(table.name(ordinal)).includes(name);
}

export function poiResult({ matrix, table }: Catchments, ordinal: number): PoiResult {
  const { name, lon, lat, street, city, state, zip } = table.facts(ordinal);
  return {
    dest_id: matrix.origins[ordinal],
    name,
    lat,
    lon,
    address: { street, city, state, zip },
  };
}
