import { z } from 'zod';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { counted } from '../../shards/number-words.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox, Bytes, Metres } from '../../shards/units.ts';
import { groundHeights, openRaster } from '../elevation/ground-heights.ts';
import { decodeHeights, encodeHeights, hasCellsIn } from '../elevation/height-cell.ts';
import type { HeightRaster } from '../elevation/height-raster.ts';
import { BuildError } from '../errors.ts';
import { CellRectangle, EARTH } from '../geo/cell-rectangle.ts';
import { putObject } from '../publish/put-object.ts';
import { type PreparedCells, preparedCellsSchema } from './cells.ts';
import {
  type ElevationJobSpec,
  type PreparationByJobs,
  type PreparationJob,
  type PreparationJobContext,
  prepareByJobs,
} from './preparation.ts';

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
  const squares = groupBy(cells, (cell) => {
    const { minLon, minLat } = boxOf(cell);
    return `${Math.floor(minLon)} ${Math.floor(minLat)}`;
  });
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

const preparedHeightsSchema = z.strictObject({ cells: preparedCellsSchema });

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
      const bytes = await encodeHeights(rasters, boxOf(cell));
      onWork(1);
      if (bytes === null) continue;
      prepared[cell] = await putObject(store, `prepared/heights-${cell}`, 'tta', bytes);
    }
  } finally {
    for (const raster of rasters) await raster.close();
  }
  return { cells: prepared };
}

/**
 * Returns the ground heights of a plan at some points, as `groundHeights` does. Holds one cell at a
 * time.
 */
export async function heightsAt(
  store: Store,
  prepared: PreparedCells,
  lon: Float64Array,
  lat: Float64Array,
): Promise<Float64Array> {
  const heights = new Float64Array(lon.length).fill(Number.NaN);
  const pointsIn = groupBy(lon.keys(), (point) => EARTH.at(lon[point], lat[point]));
  for (const [cell, points] of pointsIn) {
    const ref = prepared[cell];
    if (!ref) continue;
    const rasters = decodeHeights(ref.name, await readVerified(store, ref));
    const here: readonly Metres[] = Array.from(
      await groundHeights(
        rasters,
        Float64Array.from(points, (point) => lon[point]),
        Float64Array.from(points, (point) => lat[point]),
      ),
    );
    for (const [i, point] of points.entries()) heights[point] = here[i];
  }
  return heights;
}
