import { counted } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { openRaster } from '../elevation/ground-heights.ts';
import { hasCellsIn } from '../elevation/height-cell.ts';
import type { HeightRaster } from '../elevation/height-raster.ts';
import { BuildError } from '../errors.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { prepareByJobs } from './prepare-by-jobs.ts';
import { preparedHeightsSchema } from './prepare-heights.ts';
import type { PreparedCells } from './read-cells.ts';

/** Memory of a job: the heights of a cell, 29 MB of those of 3DEP, and an unpacked strip. */
const JOB_BYTES: Bytes = 250e6;

interface HeightPreparation extends PreparationByJobs {
  readonly paths: readonly string[];
  /** The cells whose heights are needed, those that have streets. */
  readonly cells: readonly number[];
}

/**
 * Reads elevation files once for all units, by a job for each square degree, and puts the heights
 * of each cell into the store. Throws a `BuildError` for an unusable file, or if no file has a
 * height in any of the cells.
 */
export async function writeHeights(preparation: HeightPreparation): Promise<PreparedCells> {
  const { paths, progress } = preparation;
  if (paths.length === 0) return {};
  const jobs = await jobsOf(preparation);
  const toRead = jobs.reduce((sum, { work }) => sum + work, 0);
  const stage = progress.start('elevation', toRead, 'cells');
  const read = await prepareByJobs(jobs, preparedHeightsSchema, preparation, stage);
  const prepared: PreparedCells = Object.assign({}, ...read.map(({ cells }) => cells));
  const found = Object.keys(prepared).length;
  stage.finish(`heights in ${counted(found, 'cell')} of ${preparation.cells.length} with streets`);
  if (found > 0) return prepared;
  throw new BuildError(
    `${paths.join(', ')}: no elevation data where the streets are; wrong tiles?`,
  );
}

/** Defines a job for each square degree, on the files that have heights there. */
async function jobsOf({ paths, cells }: HeightPreparation): Promise<PreparationJob[]> {
  const squares = new Map<string, number[]>();
  for (const cell of cells) {
    const { minLon, minLat } = CellRectangle.single(cell).box;
    const square = `${Math.floor(minLon)} ${Math.floor(minLat)}`;
    squares.set(square, [...(squares.get(square) ?? []), cell]);
  }
  const extents: { readonly path: string; readonly raster: HeightRaster }[] = [];
  for (const path of paths) {
    const raster = await openRaster(path);
    await raster.close();
    extents.push({ path, raster });
  }
  return [...squares.values()].flatMap((own): PreparationJob[] => {
    const near = extents.filter(({ raster }) =>
      own.some((cell) => hasCellsIn(raster, boxOf(cell))),
    );
    if (near.length === 0) return [];
    return [
      {
        spec: { kind: 'elevation', cells: own },
        paths: near.map(({ path }) => path),
        memory: JOB_BYTES,
        work: own.length,
      },
    ];
  });
}

function boxOf(cell: number): BoundingBox {
  return CellRectangle.single(cell).box;
}
