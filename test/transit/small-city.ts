import path from 'node:path';
import type { OsmNode } from '../../infra/demo/osm-elements.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { type ShapefileField, writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { naiveStreets, naiveTimes } from '../search/naive-router.ts';
import { boxRing } from '../support/rings.ts';

/** A position in degrees, of at most seven decimals, which is the precision of the files. */
export interface Point {
  readonly lon: number;
  readonly lat: number;
}

/** Streets open to all, where trips begin and end. */
export interface SmallCity {
  readonly corners: readonly Point[];
  /** Straight streets between corners. */
  readonly streets: readonly (readonly [a: number, b: number])[];
  /** Tags by street, besides `highway=residential` unless it is a ferry; and tags by corner. */
  readonly streetTags?: Readonly<Record<number, OsmTags>>;
  readonly cornerTags?: Readonly<Record<number, OsmTags>>;
  readonly blocks: readonly Point[];
  readonly shops: readonly Point[];
  /** Outlines, not closed. */
  readonly parks?: readonly (readonly Point[])[];
  readonly stations?: readonly {
    readonly at: Point;
    readonly tags: Readonly<Record<string, string>>;
  }[];
}

type OsmTags = OsmNode['tags'];

const SOUTH_WEST: Point = { lon: -76.6, lat: 39.3 };
/** Metres per degree at the latitude of `SOUTH_WEST`, on WGS84. */
const METRES_PER_DEGREE = { lon: 86_259.3, lat: 111_021.2 };
const COUNTY = '99001';
/** First OpenStreetMap ids of other nodes, which come after the corners. */
const FIRST_SHOP = 1_000_000;
const FIRST_PARK = 2_000_000;
const FIRST_STATION = 3_000_000;
/** OpenStreetMap ids reserved per park: more than a park has corners. */
const PARK_IDS = 100;
const BOX_MARGIN = 0.02;
const BLOCK_HALF_SIDE = 1e-4;
/** Bits of a way open to walking and cycling in both directions, without any traffic. */
const OPEN_TO_ALL = 0b1_01111;

/** The point at the given metres east and north of the city's corner. */
export function pointAt(east: number, north: number): Point {
  const rounded = (degrees: number) => Math.round(degrees * 1e7) / 1e7;
  return {
    lon: rounded(SOUTH_WEST.lon + east / METRES_PER_DEGREE.lon),
    lat: rounded(SOUTH_WEST.lat + north / METRES_PER_DEGREE.lat),
  };
}

export function blockGeoid(block: number): string {
  return `${COUNTY}000100${1000 + block}`;
}

/** The name of a shop by its number. */
export function shopName(shop: number): string {
  return `Shop ${shop}`;
}

/** Writes the builder's inputs of a city, except timetables. `geoidOf` gives a block's GEOID. */
export async function writeSmallCity(
  folder: string,
  city: SmallCity,
  geoidOf = blockGeoid,
): Promise<{ osm: string[]; blocks: string[] }> {
  const osm = path.join(folder, 'city.osm.pbf');
  const blocks = path.join(folder, 'blocks.zip');
  const parks = (city.parks ?? []).map((outline, i) =>
    outline.map((at, j): OsmNode => ({ id: FIRST_PARK + i * PARK_IDS + j, ...at, tags: {} })),
  );
  await writePbf(osm, {
    box: boxAround([...city.corners, ...city.blocks, ...city.shops]),
    timestamp: new Date('2026-01-01T00:00:00Z'),
    nodes: () => [
      ...city.corners.map((at, i): OsmNode => {
        return { id: 1 + i, ...at, tags: city.cornerTags?.[i] ?? {} };
      }),
      ...city.shops.map((at, i): OsmNode => {
        return { id: FIRST_SHOP + i, ...at, tags: { shop: 'bakery', name: shopName(i) } };
      }),
      ...parks.flat(),
      ...(city.stations ?? []).map(({ at, tags }, i) => ({ id: FIRST_STATION + i, ...at, tags })),
    ],
    ways: () => [
      ...city.streets.map(([a, b], i) => {
        const own = city.streetTags?.[i];
        const tags = own?.route === 'ferry' ? own : { highway: 'residential', ...own };
        return { id: 1 + i, refs: [1 + a, 1 + b], tags };
      }),
      ...parks.map((corners) => {
        const refs = [...corners, corners[0]].map(({ id }) => id);
        return { id: corners[0].id, refs, tags: { leisure: 'park' } };
      }),
    ],
    relations: () => [],
  });
  await writeShapefile(blocks, {
    name: 'tl_99001_tabblock20',
    fields: BLOCK_FIELDS,
    records: () =>
      city.blocks.map((at, i) => ({
        polygon: [squareAround(at, BLOCK_HALF_SIDE)],
        values: [geoidOf(i), at.lat.toFixed(7), at.lon.toFixed(7), 10_000, 0, 100],
      })),
  });
  return { osm: [osm], blocks: [blocks] };
}

/** Milliseconds on foot between all points, by origin, then by target; Infinity without a way. */
export function walkingTimes(city: SmallCity, points: readonly Point[]): number[][] {
  const ways = {
    count: city.streets.length,
    osmId: Float64Array.from(city.streets, (_, i) => i),
    traits: new Uint32Array(city.streets.length).fill(OPEN_TO_ALL),
    firstRef: Uint32Array.from({ length: city.streets.length + 1 }, (_, i) => 2 * i),
    refs: Uint32Array.from(city.streets.flat()),
  };
  const nodes = {
    count: city.corners.length,
    osmId: Float64Array.from(city.corners, (_, i) => i),
    lon: Float64Array.from(city.corners, ({ lon }) => lon),
    lat: Float64Array.from(city.corners, ({ lat }) => lat),
    traits: new Uint8Array(city.corners.length),
  };
  return naiveTimes(naiveStreets(ways, nodes, 'walk'), points).map(
    (times) => times ?? points.map(() => Infinity),
  );
}

export const text = (name: string): ShapefileField => ({ name, type: 'C', width: 20, decimals: 0 });
const number = (name: string): ShapefileField => ({ name, type: 'N', width: 14, decimals: 0 });
/** The TIGER/Line attributes of a block. */
export const BLOCK_FIELDS = [
  ...['GEOID20', 'INTPTLAT20', 'INTPTLON20'].map(text),
  ...['ALAND20', 'AWATER20', 'POP20'].map(number),
];

/** A square, clockwise and closed, with its sides the given degrees from its centre. */
export function squareAround({ lon, lat }: Point, half: number): [number, number][] {
  const [west, east] = [lon - half, lon + half];
  const [south, north] = [lat - half, lat + half];
  return boxRing(west, south, east, north).reverse();
}

function boxAround(points: readonly Point[]) {
  const lon = points.map((point) => point.lon);
  const lat = points.map((point) => point.lat);
  return {
    minLon: Math.min(...lon) - BOX_MARGIN,
    minLat: Math.min(...lat) - BOX_MARGIN,
    maxLon: Math.max(...lon) + BOX_MARGIN,
    maxLat: Math.max(...lat) + BOX_MARGIN,
  };
}
