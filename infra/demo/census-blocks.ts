import type { Ring } from '../../shards/geometry/polygon.ts';
import type { Degrees, SquareMetres } from '../../shards/units.ts';
import { bayGeoid, blockGeoid, cellsOf, countyAt, type DemoCounty } from './census-ids.ts';
import { BAY_DEPTH, type CellUse, type CityPlan } from './city-plan.ts';
import type { Cell, Corner, Lattice } from './lattice.ts';
import { PLAIN_GRID } from './plain-grid.ts';
import { centrality } from './poi-placement.ts';
import { Random } from './seeded-random.ts';

export interface DemoBlock {
  readonly geoid: string;
  /** The cell that the block is, or is half of; null in the bay. */
  readonly cell: Cell | null;
  /** Clockwise, closed. */
  readonly ring: Ring;
  readonly land: SquareMetres;
  readonly water: SquareMetres;
  /** The internal point. */
  readonly centre: readonly [lon: Degrees, lat: Degrees];
  readonly population: number;
  readonly housing: number;
}

/** People in a fully built block downtown, and at the edge of the city. */
const PEOPLE = { downtown: 210, outskirts: 12 };
const PEOPLE_IN_A_HOME = 2.3;
const STREAM = 0x909;

/** The blocks of a county: its bay first, then its land row by row from the south. */
export function* blocksOf(plan: CityPlan, county: DemoCounty): Generator<DemoBlock> {
  for (const [ordinal, { fromColumn }] of plan.bay.entries()) {
    if (countyAt(plan, { column: fromColumn, row: 0 }) === county.fips) {
      yield bayBlock(plan, ordinal);
    }
  }
  const { from, to } = cellsOf(plan, county);
  for (let row = from.row; row < to.row; row++) {
    for (let column = from.column; column < to.column; column++) {
      yield* landBlocks(plan, { column, row });
    }
  }
}

/** The ring around a rectangle of cells, clockwise, through every corner of a block on it. */
export function ringAround(lattice: Lattice, from: Corner, to: Corner): Ring {
  return closed(lattice, cornersAround(from, to));
}

/** The ring around a county: its land and its bay. */
export function countyRing(plan: CityPlan, county: DemoCounty): Ring {
  const { from, to } = cellsOf(plan, county);
  if (from.row > 0) return ringAround(plan.lattice, from, to);
  const seaBed = plan.bay
    .filter(({ fromColumn }) => countyAt(plan, { column: fromColumn, row: 0 }) === county.fips)
    .map(({ toColumn }) => ({ column: toColumn, row: -BAY_DEPTH }))
    .reverse();
  const land = cornersAround(from, to);
  // From the north-east corner of the land down its east side, then along the sea bed westward.
  const shore = land.findIndex(({ column, row }) => column === to.column && row === 0);
  const coast = [...land.slice(0, shore + 1), ...seaBed, { column: from.column, row: -BAY_DEPTH }];
  return closed(plan.lattice, coast);
}

function* landBlocks(plan: CityPlan, cell: Cell): Generator<DemoBlock> {
  const { column, row } = cell;
  const use = plan.useOf(cell);
  const [southWest, northWest, northEast, southEast] = [
    { column, row },
    { column, row: row + 1 },
    { column: column + 1, row: row + 1 },
    { column: column + 1, row },
  ];
  if (use.kind === 'diagonal') {
    const halves = [
      { corners: [southWest, northEast, southEast], x: 2 / 3, y: 1 / 3 },
      { corners: [southWest, northWest, northEast], x: 1 / 3, y: 2 / 3 },
    ] as const;
    for (const half of [0, 1] as const) {
      const { corners, x, y } = halves[half];
      const centre = plan.lattice.degrees(column + x, row + y);
      yield landBlock(plan, cell, use, half, corners, centre);
    }
    return;
  }
  const corners = [southWest, northWest, northEast, southEast];
  const centre =
    use.kind === 'plain'
      ? plainBlockCentre(plan, cell)
      : plan.lattice.degrees(column + 0.5, row + 0.5);
  yield landBlock(plan, cell, use, 0, corners, centre);
}

/** The internal point of a plain grid block, by its lattice cell. */
export function plainBlockCentre(plan: CityPlan, { column, row }: Cell) {
  return plan.lattice.degrees(column + 0.5, row + PLAIN_GRID.snap / PLAIN_GRID.spacing);
}

function landBlock(
  plan: CityPlan,
  cell: Cell,
  use: CellUse,
  half: 0 | 1,
  corners: readonly Corner[],
  centre: DemoBlock['centre'],
): DemoBlock {
  const area = areaOf(plan.lattice, corners);
  const population = peopleIn(plan, cell, use, half);
  return {
    geoid: blockGeoid(plan, cell, half),
    ring: closed(plan.lattice, corners),
    land: use.kind === 'river' ? 0 : area,
    water: use.kind === 'river' ? area : 0,
    housing: Math.ceil(population / PEOPLE_IN_A_HOME),
    cell,
    centre,
    population,
  };
}

function bayBlock(plan: CityPlan, ordinal: number): DemoBlock {
  const { fromColumn, toColumn } = plan.bay[ordinal];
  const shore = Array.from({ length: toColumn - fromColumn + 1 }, (_, i) => ({
    column: fromColumn + i,
    row: 0,
  }));
  const corners = [
    { column: fromColumn, row: -BAY_DEPTH },
    ...shore,
    { column: toColumn, row: -BAY_DEPTH },
  ];
  return {
    geoid: bayGeoid(plan, ordinal),
    ring: closed(plan.lattice, corners),
    water: areaOf(plan.lattice, corners),
    centre: plan.lattice.degrees((fromColumn + toColumn) / 2, -BAY_DEPTH / 2),
    cell: null,
    land: 0,
    population: 0,
    housing: 0,
  };
}

/**
 * Returns the number of people in a block: more towards the city centre; none in parks, on the
 * river or under the motorway.
 */
function peopleIn(plan: CityPlan, cell: Cell, { kind }: CellUse, half: 0 | 1): number {
  if (['river', 'motorway', 'park', 'pocket-park'].includes(kind)) return 0;
  const density = PEOPLE.outskirts + (PEOPLE.downtown - PEOPLE.outskirts) * centrality(plan, cell);
  const share = kind === 'diagonal' ? 0.5 : 1;
  const random = new Random(plan.seed, STREAM, cell.column, cell.row, half);
  return Math.round(density * share * random.between(0.5, 1.5));
}

/** Corners of the lattice on the rim of a rectangle, clockwise from the south-west. */
function cornersAround(from: Corner, to: Corner): Corner[] {
  const corners: Corner[] = [];
  for (let row = from.row; row < to.row; row++) corners.push({ column: from.column, row });
  for (let column = from.column; column < to.column; column++) {
    corners.push({ column, row: to.row });
  }
  for (let row = to.row; row > from.row; row--) corners.push({ column: to.column, row });
  for (let column = to.column; column > from.column; column--) {
    corners.push({ column, row: from.row });
  }
  return corners;
}

function closed(lattice: Lattice, corners: readonly Corner[]): Ring {
  return [...corners, corners[0]].map(({ column, row }) => lattice.degrees(column, row));
}

/** Area in whole square metres, measured before the projection, which preserves areas. */
function areaOf(lattice: Lattice, corners: readonly Corner[]): SquareMetres {
  const points = corners.map(({ column, row }) => lattice.metres(column, row));
  let twice = 0;
  points.forEach(([x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length];
    twice += x * nextY - nextX * y;
  });
  return Math.round(Math.abs(twice) / 2);
}
