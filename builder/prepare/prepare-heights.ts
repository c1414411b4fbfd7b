import { z } from 'zod';
import { openRaster } from '../elevation/ground-heights.ts';
import { encodeHeights } from '../elevation/height-cell.ts';
import type { HeightRaster } from '../elevation/height-raster.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { putObject } from '../publish/put-object.ts';
import type { PreparationJobContext } from './preparation.ts';
import type { ElevationJobSpec } from './preparation-job.ts';
import { type PreparedCells, preparedCellsSchema } from './read-cells.ts';

export const preparedHeightsSchema = z.strictObject({ cells: preparedCellsSchema });

/** Reads the heights of some cells from elevation files, and puts those of each into the store. */
export async function prepareHeights(
  paths: readonly string[],
  { cells }: ElevationJobSpec,
  { store, onWork }: PreparationJobContext,
): Promise<z.infer<typeof preparedHeightsSchema>> {
  const rasters: HeightRaster[] = [];
  const prepared: PreparedCells = {};
  try {
    for (const path of paths) rasters.push(await openRaster(path));
    for (const cell of cells) {
      const bytes = await encodeHeights(rasters, CellRectangle.single(cell).box);
      onWork(1);
      if (bytes === null) continue;
      prepared[cell] = await putObject(store, `prepared/heights-${cell}`, 'tta', bytes);
    }
  } finally {
    for (const raster of rasters) await raster.close();
  }
  return { cells: prepared };
}
