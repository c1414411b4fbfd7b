import { PbfWriter } from 'pbf';
import type { PropertyValue } from '../base-map/map-kind.ts';
import { EXTENT } from './fit-to-zoom.ts';
import type { TileGeometry } from './tile-geometry.ts';

/** Field numbers of the Mapbox Vector Tile 2.1 schema. */
const TILE = { layers: 3 };
const LAYER = { name: 1, features: 2, keys: 3, values: 4, extent: 5, version: 15 };
const FEATURE = { id: 1, tags: 2, type: 3, geometry: 4 };
const VALUE = { string: 1, double: 3, uint: 5, bool: 7 };
const VERSION = 2;

export function encodeTile(layers: readonly TileLayer[]): Uint8Array {
  const out = new PbfWriter();
  for (const layer of layers) out.writeMessage(TILE.layers, (one, pbf) => one.writeTo(pbf), layer);
  return out.finish();
}

type EncodedGeometry = Pick<TileGeometry, 'type' | 'bytes' | 'inSight'>;

interface Feature {
  readonly id: number | undefined;
  readonly tags: number[];
  readonly geometry: EncodedGeometry;
}

export class TileLayer {
  readonly #name: string;
  /** By name, and by value, their positions. */
  readonly #keys = new Map<string, number>();
  readonly #values = new Map<PropertyValue, number>();
  readonly #features: Feature[] = [];
  #inSight = false;

  constructor(name: string) {
    this.#name = name;
  }

  /** Whether any feature extends into the tile itself, not only into its buffer. */
  get inSight(): boolean {
    return this.#inSight;
  }

  addFeature(
    geometry: EncodedGeometry,
    properties: Readonly<Record<string, PropertyValue | null>>,
    id?: number,
  ): void {
    if (geometry.bytes.length === 0) return;
    const tags: number[] = [];
    for (const [key, value] of Object.entries(properties)) {
      if (value !== null) tags.push(positionIn(this.#keys, key), positionIn(this.#values, value));
    }
    this.#features.push({ id, tags, geometry });
    this.#inSight ||= geometry.inSight;
  }

  writeTo(layer: PbfWriter): void {
    layer.writeVarintField(LAYER.version, VERSION);
    layer.writeStringField(LAYER.name, this.#name);
    for (const feature of this.#features) {
      layer.writeMessage(
        LAYER.features,
        ({ id, tags, geometry }, out) => {
          if (id !== undefined) out.writeVarintField(FEATURE.id, id);
          out.writePackedVarint(FEATURE.tags, tags);
          out.writeVarintField(FEATURE.type, geometry.type);
          out.writeBytesField(FEATURE.geometry, geometry.bytes);
        },
        feature,
      );
    }
    for (const key of this.#keys.keys()) layer.writeStringField(LAYER.keys, key);
    for (const value of this.#values.keys()) {
      layer.writeMessage(
        LAYER.values,
        (one, out) => {
          if (typeof one === 'string') out.writeStringField(VALUE.string, one);
          else if (typeof one === 'boolean') out.writeBooleanField(VALUE.bool, one);
          else if (Number.isSafeInteger(one) && one >= 0) out.writeVarintField(VALUE.uint, one);
          else out.writeDoubleField(VALUE.double, one);
        },
        value,
      );
    }
    layer.writeVarintField(LAYER.extent, EXTENT);
  }
}

/** Adds a value that is not there at the end; returns the position of the value. */
function positionIn<T>(positions: Map<T, number>, value: T): number {
  let position = positions.get(value);
  if (position === undefined) {
    position = positions.size;
    positions.set(value, position);
  }
  return position;
}
