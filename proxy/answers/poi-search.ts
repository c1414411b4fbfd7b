import { bufferBox, localDistance } from '../../shards/geometry/wgs84.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Catchments, Release } from '../../shards/release.ts';
import {
  type BoundingBox,
  type CountyFips,
  type Degrees,
  type DestId,
  type DestTypeId,
  type Metres,
  MICRO,
} from '../../shards/units.ts';
import { folded } from './folded-text.ts';

/** Where to search: boxes, of which a place must be in one; and what else it must meet. */
export interface SearchArea {
  /** One, or two on either side of the antimeridian. */
  readonly boxes: readonly BoundingBox[];
  /** Exactly where, within the boxes; micro-degrees. */
  readonly contains?: (lon: number, lat: number) => boolean;
}

export interface PoiSearch {
  readonly area: SearchArea;
  readonly types: ReadonlySet<DestTypeId> | undefined;
  /** Folded. */
  readonly name: string | undefined;
  readonly limit: number;
  readonly start: SearchPosition;
}

/** The first place that a page may have: a county's code as a number, and a rank in it. */
export interface SearchPosition {
  readonly county: number;
  readonly rank: number;
}

/** A place as searches give it. */
export interface PoiResult {
  readonly dest_id: DestId;
  readonly name: string;
  readonly lat: Degrees;
  readonly lon: Degrees;
  readonly address: object;
}

/** Counties that one page looks into: a search for a rare name over a continent comes in pages. */
const COUNTIES_A_PAGE = 64;

/** The counties whose places may lie in an area, in the order of their codes. */
export function countiesOfArea(
  release: Release,
  { boxes }: SearchArea,
): { fips: CountyFips; county: CountyManifest }[] {
  return Object.keys(release.manifest.counties)
    .sort()
    .map((fips) => ({ fips, county: release.manifest.counties[fips] }))
    .filter(({ county: { poi_box } }) => {
      if (!poi_box) return false;
      const [west, south, east, north] = poi_box;
      return boxes.some(
        (box) =>
          box.minLon <= east && box.maxLon >= west && box.minLat <= north && box.maxLat >= south,
      );
    });
}

/**
 * A page of the places in an area, in a fixed order: county by county, in each along a curve over
 * the ground. `next` is where the next page begins, null when there is none.
 */
export async function searchPois(
  release: Release,
  counties: readonly { fips: CountyFips; county: CountyManifest }[],
  search: PoiSearch,
): Promise<{ results: PoiResult[]; next: SearchPosition | null }> {
  const results: PoiResult[] = [];
  const { start, limit } = search;
  const open = counties.filter(({ fips }) => Number(fips) >= start.county);
  for (const [visited, { fips, county }] of open.entries()) {
    if (visited === COUNTIES_A_PAGE) return { results, next: { county: Number(fips), rank: 0 } };
    const places = await release.catchments(county);
    const firstRank = Number(fips) === start.county ? start.rank : 0;
    for (const rank of ranksIn(places, search.area)) {
      const ordinal = places.byRank[rank];
      if (rank < firstRank || !matches(places, ordinal, search)) continue;
      if (results.length === limit) return { results, next: { county: Number(fips), rank } };
      results.push(poiResult(places, ordinal));
    }
  }
  return { results, next: null };
}

/** Ranks of the places in an area, ascending. */
function ranksIn({ tree, rank, table }: Catchments, { boxes, contains }: SearchArea): number[] {
  const found = new Set<number>();
  for (const { minLon, minLat, maxLon, maxLat } of boxes) {
    const [west, south, east, north] = [minLon, minLat, maxLon, maxLat].map((d) => d * MICRO);
    for (const ordinal of tree?.search(west, south, east, north) ?? []) {
      if (!contains || contains(table.lon[ordinal], table.lat[ordinal])) found.add(rank[ordinal]);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function matches({ table }: Catchments, ordinal: number, { types, name }: PoiSearch): boolean {
  if (types && !table.types(ordinal).some((type) => types.has(type))) return false;
  return name === undefined || folded(table.facts(ordinal).name).includes(name);
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
export function circleArea(lon: Degrees, lat: Degrees, radius: Metres): SearchArea {
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
