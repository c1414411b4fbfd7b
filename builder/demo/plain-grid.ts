import type { Metres, Minutes } from '../../shards/units.ts';
import { blockGeoid } from './census-ids.ts';
import type { CityPlan } from './city-plan.ts';
import type { Cell, Corner } from './lattice.ts';

/**
 * The plain grid: a quarter of the demo city without a surprise, where walking times can be worked
 * out by hand. Its streets are straight, open both ways, and cross every 120 m; no path, park or
 * diagonal shortens a way, and no street but its own comes near a block.
 *
 * Every block begins 20 m north of the middle of the street on its south side, so it is 20 + 60 m
 * from that street's ends: one minute at 4.8 km/h. A side of a block more is a minute and a half.
 */
export const PLAIN_GRID = {
  /** Between two parallel streets. */
  spacing: 120 as Metres,
  /** Cells of the grid, each a block, on a side; one more corner than cells. */
  side: 8,
  /** Lattice place of the grid's south-west corner. */
  column: 2,
  row: 2,
  /** From a block's internal point south to its street, which it meets in the middle. */
  snap: 20 as Metres,
} as const;

/**
 * Places in the plain grid, each standing exactly on a corner. The city has no other place of their
 * types within half an hour's ride, so the nearest of the type is this one.
 */
export const PLAIN_GRID_PLACES = [
  { label: 'town_halls', name: 'Port Meridian Town Hall', column: 1, row: 6 },
  { label: 'arts_centres', name: 'Meridian Arts Center', column: 4, row: 4 },
  { label: 'cinemas', name: 'Lighthouse Picture House', column: 8, row: 0 },
] as const;

export type PlainGridPlace = (typeof PLAIN_GRID_PLACES)[number];

const WALK_METRES_PER_MINUTE = 80;

/** Where a corner of the plain grid lies, 0 to 8 columns east and rows north of its south-west one. */
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

/** Metres from a block of the plain grid to a corner of it, off the street and along streets. */
export function plainGridDistance(block: Cell, corner: Corner): Metres {
  const { spacing, snap } = PLAIN_GRID;
  const fromEnd = (end: number) =>
    spacing * (Math.abs(corner.column - end) + Math.abs(corner.row - block.row));
  return snap + spacing / 2 + Math.min(fromEnd(block.column), fromEnd(block.column + 1));
}

/** The same as minutes at 4.8 km/h, unrounded. */
export function plainGridWalk(block: Cell, corner: Corner): Minutes {
  return plainGridDistance(block, corner) / WALK_METRES_PER_MINUTE;
}

/** Whether a lattice cell is a block of the plain grid, or within `margin` cells of one. */
export function isInPlainGrid({ column, row }: Cell, margin = 0): boolean {
  const { side, column: west, row: south } = PLAIN_GRID;
  return (
    column >= west - margin &&
    column < west + side + margin &&
    row >= south - margin &&
    row < south + side + margin
  );
}

/** Whether a lattice corner is one of the plain grid's. */
export function isPlainCorner(column: number, row: number): boolean {
  const { side, column: west, row: south } = PLAIN_GRID;
  return column >= west && column <= west + side && row >= south && row <= south + side;
}

/** The internal point of a plain grid block, by its lattice cell. */
export function plainBlockCentre(plan: CityPlan, { column, row }: Cell) {
  return plan.lattice.degrees(column + 0.5, row + PLAIN_GRID.snap / PLAIN_GRID.spacing);
}
