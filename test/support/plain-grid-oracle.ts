import { plainBlockCentre } from '../../infra/demo/census-blocks.ts';
import { blockGeoid } from '../../infra/demo/census-ids.ts';
import type { CityPlan } from '../../infra/demo/city-plan.ts';
import type { Cell, Corner } from '../../infra/demo/lattice.ts';
import { PLAIN_GRID, type PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import type { Metres, Minutes } from '../../shards/units.ts';

export type PlainGridPlace = (typeof PLAIN_GRID_PLACES)[number];

const WALK_METRES_PER_MINUTE = 80;

/**
 * Position of a corner of the plain grid, which is 0 to 8 columns east and rows north of the grid's
 * south-west corner.
 */
export function plainGridCorner(
  plan: CityPlan,
  column: number,
  row: number,
): readonly [lon: number, lat: number] {
  return plan.lattice.degrees(PLAIN_GRID.column + column, PLAIN_GRID.row + row);
}

/** A block of the plain grid, by its cell: 0 to 7 columns east and rows north. */
export function plainGridBlock(
  plan: CityPlan,
  column: number,
  row: number,
): { readonly geoid: string; readonly centre: readonly [lon: number, lat: number] } {
  const cell = { column: PLAIN_GRID.column + column, row: PLAIN_GRID.row + row };
  return { geoid: blockGeoid(plan, cell, 0), centre: plainBlockCentre(plan, cell) };
}

/**
 * Metres from a block of the plain grid to a corner of the grid, off the street and along streets.
 */
function plainGridDistance(block: Cell, corner: Corner): Metres {
  const { spacing, snap } = PLAIN_GRID;
  const fromEnd = (end: number) =>
    spacing * (Math.abs(corner.column - end) + Math.abs(corner.row - block.row));
  return snap + spacing / 2 + Math.min(fromEnd(block.column), fromEnd(block.column + 1));
}

/** Minutes to walk from a block of the plain grid to a corner at 4.8 km/h, unrounded. */
export function plainGridWalk(block: Cell, corner: Corner): Minutes {
  return plainGridDistance(block, corner) / WALK_METRES_PER_MINUTE;
}
