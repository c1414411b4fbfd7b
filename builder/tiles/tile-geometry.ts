import { VarintWriter } from '../../shards/codec/varint.ts';
import type { PathView } from './cut-into-tiles.ts';
import { EXTENT } from './fit-to-zoom.ts';

const MOVE_TO = 1;
const LINE_TO = 2;
const CLOSE_PATH = 7;
const command = (id: number, count: number): number => (count << 3) | id;

/**
 * The geometry of a feature under construction, as commands with coordinates relative to the
 * previous point. Positions are given in units of their zoom, and belong to the tile whose
 * north-west corner is at `originX`, `originY`.
 */
abstract class TileGeometry {
  /** Type of geometry, as numbered in vector tiles. */
  abstract readonly type: 1 | 2 | 3;
  protected readonly commands = new VarintWriter(64);
  #x = 0;
  #y = 0;
  /** Whether any part extends into the tile itself, not only into its buffer. */
  inSight = false;

  get bytes(): Uint8Array {
    return this.commands.view();
  }

  /** Adds a path through the points x, y, x, y …: a move to the first, and lines to the others. */
  protected path(points: readonly number[], originX: number, originY: number): void {
    this.commands.uint(command(MOVE_TO, 1));
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = [points[i] - originX, points[i + 1] - originY];
      if (i === 2) this.commands.uint(command(LINE_TO, points.length / 2 - 1));
      this.commands.int(x - this.#x);
      this.commands.int(y - this.#y);
      this.#x = x;
      this.#y = y;
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
    }
    this.inSight ||= minX < EXTENT && maxX > 0 && minY < EXTENT && maxY > 0;
  }
}

export type { TileGeometry };

export class PointGeometry extends TileGeometry {
  readonly type = 1;

  /** Always true, since a point belongs to the tile that contains it, and to no buffer. */
  override inSight = true;

  constructor(x: number, y: number, originX: number, originY: number) {
    super();
    this.path([x, y], originX, originY);
  }
}

/** Any number of lines. */
export class LineGeometry extends TileGeometry {
  readonly type = 2;

  /** Adds a line without the points in the middle of straight stretches. */
  addLine(line: PathView, originX: number, originY: number): void {
    const points = withoutStraightPoints(line);
    if (points.length > 2) this.path(points, originX, originY);
  }
}

/** The type of polygons in vector tiles. */
export const POLYGON = 3;

/** Any number of polygons: each shell is followed by its holes. */
export class PolygonGeometry extends TileGeometry {
  readonly type = POLYGON;

  /**
   * Adds a ring without the points in the middle of straight sides. A ring without an area is left
   * out.
   */
  addRing(ring: PathView, originX: number, originY: number): void {
    const points = openEnds(withoutStraightPoints(ring));
    if (points.length < 6) return;
    this.path(points, originX, originY);
    this.commands.uint(command(CLOSE_PATH, 1));
  }
}

/**
 * Returns the corners of a line as x, y, x, y …, without spikes and points in the middle of
 * straight stretches.
 */
function withoutStraightPoints({ x, y, start, end }: PathView): number[] {
  const out: number[] = [];
  for (let i = start; i < end; i++) {
    while (
      out.length >= 4 &&
      isStraight(out.at(-4)!, out.at(-3)!, out.at(-2)!, out.at(-1)!, x[i], y[i])
    ) {
      out.length -= 2;
    }
    if (out.length >= 2 && out.at(-2) === x[i] && out.at(-1) === y[i]) continue;
    out.push(x[i], y[i]);
  }
  return out;
}

/**
 * Removes points in the middle of a straight side where a ring closes. Returns no points for a ring
 * without an area.
 */
function openEnds(points: number[]): number[] {
  let first = 0;
  for (;;) {
    const left = points.length - first;
    if (left < 6) return [];
    const [x0, y0, x1, y1] = points.slice(first, first + 4);
    const [xm, ym, xn, yn] = points.slice(-4);
    if (isStraight(xm, ym, xn, yn, x0, y0)) points.length -= 2;
    else if (isStraight(xn, yn, x0, y0, x1, y1)) first += 2;
    else return first === 0 ? points : points.slice(first);
  }
}

function isStraight(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
): boolean {
  return (bx - ax) * (cy - by) === (by - ay) * (cx - bx);
}
