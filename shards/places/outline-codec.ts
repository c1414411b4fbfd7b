import type { Rings } from '../geometry/rings.ts';
import type { VarintReader, VarintWriter } from '../varint.ts';

/** Writes the rings of one area: each its number of points, then the steps between them. */
export function writeOutline(writer: VarintWriter, { firstPoint, x, y }: Rings): void {
  const rings = firstPoint.length - 1;
  writer.uint(rings);
  for (let r = 0; r < rings; r++) writer.uint(firstPoint[r + 1] - firstPoint[r]);
  let [atX, atY] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    writer.int(x[i] - atX);
    writer.int(y[i] - atY);
    [atX, atY] = [x[i], y[i]];
  }
}

/** Reads what `writeOutline` wrote; a `RangeError` where that is not there. */
export function readOutline(reader: VarintReader): Rings {
  const rings = reader.uint();
  if (rings > reader.left) throw new RangeError(`counts ${rings} rings`);
  const firstPoint = new Uint32Array(rings + 1);
  for (let r = 0; r < rings; r++) firstPoint[r + 1] = firstPoint[r] + reader.uint();
  const points = firstPoint[rings];
  if (points > reader.left) throw new RangeError(`counts ${points} points`);
  const x = new Int32Array(points);
  const y = new Int32Array(points);
  let [atX, atY] = [0, 0];
  for (let i = 0; i < points; i++) {
    x[i] = atX += reader.int();
    y[i] = atY += reader.int();
  }
  return { firstRing: Uint32Array.of(0, rings), firstPoint, x, y };
}
