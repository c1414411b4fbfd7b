import { twiceSignedArea } from '../../shards/geometry/rings.ts';
import type { MapShapes } from '../base-map/map-shapes.ts';
import { LineSimplifier } from '../geo/simplify.ts';
import { WORLD_BITS } from '../geo/web-mercator.ts';
import { EXTENT_BITS, LAST_LOW_ZOOM } from './fit-to-zoom.ts';
import { PathList } from './path-list.ts';

/** Lines and outlines are simplified to within a quarter of a pixel; half a pixel at low zooms. */
const TOLERANCE = 2;
const LOW_ZOOM_TOLERANCE = 4;

/** Twice the area of the smallest ring that is drawn, which is one pixel. */
const LEAST_TWICE_AREA = 2 * 8 * 8;

/**
 * Fits features to the units of a zoom's tiles. Each feature is simplified by itself after Douglas
 * and Peucker (1973), with its ends kept, so that the result is the same whatever surrounds it, and
 * then rounded.
 */
export class ShapeFitter {
  readonly #firstPoint: Int32Array;
  readonly #firstPart: Int32Array;
  readonly #x: Int32Array;
  readonly #y: Int32Array;
  readonly #shift: number;
  readonly #simplifier: LineSimplifier;

  constructor(shapes: MapShapes, zoom: number) {
    this.#firstPart = shapes.firstPart.view();
    this.#firstPoint = shapes.firstPoint.view();
    this.#x = shapes.x.view();
    this.#y = shapes.y.view();
    this.#shift = WORLD_BITS - EXTENT_BITS - zoom;
    const units = zoom <= LAST_LOW_ZOOM ? LOW_ZOOM_TOLERANCE : TOLERANCE;
    const longest = this.#firstPoint.reduce(
      (most, first, i, all) => (i === 0 ? 0 : Math.max(most, first - all[i - 1])),
      0,
    );
    const points = { x: this.#x, y: this.#y };
    this.#simplifier = new LineSimplifier(points, units * 2 ** this.#shift, longest);
  }

  point(feature: number): [x: number, y: number] {
    const at = this.#firstPoint[this.#firstPart[feature]];
    return [this.#rounded(this.#x[at]), this.#rounded(this.#y[at])];
  }

  lines(feature: number, out: PathList): void {
    for (let part = this.#firstPart[feature]; part < this.#firstPart[feature + 1]; part++) {
      this.#half(this.#firstPoint[part], this.#firstPoint[part + 1] - 1, out);
      if (out.openLength < 2) out.drop();
      else out.end();
    }
  }

  /** The polygons of a feature; rings smaller than a pixel are left out. */
  polygons(feature: number): PathList {
    const out = new PathList();
    let hasShell = false;
    for (let part = this.#firstPart[feature]; part < this.#firstPart[feature + 1]; part++) {
      const [first, last] = [this.#firstPoint[part], this.#firstPoint[part + 1] - 1];
      const isShell = twiceSignedArea(this.#x, this.#y, first, last) > 0;
      if (isShell) hasShell = false;
      else if (!hasShell) continue;
      // A ring has no ends, so it is split at the point farthest from its first.
      const middle = this.#farthestFrom(first, last);
      this.#half(first, middle, out);
      this.#half(middle, last, out);
      out.openRing();
      const area = out.openTwiceArea * (isShell ? 1 : -1);
      if (area < LEAST_TWICE_AREA) {
        out.drop();
        continue;
      }
      if (isShell) {
        hasShell = true;
        out.beginPolygon();
      }
      out.end();
    }
    return out;
  }

  #half(first: number, last: number, out: PathList): void {
    const kept = this.#simplifier.keptPoints(first, last);
    for (let i = first; i <= last; i++) {
      if (kept[i - first] === 1) out.add(this.#rounded(this.#x[i]), this.#rounded(this.#y[i]));
    }
  }

  #farthestFrom(first: number, last: number): number {
    let [farthest, most] = [first, 0];
    for (let i = first + 1; i < last; i++) {
      const away = (this.#x[i] - this.#x[first]) ** 2 + (this.#y[i] - this.#y[first]) ** 2;
      if (away > most) [farthest, most] = [i, away];
    }
    return farthest;
  }

  #rounded(at: number): number {
    return (at + 2 ** (this.#shift - 1)) >> this.#shift;
  }
}
