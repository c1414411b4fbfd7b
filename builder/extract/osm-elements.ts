import type { AreaSource, PointSource } from '../destinations/from-osm.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { RawStreets, RawWays } from './raw-ways.ts';

/** The elements of streets and destinations in OpenStreetMap, each id once. */
export interface OsmElements {
  readonly streets: RawStreets;
  readonly impassable: RawWays;
  readonly areas: readonly AreaSource[];
  /** Node ids of each way that draws an area; null where no file has the way. */
  readonly memberWays: ReadonlyMap<number, Float64Array | null>;
  readonly points: readonly PointSource[];
  /** All nodes that any of the ways references. */
  readonly table: NodeTable;
}
