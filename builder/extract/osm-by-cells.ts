import { boxOf } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { AreaSource, PointSource } from '../destinations/from-osm.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { OsmElements } from './osm-elements.ts';
import { type RawWays, refsOf } from './raw-ways.ts';

export interface CellElements {
  /** Positions among all ways of that kind. */
  readonly streets: number[];
  readonly impassable: number[];
  readonly areas: AreaSource[];
  readonly points: PointSource[];
}

interface WideArea {
  readonly area: AreaSource;
  readonly box: BoundingBox;
}

/** Elements by the cells that they enter, and the areas that are too wide for that. */
interface PartitionedElements {
  readonly parts: ReadonlyMap<number, CellElements>;
  readonly wide: readonly WideArea[];
}

/**
 * Areas that span more cells than this on a side are not stored by cell, but once, separately: a
 * national forest has a hundred thousand nodes and covers hundreds of cells. Every other area has a
 * node in each cell that it enters or in an adjacent cell, so that reading those cells alone misses
 * no area.
 */
export const MAX_SIDE = 2;

/**
 * Assigns each element to all cells that it enters: a way by its nodes, an area by its bounding
 * box, which contains its centre and its entrances.
 */
export function partitionByCell(elements: OsmElements, cells: CellRectangle): PartitionedElements {
  const { table, streets, impassable, areas, memberWays, points } = elements;
  const parts = new Map<number, CellElements>();
  const wide: WideArea[] = [];
  const partOf = (cell: number): CellElements => {
    const part = parts.get(cell) ?? { streets: [], impassable: [], areas: [], points: [] };
    parts.set(cell, part);
    return part;
  };
  eachInItsCells(streets, table, cells, (way, cell) => partOf(cell).streets.push(way));
  eachInItsCells(impassable, table, cells, (way, cell) => partOf(cell).impassable.push(way));
  for (const area of areas) {
    const positions = area.members.flatMap(({ way }) => table.positions(memberWays.get(way) ?? []));
    if (positions.length === 0) continue;
    const box = boxOf(positions);
    const touched = cells.touching(box);
    if (touched.length === 0) continue;
    if (CellRectangle.of(box).side > MAX_SIDE) wide.push({ area, box });
    else for (const cell of touched) partOf(cell).areas.push(area);
  }
  for (const point of points) {
    const cell = cells.at(point.lon, point.lat);
    if (cell !== -1) partOf(cell).points.push(point);
  }
  return { parts, wide };
}

function eachInItsCells(
  ways: RawWays,
  table: NodeTable,
  cells: CellRectangle,
  found: (way: number, cell: number) => void,
): void {
  for (let way = 0; way < ways.osmId.length; way++) {
    const met: number[] = [];
    for (const id of refsOf(ways, way)) {
      const node = table.find(id);
      if (table.isMissing(node)) continue;
      const cell = cells.at(table.lon[node], table.lat[node]);
      if (cell === -1 || met.includes(cell)) continue;
      met.push(cell);
      found(way, cell);
    }
  }
}
