import { countWhile } from '../../shards/arrays/sorted.ts';
import { BuildError } from '../errors.ts';
import { openGeoTiff } from './geotiff.ts';
import type { HeightRaster } from './height-raster.ts';
import { openSrtmTile } from './srtm-tile.ts';

/** Rows in memory at a time. */
const BAND_ROWS = 512;

/**
 * Returns the ground heights at some points in metres, NaN where no raster has a height, by
 * bilinear interpolation between the surrounding cells that are not void, also across the borders
 * of rasters. Where they overlap, the finest cells that have a height there are used. `lon` and
 * `lat` are in degrees.
 */
export async function groundHeights(
  rasters: readonly HeightRaster[],
  lon: Float64Array,
  lat: Float64Array,
): Promise<Float64Array> {
  const finestFirst = [...rasters].sort(
    (a, b) => a.stepSouth - b.stepSouth || b.north - a.north || a.west - b.west,
  );
  const heights = new Float64Array(lon.length).fill(Number.NaN);
  const southwards = Uint32Array.from(lat.keys()).sort((a, b) => lat[b] - lat[a]);
  for (const alike of byCellSize(finestFirst)) {
    const means = new CornerMeans(lon.length);
    for (const raster of alike) await addCells(raster, { lon, lat, southwards }, heights, means);
    means.settle(heights);
  }
  return heights;
}

/** Opens an elevation file. Throws a `BuildError` for an unusable one. */
export async function openRaster(file: string): Promise<HeightRaster> {
  if (/\.hgt$/i.test(file)) return openSrtmTile(file);
  if (/\.tiff?$/i.test(file)) return openGeoTiff(file);
  throw new BuildError(`${file}: is neither a GeoTIFF (.tif) nor an SRTM tile (.hgt)`);
}

function byCellSize(rasters: readonly HeightRaster[]): HeightRaster[][] {
  const groups: HeightRaster[][] = [];
  for (const raster of rasters) {
    const last = groups.at(-1);
    if (last && raster.stepSouth < 1.001 * last[0].stepSouth) last.push(raster);
    else groups.push([raster]);
  }
  return groups;
}

interface Points {
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** Ordinals of the points from north to south. */
  readonly southwards: Uint32Array;
}

/**
 * Per point, the weighted mean of the four cells around it, or of those among them with a height.
 */
class CornerMeans {
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;
  /** Per point, a bit mask of the corners that have been added. */
  readonly #added: Uint8Array;

  constructor(points: number) {
    this.#sums = new Float64Array(points);
    this.#weights = new Float64Array(points);
    this.#added = new Uint8Array(points);
  }

  /** Adds a corner, 0 to 3, unless another file that shares it already has. */
  add(point: number, corner: number, height: number, weight: number): void {
    if (this.#added[point] & (1 << corner)) return;
    this.#added[point] |= 1 << corner;
    this.#sums[point] += weight * height;
    this.#weights[point] += weight;
  }

  /** Writes the mean of each point to which at least one corner was added. */
  settle(means: Float64Array): void {
    for (let point = 0; point < means.length; point++) {
      if (this.#weights[point] > 0) means[point] = this.#sums[point] / this.#weights[point];
    }
  }
}

/**
 * Adds the cells of a raster to the means of points that have no height yet and lie within a cell
 * of the raster's cells.
 */
async function addCells(
  raster: HeightRaster,
  { lon, lat, southwards }: Points,
  heights: Float64Array,
  means: CornerMeans,
): Promise<void> {
  const columnOf = (point: number) => (lon[point] - raster.west) / raster.stepEast;
  const rowOf = (point: number) => (raster.north - lat[point]) / raster.stepSouth;
  for (let top = 0; top < raster.rows; top += BAND_ROWS) {
    const bottom = Math.min(top + BAND_ROWS, raster.rows);
    const first = countWhile(southwards.length, (at) => rowOf(southwards[at]) <= top - 1);
    const end = countWhile(southwards.length, (at) => rowOf(southwards[at]) < bottom);
    const near = southwards.subarray(first, end).filter((point) => {
      const column = columnOf(point);
      return column > -1 && column < raster.columns && Number.isNaN(heights[point]);
    });
    if (near.length === 0) continue;
    let [left, right] = [raster.columns, 0];
    for (const point of near) {
      const column = Math.floor(columnOf(point));
      left = Math.min(left, Math.max(0, column));
      right = Math.max(right, Math.min(raster.columns, column + 2));
    }
    const cells = await raster.read({ left, top, right, bottom });
    for (const point of near) {
      const [x, y] = [columnOf(point), rowOf(point)];
      for (let corner = 0; corner < 4; corner++) {
        const column = Math.floor(x) + (corner & 1);
        const row = Math.floor(y) + (corner >> 1);
        if (row < top || row >= bottom || column < left || column >= right) continue;
        const height = cells[(row - top) * (right - left) + column - left];
        const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
        if (!Number.isNaN(height)) means.add(point, corner, height, weight);
      }
    }
  }
}
