import type { CityPlan } from './city-plan.ts';
import type { Cell } from './lattice.ts';
import { NO_TAGS, type OsmNode, type OsmRelation, type OsmWay, type Tags } from './osm-elements.ts';
import { cornerNodeId } from './streets.ts';

/** First id of the elements in cells, above the ids of all corners and streets. */
const FIRST_ID = 1_000_000_000;
/** Maximum elements of each kind per cell. */
const IDS_PER_CELL = 128;

/**
 * The OSM elements of a cell other than its streets. Ids derive from the cell, so cells can be
 * drawn one at a time, in any order, and each kind of element in its own pass.
 */
export class CellSketch {
  readonly nodes: OsmNode[] = [];
  readonly ways: OsmWay[] = [];
  readonly relations: OsmRelation[] = [];
  readonly #plan: CityPlan;
  readonly #cell: Cell;
  readonly #firstId: number;

  constructor(plan: CityPlan, cell: Cell) {
    this.#plan = plan;
    this.#cell = cell;
    this.#firstId = nodeIdInCell(plan, cell, 0);
  }

  /** Adds a node, `x` and `y` cells east and north of the cell's corner, and returns its id. */
  node(x: number, y: number, tags: Tags = NO_TAGS): number {
    const { column, row } = this.#cell;
    const [lon, lat] = this.#plan.lattice.degrees(column + x, row + y);
    return this.#add(this.nodes, { lon, lat, tags });
  }

  /** Adds a way through the nodes with these ids, and returns its id. */
  way(refs: readonly number[], tags: Tags = NO_TAGS): number {
    return this.#add(this.ways, { refs, tags });
  }

  /** Adds an area bounded by nodes, of which the first is not repeated, and returns its id. */
  area(refs: readonly number[], tags: Tags): number {
    return this.way([...refs, refs[0]], tags);
  }

  multipolygon(members: OsmRelation['members'], tags: Tags): number {
    return this.#add(this.relations, { members, tags: { type: 'multipolygon', ...tags } });
  }

  /**
   * Adds nodes at the corners of a rectangle, and returns their ids counter-clockwise from the
   * south-west.
   */
  rectangle(west: number, south: number, east: number, north: number): number[] {
    return [
      this.node(west, south),
      this.node(east, south),
      this.node(east, north),
      this.node(west, north),
    ];
  }

  /**
   * Returns the id of the node at a street crossing, `x` and `y` whole cells from the cell's own
   * corner.
   */
  corner(x: number, y: number): number {
    return cornerNodeId(this.#plan, this.#cell.column + x, this.#cell.row + y);
  }

  #add<T extends { id: number }>(list: T[], element: Omit<T, 'id'>): number {
    if (list.length === IDS_PER_CELL) throw new RangeError('a cell has too many elements');
    const id = this.#firstId + list.length;
    list.push({ ...element, id } as T);
    return id;
  }
}

export type CellDrawing = (sketch: CellSketch, cell: Cell) => void;

export function nodeIdInCell(plan: CityPlan, { column, row }: Cell, n: number): number {
  return FIRST_ID + (row * plan.columns + column) * IDS_PER_CELL + n;
}
