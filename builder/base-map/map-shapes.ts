import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { MapKind } from './map-kind.ts';

/** Types of shapes, numbered as in vector tiles. */
export const POINT = 1;
export const LINE = 2;
export const POLYGON = 3;
export type ShapeType = typeof POINT | typeof LINE | typeof POLYGON;

/** Assigns numbers to kinds; equal kinds share a number. */
export class MapKinds {
  readonly #kinds: MapKind[] = [];
  readonly #numbers = new Map<string, number>();

  get all(): readonly MapKind[] {
    return this.#kinds;
  }

  numberOf(kind: MapKind): number {
    const key = JSON.stringify(kind);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#kinds.push(kind) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/**
 * Features of the base map as flat arrays, in units of the world (`web-mercator.ts`). Feature `f`
 * has the parts from `firstPart[f]` to `firstPart[f + 1]`, exclusive, and part `p` the points from
 * `firstPoint[p]` to `firstPoint[p + 1]`, exclusive. A part is a point, a line, or a closed ring
 * whose last point repeats the first. Shells wind so that their area is positive with y pointing
 * south, and precede their holes, whose area is negative.
 */
export class MapShapes {
  readonly kinds = new MapKinds();
  /** Per feature: its key (`keyOf`), the number of its kind, its type, its first zoom. */
  readonly keys = new GrowableArray(Float64Array);
  readonly kind = new GrowableArray(Int32Array);
  readonly type = new GrowableArray(Int32Array);
  readonly minZoom = new GrowableArray(Int32Array);
  readonly firstPart = new GrowableArray(Int32Array);
  readonly firstPoint = new GrowableArray(Int32Array);
  readonly x = new GrowableArray(Int32Array);
  readonly y = new GrowableArray(Int32Array);

  constructor() {
    this.firstPart.push(0);
    this.firstPoint.push(0);
  }

  get count(): number {
    return this.keys.length;
  }

  point(x: number, y: number): void {
    this.x.push(x);
    this.y.push(y);
  }

  /** Ends a part, which has the points added since the previous part. */
  endPart(): void {
    this.firstPoint.push(this.x.length);
  }

  /** Ends a feature, which has the parts added since the previous feature. */
  endFeature(key: number, kind: number, type: ShapeType, minZoom: number): void {
    this.firstPart.push(this.firstPoint.length - 1);
    this.keys.push(key);
    this.kind.push(kind);
    this.type.push(type);
    this.minZoom.push(minZoom);
  }
}

const ELEMENTS = ['node', 'way', 'relation', 'label'] as const;

/**
 * Identifies a feature by the OpenStreetMap element that it was drawn from; the label of an area is
 * a feature of its own.
 */
export function keyOf(element: (typeof ELEMENTS)[number], id: number): number {
  return id * ELEMENTS.length + ELEMENTS.indexOf(element);
}
