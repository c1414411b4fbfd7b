import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OsmNode, OsmWay } from '../../infra/demo/osm-elements.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { avenueFeed } from '../transit/avenue.ts';
import { AGENCY } from '../transit/feed-records.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { BLOCK_FIELDS, type Point, pointAt, squareAround } from '../transit/small-city.ts';

/** The counties of the row, from west to east. */
export const ROW = ['99001', '99003', '99005', '99007'];

/**
 * Metres between the centres of neighbouring counties. Counted from the county where a ride begins,
 * an hour's ride ends between the second and the third county, and half an hour's ride between the
 * first and the second.
 */
const PITCH = 8_000;
/**
 * Number of corners each way in the town at the centre of each county; `SIDE` is the distance
 * between corners, in metres.
 */
const CORNERS = 6;
const SIDE = 150;
const BLOCKS = 9;
/** Half the side of a block's square, in degrees. */
const HALF_SIDE = 5e-4;

/** Deviations from the default, by county. */
export interface RowChanges {
  /** Additional people in the county's first block. */
  readonly people?: Readonly<Record<string, number>>;
  /** Another name for the county's first shop. */
  readonly shop?: Readonly<Record<string, string>>;
  /** Metres by which the internal point of the county's first block is moved east. */
  readonly moved?: Readonly<Record<string, number>>;
  /** Counties whose town lacks the street at its northern end. */
  readonly closed?: readonly string[];
}

/** Writes four small towns in a row, each a county, with a road through all of them. */
export async function writeCountyRow(
  folder: string,
  changes: RowChanges = {},
): Promise<{ osm: string[]; blocks: string[]; pois: string[] }> {
  const osm = path.join(folder, 'row.osm.pbf');
  const pois = path.join(folder, 'shops.geojson');
  const corners = ROW.flatMap((_, county) =>
    Array.from({ length: CORNERS ** 2 }, (_, i) =>
      cornerAt(county, i % CORNERS, Math.floor(i / CORNERS)),
    ),
  );
  await writePbf(osm, {
    box: {
      minLon: pointAt(-30_000, 0).lon,
      minLat: pointAt(0, -30_000).lat,
      maxLon: pointAt(PITCH * ROW.length + 30_000, 0).lon,
      maxLat: pointAt(0, 30_000).lat,
    },
    timestamp: new Date('2026-01-01T00:00:00Z'),
    nodes: () => corners.map((at, i): OsmNode => ({ id: 1 + i, ...at, tags: {} })),
    ways: () => streets(changes),
    relations: () => [],
  });
  const blocks: string[] = [];
  for (const [county, fips] of ROW.entries()) {
    const file = path.join(folder, `blocks-${fips}.zip`);
    await writeShapefile(file, {
      name: `tl_${fips}_tabblock20`,
      fields: BLOCK_FIELDS,
      records: () =>
        Array.from({ length: BLOCKS }, (_, i) => {
          const isFirst = i === 0;
          const [east, north] = blockPlace(county, i);
          const centre = pointAt(east + (isFirst ? (changes.moved?.[fips] ?? 0) : 0), north);
          const people = 100 + i + (isFirst ? (changes.people?.[fips] ?? 0) : 0);
          return {
            polygon: [squareAround(pointAt(east, north), HALF_SIDE)],
            values: [
              `${fips}000100${1000 + i}`,
              centre.lat.toFixed(7),
              centre.lon.toFixed(7),
              10_000,
              0,
              people,
            ],
          };
        }),
    });
    blocks.push(file);
  }
  const features = ROW.flatMap((fips, county) =>
    ['grocery_stores', 'cafes', 'libraries'].map((type, i) => {
      const { lon, lat } = cornerAt(county, 1 + i, 2);
      const name = (i === 0 && changes.shop?.[fips]) || `${type} of ${fips}`;
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [lon, lat] },
        properties: { id: `${fips}-${type}`, name, type },
      };
    }),
  );
  await writeFile(pois, JSON.stringify({ type: 'FeatureCollection', features }));
  return { osm: [osm], blocks, pois: [pois] };
}

/** Writes the row, and returns the flags of a build of its first county, which takes a second. */
export async function flagsOfOneCounty(folder: string): Promise<string[]> {
  const { osm, blocks, pois } = await writeCountyRow(folder);
  const inputs = ['--osm', ...osm, '--blocks', blocks[0], '--pois', ...pois];
  return [...inputs, '--counties', ROW[0], '--no-tiles'];
}

/**
 * Writes the feed of a bus through a county's town, every ten minutes from seven on, shifted by
 * `late` minutes. Counties are numbered from west to east.
 */
export function writeTownFeed(file: string, county: number, late = 0): Promise<string> {
  const [west, east] = [`${ROW[county]} west`, `${ROW[county]} east`];
  const stops = { [west]: PITCH * county, [east]: PITCH * county + 750 };
  const trips = Array.from({ length: 18 }, (_, n) => {
    const leaves = 7 * 60 + 10 * n + late;
    return { calls: [[west, leaves] as const, [east, leaves + 3] as const] };
  });
  const agency = { ...AGENCY, agency_name: `${ROW[county]} Transit` };
  return writeFeed(file, avenueFeed(stops, trips, { 'agency.txt': [agency] }));
}

function cornerAt(county: number, column: number, row: number): Point {
  return pointAt(county * PITCH + column * SIDE, row * SIDE);
}

/** Streets along all rows and columns of each town, and the road along their southern ends. */
function streets({ closed = [] }: RowChanges): OsmWay[] {
  const idOf = (county: number, column: number, row: number) =>
    1 + county * CORNERS ** 2 + row * CORNERS + column;
  const line = Array.from({ length: CORNERS }, (_, i) => i);
  const ways: { refs: number[]; highway: string }[] = [];
  for (const [county, fips] of ROW.entries()) {
    for (const i of line) {
      const isClosed = closed.includes(fips) && i === CORNERS - 1;
      const along = line.map((column) => idOf(county, column, i));
      if (!isClosed) ways.push({ refs: along, highway: 'residential' });
      ways.push({ refs: line.map((row) => idOf(county, i, row)), highway: 'residential' });
    }
    if (county > 0) {
      const refs = [idOf(county - 1, CORNERS - 1, 0), idOf(county, 0, 0)];
      ways.push({ refs, highway: 'residential' });
    }
  }
  return ways.map(({ refs, highway }, i) => ({ id: 1 + i, refs, tags: { highway } }));
}

/** The centre of a block, metres east and north. */
function blockPlace(county: number, block: number): [east: number, north: number] {
  const [column, row] = [block % 3, Math.floor(block / 3)];
  return [county * PITCH + (column * 1.5 + 0.5) * SIDE, (row * 1.5 + 0.4) * SIDE];
}
