import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { MultiPolygon, Polygon } from 'geojson';
import { readShapefile } from '../../builder/inputs/shapefile.ts';
import { BlockIndex, type LinkStatus } from '../../shards/blocks/block-index.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { Mode } from '../../shards/modes.ts';
import { PoiTable } from '../../shards/pois/poi-table.ts';
import type { Release } from '../../shards/release/release.ts';
import { isInside, type Rings } from './plain-geometry.ts';

export interface NaiveBlock {
  readonly geoid: string;
  readonly population: number | null;
  readonly land_area_m2: number | null;
  readonly lon: number;
  readonly lat: number;
  /** Whether any mode could be routed from the block. */
  readonly isRoutable: boolean;
  /** For walk and bike, whether the block's centre is linked to a street, or why not. */
  readonly links: Readonly<Record<'walk' | 'bike', LinkStatus>>;
  readonly polygons: readonly Rings[];
}

export interface NaivePoi {
  readonly dest_id: number;
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  readonly address: Readonly<Record<'street' | 'city' | 'state' | 'zip', string | null>>;
  readonly brand: string | null;
  /** Leaf types. */
  readonly types: readonly number[];
}

/** The time from a block to a POI within reach, in minutes with one decimal. */
export interface NaiveTime {
  readonly geoid: string;
  readonly dest_id: number;
  readonly mode: Mode;
  readonly travel_time: number;
  readonly poi: NaivePoi;
}

/** The time from one block to another within reach, in whole minutes up to an hour. */
export interface NaiveReach {
  readonly from: string;
  readonly to: string;
  readonly mode: Mode;
  readonly minutes: number;
}

export interface NaivePlace {
  readonly geoid: string;
  readonly name: string;
  readonly polygons: readonly Rings[];
}

/** A release as plain arrays, read whole: the basis for computing responses by filter and sort. */
export interface NaiveRelease {
  readonly modes: readonly Mode[];
  readonly modeIds: ReadonlyMap<Mode, number>;
  /** Every type with its leaf types. */
  readonly leavesOf: ReadonlyMap<number, readonly number[]>;
  readonly leafIds: readonly number[];
  /** Ascending by GEOID. */
  readonly blocks: readonly NaiveBlock[];
  /** Ascending by dest_id. */
  readonly pois: readonly NaivePoi[];
  /** Times from each block to the POIs within reach, by its GEOID. */
  readonly times: ReadonlyMap<string, readonly NaiveTime[]>;
  readonly places: readonly NaivePlace[];
}

/**
 * Reads the blocks, the POIs and the times to POIs of every county from the store's folder, and the
 * places from the census file.
 */
export async function readNaiveRelease(
  release: Release,
  storeFolder: string,
  placeFile: string,
): Promise<NaiveRelease> {
  const { taxonomy, counties } = release.manifest;
  const modes = release.services.map(({ mode }) => mode);
  const whole = (name: string) => readFile(path.join(storeFolder, name));
  const blocks: NaiveBlock[] = [];
  const pois = new Map<number, NaivePoi>();
  const times = new Map<string, NaiveTime[]>();
  for (const fips of Object.keys(counties).sort()) {
    const { objects } = counties[fips];
    const polygons = await readPolygons(await whole(objects.blocks.name));
    const index = BlockIndex.decode(fips, await whole(objects.index.name));
    for (let i = 0; i < index.count; i++) {
      const geoid = geoidFromNumber(index.geoids[i]);
      blocks.push({
        geoid,
        population: index.population(i),
        land_area_m2: index.landArea(i),
        lon: index.lon[i] / 1e6,
        lat: index.lat[i] / 1e6,
        isRoutable: index.isRoutable(i),
        links: { walk: index.link(i, 'walk').status, bike: index.link(i, 'bike').status },
        polygons: polygons.get(geoid)!,
      });
    }
    const bytes = await whole(objects.pois.name);
    const matrix = Matrix.fromBytes(objects.pois.name, bytes);
    const table = PoiTable.fromBytes(objects.pois.name, matrix.attributes);
    matrix.targets.forEach((dest_id, ordinal) => {
      const { name, lon, lat, street, city, state, zip, brand, types } = table.facts(ordinal);
      pois.set(dest_id, {
        dest_id,
        name,
        lon,
        lat,
        brand,
        types,
        address: { street, city, state, zip },
      });
    });
    for (const { origin, target, mode, time } of rowsOf(matrix, bytes)) {
      const row = { dest_id: target, mode: modes[mode], travel_time: time / 10 };
      const geoid = geoidFromNumber(origin);
      put(times, geoid, { geoid, ...row, poi: pois.get(target)! });
    }
  }
  for (const { geoid } of blocks) if (!times.has(geoid)) times.set(geoid, []);
  return {
    modes,
    modeIds: new Map([
      ['walk', 1],
      ['bike', 2],
      ['transit', 3],
    ]),
    leavesOf: leaves(taxonomy.types),
    leafIds: taxonomy.types
      .map((type) => type.dest_type_id)
      .filter((id) => !taxonomy.types.some((type) => type.parent_id === id))
      .sort((a, b) => a - b),
    blocks: blocks.sort((a, b) => (a.geoid < b.geoid ? -1 : 1)),
    pois: [...pois.values()].sort((a, b) => a.dest_id - b.dest_id),
    times,
    places: await readPlaces(placeFile),
  };
}

/** The reachable pairs among the blocks of a release, by origin GEOID and by destination GEOID. */
export type NaiveReaches = Readonly<
  Record<'from' | 'to', ReadonlyMap<string, readonly NaiveReach[]>>
>;

/** Reads the reachable pairs. Times towards a block come from the reach of the other blocks. */
export async function readNaiveReach(release: Release, storeFolder: string): Promise<NaiveReaches> {
  const { counties } = release.manifest;
  const modes = release.services.map(({ mode }) => mode);
  const reaches = { from: new Map<string, NaiveReach[]>(), to: new Map<string, NaiveReach[]>() };
  for (const { objects } of Object.values(counties)) {
    const { name } = objects['reach-from'];
    const bytes = await readFile(path.join(storeFolder, name));
    const matrix = Matrix.fromBytes(name, bytes);
    for (const { origin, target, mode, time } of rowsOf(matrix, bytes)) {
      const [from, to] = [geoidFromNumber(origin), geoidFromNumber(target)];
      const row = { from, to, mode: modes[mode], minutes: time };
      put(reaches.from, from, row);
      put(reaches.to, to, row);
    }
  }
  return reaches;
}

/**
 * The block whose interior contains a point; undefined for none. Not defined for points on borders.
 */
export function blockAt(release: NaiveRelease, lon: number, lat: number): NaiveBlock | undefined {
  return release.blocks.find((block) => isInside(block.polygons, lon, lat));
}

/** Every time of a matrix held in memory, with the ids of both ends and the index of the mode. */
function* rowsOf(matrix: Matrix, bytes: Uint8Array) {
  for (const [ordinal, origin] of matrix.origins.entries()) {
    const { offset, length } = matrix.rowRange(ordinal);
    const row = matrix.decode(ordinal, bytes.subarray(offset, offset + length));
    for (const [mode, { targets, times }] of row.entries()) {
      for (const [i, target] of targets.entries()) {
        yield { origin, target: matrix.targets[target], mode, time: times[i] };
      }
    }
  }
}

function put<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

async function readPolygons(bytes: Uint8Array): Promise<Map<string, Rings[]>> {
  const polygons = new Map<string, Rings[]>();
  for await (const { properties, geometry } of deserialize(bytes)) {
    const shape = geometry as Polygon | MultiPolygon;
    const parts = shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates;
    polygons.set(String(properties!.geoid), parts as unknown as Rings[]);
  }
  return polygons;
}

async function readPlaces(file: string): Promise<NaivePlace[]> {
  const places: NaivePlace[] = [];
  for await (const { area, fields } of readShapefile(file)) {
    places.push({
      geoid: String(fields.GEOID),
      name: String(fields.NAME),
      polygons: area.polygons,
    });
  }
  return places;
}

/** Leaf types below each type, ascending; a leaf type has only itself. */
function leaves(
  types: readonly { readonly dest_type_id: number; readonly parent_id: number | null }[],
): Map<number, number[]> {
  const below = (id: number): number[] => {
    const children = types.filter((type) => type.parent_id === id);
    return children.length === 0 ? [id] : children.flatMap((child) => below(child.dest_type_id));
  };
  return new Map(types.map(({ dest_type_id: id }) => [id, below(id).sort((a, b) => a - b)]));
}
