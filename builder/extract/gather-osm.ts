import { concat } from '../../shards/arrays/concat.ts';
import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { Bytes, Degrees, EpochMillis } from '../../shards/units.ts';
import type { PointSource } from '../destinations/from-osm.ts';
import type { CellRectangle } from '../geo/cell-rectangle.ts';
import { NodeTable } from '../osm/node-table.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import { SortedIds } from '../osm/sorted-ids.ts';
import type { MapElements } from './map-elements.ts';
import type { OsmElements } from './osm-elements.ts';
import { type CollectedWays, emptyAreas, nodePass, relationPass, wayPass } from './osm-passes.ts';
import { readPass } from './pbf-pass.ts';
import { emptyStreets, emptyWays, type RawWays } from './raw-ways.ts';

interface GatheredOsm extends OsmElements {
  /** When the newest element of each file was edited, or the file was cut. */
  readonly newestMs: ReadonlyMap<string, EpochMillis>;
  /** Number of elements in the cells that describe a POI of no known type, by `key=value`. */
  readonly unmapped: ReadonlyMap<string, number>;
  /** Durations of ferries and elevators that cannot be read, as `key=value`, by way id. */
  readonly unreadDurations: ReadonlyMap<number, readonly string[]>;
}

/** Number of times that each file is read to gather all of its contents, or only a part of them. */
export const PASSES = 3;
export const PASSES_OF_PART = 5;

/**
 * Reads the elements of streets and destinations in some cells from OSM PBF files, in three passes
 * over each: relations, which name the ways they need; ways, which name the nodes they need; nodes.
 * Files may overlap. `isPart` means that the files hold much more than these cells, so that two
 * earlier passes find the ways there; otherwise all ways are held. `map` collects the elements of
 * the base map, or is null if none is made. `read` is called with the number of bytes read.
 */
export async function gatherOsm(
  paths: readonly string[],
  cells: CellRectangle,
  isPart: boolean,
  map: MapElements | null,
  read: (bytes: Bytes) => void,
): Promise<GatheredOsm> {
  const newestMs = new Map<string, EpochMillis>();
  const pass = async (handlers: PbfHandlers) => {
    for (const path of paths) {
      const seen = await readPass(path, handlers, read);
      newestMs.set(path, Math.max(newestMs.get(path) ?? 0, seen.newestMs));
    }
  };

  // An area may enter cells where it has no node: it then has one in an adjacent cell, or is a wide
  // area.
  const near = isPart ? await waysIn(cells.grown(), pass) : null;
  const isNear = (way: number) => near === null || near.has(way);
  const collected = emptyAreas(map);
  await pass(relationPass(collected, isNear));
  const ways: CollectedWays = {
    streets: emptyStreets(),
    impassable: emptyWays(),
    unreadDurations: new Map(),
  };
  await pass(wayPass(collected, ways, isNear, paths.length > 1));
  const table = new NodeTable(
    allReferences(
      [ways.streets, ways.impassable, ...(map ? [map.lines] : [])],
      collected.memberWays,
    ),
  );
  const points = new Map<number, PointSource>();
  await pass(nodePass(table, points, collected, cells.box));
  return {
    ...ways,
    areas: [...collected.areas.values()],
    memberWays: collected.memberWays,
    points: [...points.values()],
    table,
    newestMs,
    unmapped: collected.unmapped.counts(),
  };
}

/** Returns the ids of the ways that have a node in some cells. */
async function waysIn(
  cells: CellRectangle,
  pass: (handlers: PbfHandlers) => Promise<void>,
): Promise<SortedIds> {
  const found = new GrowableArray(Float64Array);
  const location = (id: number, lon: Degrees, lat: Degrees) => {
    if (cells.at(lon, lat) !== -1) found.push(id);
  };
  await pass({ node: location, location });
  const nodes = new SortedIds(found.view());
  const ways = new GrowableArray(Float64Array);
  await pass({
    way(id, refs) {
      if (refs.some((node) => nodes.has(node))) ways.push(id);
    },
  });
  return new SortedIds(ways.view());
}

function allReferences(
  kinds: readonly RawWays[],
  memberWays: ReadonlyMap<number, Float64Array | null>,
): Float64Array {
  const refLists = [...memberWays.values()].filter((refs) => refs !== null);
  for (const { refs } of kinds) refLists.push(refs.view());
  return concat(refLists);
}
