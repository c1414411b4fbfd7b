import { VarintReader, VarintWriter } from '../../shards/codec/varint.ts';
import { writeEnvelope } from '../../shards/store/envelope.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { openTable } from '../inputs/number-table.ts';
import { type CellWindow, type HeightRaster, withoutVoids } from './height-raster.ts';

const KIND = 'HGHT';
/** Stands for a missing height among whole metres. */
const VOID = -32_768;

type Lattice = Omit<HeightRaster, 'read' | 'close'>;

/** The heights of a raster in a window, on the raster's lattice, so that samples are the same. */
interface HeightWindow {
  readonly lattice: Lattice;
  readonly window: CellWindow;
  /** Whether all heights are whole metres, which take less room. */
  readonly isWhole: boolean;
}

/**
 * Encodes the heights of rasters in a box: all that bilinear interpolation within the box needs.
 * Null if there are none. Heights keep their full precision.
 */
export async function encodeHeights(
  rasters: readonly HeightRaster[],
  box: BoundingBox,
): Promise<Uint8Array | null> {
  const windows: HeightWindow[] = [];
  const cells = new VarintWriter(1 << 16);
  for (const { read, close: _, ...lattice } of rasters) {
    const window = windowAround(lattice, box);
    if (window.left >= window.right || window.top >= window.bottom) continue;
    const heights = await read(window);
    if (heights.every(Number.isNaN)) continue;
    const isWhole = heights.every((height) => Number.isNaN(height) || Number.isInteger(height));
    windows.push({ lattice, window, isWhole });
    let before = 0;
    for (const number of isWhole ? heights : new Int32Array(heights.buffer)) {
      const value = Number.isNaN(number) ? VOID : number;
      cells.int(value - before);
      before = value;
    }
  }
  if (windows.length === 0) return null;
  return writeEnvelope(KIND, [
    { tag: 'HEAD', bytes: Buffer.from(JSON.stringify(windows)) },
    { tag: 'CELL', bytes: cells.view() },
  ]);
}

/** Decodes the rasters in the object of this name, which have heights in its box only. */
export function decodeHeights(object: string, bytes: Uint8Array): HeightRaster[] {
  const { section } = openTable(object, bytes, KIND);
  const windows = JSON.parse(Buffer.from(section('HEAD')).toString()) as HeightWindow[];
  const cells = new VarintReader(section('CELL'));
  return windows.map(({ lattice, window, isWhole }) => {
    const columns = window.right - window.left;
    const heights = new Float32Array(columns * (window.bottom - window.top));
    const numbers = isWhole ? heights : new Int32Array(heights.buffer);
    let value = 0;
    for (let i = 0; i < numbers.length; i++) {
      value += cells.int();
      numbers[i] = value;
    }
    if (isWhole) withoutVoids(heights, VOID);
    return {
      ...lattice,
      async read({ left, top, right, bottom }: CellWindow) {
        const asked = new Float32Array((right - left) * (bottom - top)).fill(Number.NaN);
        const [from, to] = [Math.max(left, window.left), Math.min(right, window.right)];
        const end = Math.min(bottom, window.bottom);
        for (let row = Math.max(top, window.top); row < end && from < to; row++) {
          const at = (row - window.top) * columns - window.left;
          const line = heights.subarray(at + from, at + to);
          asked.set(line, (row - top) * (right - left) + from - left);
        }
        return asked;
      },
      close: async () => {},
    };
  });
}

function windowAround(raster: Lattice, box: BoundingBox): CellWindow {
  const { west, north, stepEast, stepSouth, columns, rows } = raster;
  return {
    left: Math.max(0, Math.floor((box.minLon - west) / stepEast)),
    right: Math.min(columns, Math.floor((box.maxLon - west) / stepEast) + 2),
    top: Math.max(0, Math.floor((north - box.maxLat) / stepSouth)),
    bottom: Math.min(rows, Math.floor((north - box.minLat) / stepSouth) + 2),
  };
}

export function hasCellsIn(raster: HeightRaster, box: BoundingBox): boolean {
  const { left, right, top, bottom } = windowAround(raster, box);
  return left < right && top < bottom;
}
