import type { Metres } from '../../shards/units.ts';

/**
 * The plain grid: a quarter of the demo city without irregularities, where walking times can be
 * worked out by hand. Its streets are straight, two-way, and cross every 120 m; no path, park or
 * diagonal offers a shortcut, and only its own streets come near a block.
 *
 * Each block starts 20 m north of the middle of the street on its south side, so it is 20 + 60 m
 * from that street's ends: one minute at 4.8 km/h. Each further block side adds a minute and a
 * half.
 */
export const PLAIN_GRID = {
  /** Distance between two parallel streets. */
  spacing: 120 as Metres,
  /** Number of cells, each a block, along a side; there is one more corner than cells. */
  side: 8,
  /** Column and row of the grid's south-west corner in the lattice. */
  column: 2,
  row: 2,
  /** Distance from a block's internal point south to the middle of its street. */
  snap: 20 as Metres,
} as const;

/**
 * POIs of the plain grid, each exactly on a corner. The city has no other POI of their types within
 * half an hour's ride, so the nearest of the type is this one.
 */
export const PLAIN_GRID_PLACES = [
  { label: 'town_halls', name: 'Port Meridian Town Hall', column: 1, row: 6 },
  { label: 'arts_centres', name: 'Meridian Arts Center', column: 4, row: 4 },
  { label: 'cinemas', name: 'Lighthouse Picture House', column: 8, row: 0 },
] as const;

/** Whether a lattice cell is a block of the plain grid, or within `margin` cells of one. */
export function isInPlainGrid(
  { column, row }: { column: number; row: number },
  margin = 0,
): boolean {
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
