/** Fields of the FlatBuffers tables, in the order of the FlatGeobuf 3 schema. */
const HEADER = { featuresCount: 8, indexNodeSize: 9 };
const FEATURE = { geometry: 0, properties: 1 };
const GEOMETRY = { ends: 0, xy: 1, parts: 7 };
const MAGIC = [0x66, 0x67, 0x62, 0x03];
/** Size of a packed R-tree node: a box, and the offset of its contents. */
export const NODE_BYTES = 40;
const GEOID = /^(\d{15}|\d{7})$/;
const GEOID_DIGITS = 15;

/**
 * Reads the needed fields of a block FlatGeobuf in place; the library's reader allocates an object
 * per point. Offsets are those of FlatBuffers tables and vectors. Throws a `RangeError` for missing
 * data.
 */
export class FlatGeobufView {
  readonly featureCount: number;
  readonly firstFeature: number;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (MAGIC.some((byte, i) => bytes[i] !== byte)) throw new RangeError('are not a FlatGeobuf');
    const header = this.#follow(12);
    const count = this.#field(header, HEADER.featuresCount);
    const nodeSize = this.#field(header, HEADER.indexNodeSize);
    this.featureCount = count === 0 ? 0 : Number(this.#view.getBigUint64(count, true));
    if (this.featureCount > bytes.length) throw new RangeError(`number ${this.featureCount}`);
    const index = 12 + this.#view.getUint32(8, true);
    // An absent field means the default, 16.
    const side = nodeSize === 0 ? 16 : this.#view.getUint16(nodeSize, true);
    this.firstFeature = index + treeNodes(this.featureCount, side) * NODE_BYTES;
  }

  get bytes(): number {
    return this.#view.byteLength;
  }

  featureAfter(feature: number): number {
    return feature + 4 + this.#view.getUint32(feature, true);
  }

  /** The first property, which is the GEOID in block and place layers. */
  geoid(feature: number): number {
    const properties = this.#vector(this.#follow(feature + 4), FEATURE.properties);
    const column = this.#view.getUint16(properties + 4, true);
    const length = this.#view.getUint32(properties + 6, true);
    let text = '';
    for (let i = 0; i < Math.min(length, GEOID_DIGITS + 1); i++) {
      text += String.fromCharCode(this.#view.getUint8(properties + 10 + i));
    }
    if (column !== 0 || !GEOID.test(text)) throw new RangeError('have an area without a GEOID');
    return Number(text);
  }

  /**
   * Calls `ring` for each ring, with the offset of its polygon's coordinates and its range of
   * points.
   */
  eachRing(
    feature: number,
    ring: (xy: number, start: number, end: number, isShell: boolean) => void,
  ): void {
    const geometry = this.#follow(this.#field(this.#follow(feature + 4), FEATURE.geometry));
    const parts = this.#vector(geometry, GEOMETRY.parts);
    const polygons = this.#view.getUint32(parts, true);
    for (let p = 0; p < polygons; p++) {
      const polygon = this.#follow(parts + 4 + p * 4);
      const xy = this.#vector(polygon, GEOMETRY.xy);
      const field = this.#field(polygon, GEOMETRY.ends);
      const ends = field === 0 ? 0 : this.#follow(field);
      const rings = ends === 0 ? 1 : this.#view.getUint32(ends, true);
      let start = 0;
      for (let r = 0; r < rings; r++) {
        const end =
          ends === 0
            ? this.#view.getUint32(xy, true) / 2
            : this.#view.getUint32(ends + 4 + r * 4, true);
        ring(xy + 4, start, end, r === 0);
        start = end;
      }
    }
  }

  double(at: number): number {
    return this.#view.getFloat64(at, true);
  }

  /** Offset of a table's field; 0 if the field is absent. */
  #field(table: number, field: number): number {
    const vtable = table - this.#view.getInt32(table, true);
    const slot = 4 + field * 2;
    if (slot >= this.#view.getUint16(vtable, true)) return 0;
    const offset = this.#view.getUint16(vtable + slot, true);
    return offset === 0 ? 0 : table + offset;
  }

  #follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  #vector(table: number, field: number): number {
    const at = this.#field(table, field);
    if (at === 0) throw new RangeError('have a block without polygons or properties');
    return this.#follow(at);
  }
}

/** Number of packed R-tree nodes: the leaves and every level above them up to the root. */
function treeNodes(features: number, side: number): number {
  if (features === 0 || side === 0) return 0;
  let nodes = features;
  let level = features;
  do {
    level = Math.ceil(level / side);
    nodes += level;
  } while (level > 1);
  return nodes;
}
