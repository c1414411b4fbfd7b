import { PbfWriter } from 'pbf';
import { VarintWriter } from '../../shards/codec/varint.ts';
import type { RingView } from './cut-into-tiles.ts';
import { EXTENT } from './fit-to-zoom.ts';

export type PropertyValue = string | number;

/** Field numbers of the Mapbox Vector Tile 2.1 schema. */
const TILE = { layers: 3 };
const LAYER = { name: 1, features: 2, keys: 3, values: 4, extent: 5, version: 15 };
const FEATURE = { id: 1, tags: 2, type: 3, geometry: 4 };
const VALUE = { string: 1, uint: 5 };
const POLYGON = 3;
const VERSION = 2;

const MOVE_TO = 1;
const LINE_TO = 2;
const CLOSE_PATH = 7;
const command = (id: number, count: number): number => (count << 3) | id;

/**
 * The geometry of a polygon feature under construction: commands, relative to the end of the last
 * one.
 */
export class PolygonGeometry {
  readonly #commands = new VarintWriter(64);
  #x = 0;
  #y = 0;
  #inSight = false;

  /** Whether any ring extends into the tile itself, not only into its buffer. */
  get inSight(): boolean {
    return this.#inSight;
  }

  get bytes(): Uint8Array {
    return this.#commands.view();
  }

  /**
   * Adds a ring, given in units of its zoom, to the tile whose north-west corner is at `originX`,
   * `originY`. Points on a straight line are removed. A ring without an area is left out.
   */
  addRing(ring: RingView, originX: number, originY: number): void {
    const points = withoutStraightPoints(ring);
    const count = points.length / 2;
    if (count < 3) return;
    this.#commands.uint(command(MOVE_TO, 1));
    this.#point(points[0] - originX, points[1] - originY);
    this.#commands.uint(command(LINE_TO, count - 1));
    let [minX, minY, maxX, maxY] = [points[0], points[1], points[0], points[1]];
    for (let i = 2; i < points.length; i += 2) {
      const [x, y] = [points[i], points[i + 1]];
      this.#point(x - originX, y - originY);
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
    }
    this.#commands.uint(command(CLOSE_PATH, 1));
    this.#inSight ||=
      minX < originX + EXTENT && maxX > originX && minY < originY + EXTENT && maxY > originY;
  }

  #point(x: number, y: number): void {
    this.#commands.int(x - this.#x);
    this.#commands.int(y - this.#y);
    this.#x = x;
    this.#y = y;
  }
}

/**
 * Corners of a ring as x, y, x, y …: spikes and points in the middle of a straight line are
 * removed.
 */
function withoutStraightPoints({ x, y, start, end }: RingView): number[] {
  const out: number[] = [];
  const isStraight = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number) =>
    (bx - ax) * (cy - by) === (by - ay) * (cx - bx);
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
  // Also where the ring closes.
  let first = 0;
  for (;;) {
    const left = out.length - first;
    if (left < 6) return [];
    const [x0, y0, x1, y1] = out.slice(first, first + 4);
    const [xm, ym, xn, yn] = out.slice(-4);
    if (isStraight(xm, ym, xn, yn, x0, y0)) out.length -= 2;
    else if (isStraight(xn, yn, x0, y0, x1, y1)) first += 2;
    else return first === 0 ? out : out.slice(first);
  }
}

/** A tile of one layer of polygons. */
export class VectorTile {
  readonly #name: string;
  readonly #keys: string[] = [];
  readonly #values: PropertyValue[] = [];
  readonly #valueIndex = new Map<PropertyValue, number>();
  readonly #features: { id: number | undefined; tags: number[]; geometry: Uint8Array }[] = [];
  #inSight = false;

  constructor(layer: string) {
    this.#name = layer;
  }

  /** Whether any of it is in the tile itself. */
  get inSight(): boolean {
    return this.#inSight;
  }

  addFeature(
    geometry: PolygonGeometry,
    properties: Readonly<Record<string, PropertyValue | null>>,
    id?: number,
  ): void {
    if (geometry.bytes.length === 0) return;
    const tags: number[] = [];
    for (const [key, value] of Object.entries(properties)) {
      if (value !== null) tags.push(this.#keyIndex(key), this.#indexOf(value));
    }
    this.#features.push({ id, tags, geometry: geometry.bytes });
    this.#inSight ||= geometry.inSight;
  }

  encode(): Uint8Array {
    const out = new PbfWriter();
    out.writeMessage(TILE.layers, (_, layer) => this.#writeLayer(layer), null);
    return out.finish();
  }

  #writeLayer(layer: PbfWriter): void {
    layer.writeVarintField(LAYER.version, VERSION);
    layer.writeStringField(LAYER.name, this.#name);
    for (const feature of this.#features) {
      layer.writeMessage(
        LAYER.features,
        ({ id, tags, geometry }, out) => {
          if (id !== undefined) out.writeVarintField(FEATURE.id, id);
          out.writePackedVarint(FEATURE.tags, tags);
          out.writeVarintField(FEATURE.type, POLYGON);
          out.writeBytesField(FEATURE.geometry, geometry);
        },
        feature,
      );
    }
    for (const key of this.#keys) layer.writeStringField(LAYER.keys, key);
    for (const value of this.#values) {
      layer.writeMessage(
        LAYER.values,
        (one, out) => {
          if (typeof one === 'string') out.writeStringField(VALUE.string, one);
          else out.writeVarintField(VALUE.uint, one);
        },
        value,
      );
    }
    layer.writeVarintField(LAYER.extent, EXTENT);
  }

  #keyIndex(key: string): number {
    const index = this.#keys.indexOf(key);
    return index === -1 ? this.#keys.push(key) - 1 : index;
  }

  #indexOf(value: PropertyValue): number {
    let index = this.#valueIndex.get(value);
    if (index === undefined) {
      index = this.#values.push(value) - 1;
      this.#valueIndex.set(value, index);
    }
    return index;
  }
}
