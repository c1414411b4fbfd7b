import { concat } from '../../shards/arrays/concat.ts';
import type { Bytes, EpochMillis } from '../../shards/units.ts';
import type { PointSource } from '../destinations/from-osm.ts';
import type { CellRectangle } from '../geo/cell-rectangle.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPass } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import type { MapElements } from './map-elements.ts';
import type { OsmElements } from './osm-elements.ts';
import { type CollectedWays, emptyAreas, nodePass, relationPass, wayPass } from './osm-passes.ts';
import { emptyStreets, emptyWays, type RawWays } from './raw-ways.ts';

interface GatheredOsm extends OsmElements {
  /** When the newest element of each file was edited, or the file was cut. */
  readonly newestMs: ReadonlyMap<string, EpochMillis>;
  /** Number of elements in the cells that describe a POI of no known type, by `key=value`. */
  readonly unmapped: ReadonlyMap<string, number>;
  /** Durations of ferries and elevators that cannot be read, as `key=value`, by way id. */
  readonly unreadDurations: ReadonlyMap<number, readonly string[]>;
}

/** Number of times that each file is read to gather its contents. */
export const PASSES = 3;

/**
 * Reads the elements of streets, and the destinations in some cells, from OSM PBF files, in three
 * passes over each: relations, which name the ways they need; ways, which name the nodes they need;
 * nodes. Files may overlap; all their ways are held. `map` collects the elements of the base map,
 * or is null if none is made. `read` is called with the number of bytes read.
 */
export async function gatherOsm(
  paths: readonly string[],
  cells: CellRectangle,
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

  const collected = emptyAreas(map);
  await pass(relationPass(collected));
  const ways: CollectedWays = {
    streets: emptyStreets(),
    impassable: emptyWays(),
    unreadDurations: new Map(),
  };
  await pass(wayPass(collected, ways, paths.length > 1));
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

function allReferences(
  kinds: readonly RawWays[],
  memberWays: ReadonlyMap<number, Float64Array | null>,
): Float64Array {
  const refLists = [...memberWays.values()].filter((refs) => refs !== null);
  for (const { refs } of kinds) refLists.push(refs.view());
  return concat(refLists);
}
