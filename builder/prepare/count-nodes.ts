import { z } from 'zod';
import { readPass } from '../extract/pbf-pass.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import type { PreparationJobContext } from './preparation.ts';
import type { NodesJobSpec } from './preparation-job.ts';

/** Numbers of nodes in a range of a file: of all nodes, and of those in each non-empty cell. */
export const nodeCountsSchema = z.strictObject({
  all: z.int(),
  byCell: z.array(z.tuple([z.int(), z.int()])),
});
export type NodeCounts = z.infer<typeof nodeCountsSchema>;

/**
 * Counts the nodes of a range of an OpenStreetMap file. Where ways have the locations of their
 * nodes, a node counts once more for each way.
 */
export async function countNodes(
  path: string,
  { edges, ...range }: NodesJobSpec,
  { onWork }: PreparationJobContext,
): Promise<NodeCounts> {
  const cells = CellRectangle.within(edges);
  const byCell = new Map<number, number>();
  let all = 0;
  const location = (_id: number, lon: number, lat: number) => {
    all++;
    const cell = cells.at(lon, lat);
    if (cell !== -1) byCell.set(cell, (byCell.get(cell) ?? 0) + 1);
  };
  await readPass(path, { node: location, location }, onWork, range);
  return { all, byCell: [...byCell] };
}
