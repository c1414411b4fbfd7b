import type Flatbush from 'flatbush';
import { orient2d } from 'robust-predicates';
import type { Degrees } from '../../shards/units.ts';
import { segmentTree } from '../geo/segments.ts';
import type { Tags } from '../osm/tags.ts';

const WATERWAYS = new Set(['river', 'canal', 'riverbank', 'dock']);
const RAILWAYS = new Set(['rail', 'subway']);
const MOTORWAYS = new Set(['motorway', 'motorway_link']);

/**
 * Whether a line can only be crossed where a street is mapped. This holds for open water, tracks
 * and motorways, except underground or on a bridge. Streams can be stepped over, and tracks in a
 * street (`tram`, `light_rail`) can be crossed.
 */
export function isImpassable(tags: Tags): boolean {
  if (tags.size === 0) return false;
  const isMapped = (key: string) => tags.has(key) && tags.get(key) !== 'no';
  if (isMapped('tunnel') || isMapped('bridge') || isMapped('covered')) return false;
  return (
    isOpenWater(tags) ||
    WATERWAYS.has(tags.get('waterway') ?? '') ||
    RAILWAYS.has(tags.get('railway') ?? '') ||
    MOTORWAYS.has(tags.get('highway') ?? '') ||
    (tags.get('motorroad') === 'yes' && tags.has('highway'))
  );
}

/** Whether an area is water; its outline is impassable. */
export function isOpenWater(tags: Tags): boolean {
  const natural = tags.get('natural');
  return natural === 'water' || natural === 'coastline' || tags.get('waterway') === 'riverbank';
}

/**
 * Lines as flat arrays: line `l` has the points `firstPoint[l]` to `firstPoint[l + 1]`, exclusive.
 */
export interface Lines {
  readonly count: number;
  readonly firstPoint: Uint32Array;
  /** WGS84 degrees. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
}

/** Lines that cannot be crossed, with a test for whether any of them is between two points. */
export class Impassable {
  readonly lines: Lines;
  /** Spatial index of the segments of all lines; null if there are none. */
  readonly #tree: Flatbush | null;
  /** The point at which each segment in the tree starts. */
  readonly #point: Uint32Array;
  /**
   * The segment where the last crossing was found, which is tested first: lines to nearby places
   * mostly cross the same segment.
   */
  #lastCrossed: number;

  constructor(lines: Lines) {
    this.lines = lines;
    const { count, firstPoint, lon, lat } = lines;
    const points: number[] = [];
    for (let line = 0; line < count; line++) {
      for (let p = firstPoint[line]; p < firstPoint[line + 1] - 1; p++) points.push(p);
    }
    this.#point = Uint32Array.from(points);
    this.#lastCrossed = points[0] ?? 0;
    this.#tree = segmentTree(points, lon, lat);
  }

  /** Whether a straight line crosses an impassable one; touching it does not count. */
  isBetween(lonA: Degrees, latA: Degrees, lonB: Degrees, latB: Degrees): boolean {
    if (!this.#tree) return false;
    if (this.#isCrossed(this.#lastCrossed, lonA, latA, lonB, latB)) return true;
    let crosses = false;
    this.#tree.search(
      Math.min(lonA, lonB),
      Math.min(latA, latB),
      Math.max(lonA, lonB),
      Math.max(latA, latB),
      (segment) => {
        if (crosses || !this.#isCrossed(this.#point[segment], lonA, latA, lonB, latB)) return false;
        crosses = true;
        this.#lastCrossed = this.#point[segment];
        return false;
      },
    );
    return crosses;
  }

  /**
   * Whether a line crosses the segment that starts at a point. A point exactly on the line counts
   * as being on the side where `orient2d` is positive.
   */
  #isCrossed(point: number, lonA: Degrees, latA: Degrees, lonB: Degrees, latB: Degrees): boolean {
    const { lon, lat } = this.lines;
    const [x1, y1, x2, y2] = [lon[point], lat[point], lon[point + 1], lat[point + 1]];
    const isLeft = (x: Degrees, y: Degrees) => orient2d(lonA, latA, lonB, latB, x, y) >= 0;
    if (isLeft(x1, y1) === isLeft(x2, y2)) return false;
    return orient2d(x1, y1, x2, y2, lonA, latA) * orient2d(x1, y1, x2, y2, lonB, latB) < 0;
  }
}

export const NOTHING_IMPASSABLE = new Impassable({
  count: 0,
  firstPoint: Uint32Array.of(0),
  lon: new Float64Array(0),
  lat: new Float64Array(0),
});
