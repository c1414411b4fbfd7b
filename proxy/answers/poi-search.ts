import { breathe } from '../../shards/breathe.ts';
import { boxContains, bufferBox, localDistance } from '../../shards/geometry/wgs84.ts';
import type { Catchments, Release, ReleaseCounty } from '../../shards/release.ts';
import {
  type BoundingBox,
  type Degrees,
  type DestId,
  type DestTypeId,
  type Metres,
  MICRO,
} from '../../shards/units.ts';
import { folded } from './folded-text.ts';
import type { Page } from './paged-request.ts';

/** Where to search: boxes, of which a place must be in one; and what else it must meet. */
export interface SearchArea {
  /** One, or two on either side of the antimeridian. */
  readonly boxes: readonly BoundingBox[];
  /** Exactly where, within the boxes; micro-degrees. */
  readonly contains?: (lon: number, lat: number) => boolean;
}

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
/** Counties that one page looks into: a search for a rare name over a continent comes in pages. */
export const COUNTIES_A_PAGE = 64;

/** The counties whose places may lie in an area, in the order of their codes. */
export function countiesOfArea(release: Release, { boxes }: SearchArea): ReleaseCounty[] {
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
  area: SearchArea,
  search: PoiSearch,
  { position, limit }: Pick<Page, 'position' | 'limit'>,
): Promise<{ results: PoiResult[]; next: Page['position'] | null }> {
  const results: PoiResult[] = [];
  const [firstCounty, firstCell, firstId] = position;
  const open = counties.filter(({ fips }) => Number(fips) >= firstCounty);
  for (const [visited, { fips, county }] of open.entries()) {
    const code = Number(fips);
    if (visited === COUNTIES_A_PAGE) return { results, next: [code, 0, 0] };
    const places = await release.catchments(county);
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
  { boxes, contains }: SearchArea,
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

/** A box, which crosses the antimeridian when its west edge is east of its east edge. */
export function boxArea(west: Degrees, south: Degrees, east: Degrees, north: Degrees): SearchArea {
  const box = { minLon: west, minLat: south, maxLon: east, maxLat: north };
  if (west <= east) return { boxes: [box] };
  return {
    boxes: [
      { ...box, maxLon: 180 },
      { ...box, minLon: -180 },
    ],
  };
}

/** Everything within a distance of a point. */
export function circleArea(lon: Degrees, lat: Degrees, radius: Metres): Required<SearchArea> {
  const box = bufferBox({ minLon: lon, minLat: lat, maxLon: lon, maxLat: lat }, radius);
  const [south, north] = [Math.max(-90, box.minLat), Math.min(90, box.maxLat)];
  const holdsPole = box.minLat <= -90 || box.maxLat >= 90 || box.maxLon - box.minLon >= 360;
  const west = holdsPole ? -180 : wrapped(box.minLon);
  const east = holdsPole ? 180 : wrapped(box.maxLon);
  return {
    boxes: boxArea(west, south, east, north).boxes,
    contains: (x, y) => {
      // The shorter way around the earth.
      const dLon = wrapped(x / MICRO - lon);
      return localDistance(lon, lat, lon + dLon, y / MICRO) <= radius;
    },
  };
}

function wrapped(lon: Degrees): Degrees {
  return lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon;
}
