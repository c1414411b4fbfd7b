import { appendFileSync, writeFileSync } from 'node:fs';
import { PbfWriter } from 'pbf';
import { VarintWriter } from '../../shards/codec/varint.ts';
import type { BoundingBox, Degrees, EpochMillis } from '../../shards/units.ts';
import { NANODEGREES } from './primitive-block.ts';

type TagPairs = Iterable<readonly [key: string, value: string]>;
type WayMembers = readonly { readonly way: number; readonly role: string }[];

export interface PbfHeader {
  /** Features that a reader must know. */
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  readonly box?: BoundingBox;
  /** Time of the state of the map that the file claims to show. */
  readonly timestampMs?: EpochMillis;
  readonly program: string;
}

/** Field types of protocol buffers. */
const VARINT = 0;
const BYTES = 2;
const WAY_MEMBER = 1;
/** Units of coordinates, in nanodegrees, where a block states none. */
const DEFAULT_UNIT = 100;
/** Stands for a coordinate that is not known: no longitude or latitude is as large. */
const UNKNOWN: Degrees = 200;

/** Encodes the elements of blocks, one block after another, kinds in the order of the format. */
export class BlockWriter {
  readonly #unit: number;
  /** A block's string table. Index 0 is reserved for the end of a dense node's tags. */
  readonly #strings = new VarintWriter();
  readonly #numbers = new Map<string, number>();
  readonly #nodeIds = new DeltaColumn();
  readonly #nodeLats = new DeltaColumn();
  readonly #nodeLons = new DeltaColumn();
  readonly #nodeTags = new VarintWriter();
  readonly #ways = new VarintWriter();
  readonly #relations = new VarintWriter();
  // Parts of the element being written.
  readonly #element = new VarintWriter();
  readonly #column = new VarintWriter();
  readonly #deltas = new DeltaColumn();
  #nodes = 0;
  #elements = 0;

  /** `unit`: the unit of coordinates, in nanodegrees. */
  constructor(unit = DEFAULT_UNIT) {
    this.#unit = unit;
    this.#clear();
  }

  get elements(): number {
    return this.#elements;
  }

  /** Approximate size of the block. */
  get bytes(): number {
    const { length } = this.#nodeIds.bytes;
    return this.#strings.length + 4 * length + this.#ways.length + this.#relations.length;
  }

  node(id: number, lon: Degrees, lat: Degrees, tags: TagPairs): void {
    this.#nodeIds.push(id);
    this.#nodeLats.push(this.#units(lat));
    this.#nodeLons.push(this.#units(lon));
    for (const [key, value] of tags) {
      this.#nodeTags.uint(this.#number(key));
      this.#nodeTags.uint(this.#number(value));
    }
    this.#nodeTags.uint(0);
    this.#nodes++;
    this.#elements++;
  }

  /** Writes a way, with the locations of its nodes where they are given; NaN is not known. */
  way(
    id: number,
    refs: ArrayLike<number>,
    tags: TagPairs,
    lons?: ArrayLike<Degrees>,
    lats?: ArrayLike<Degrees>,
  ): void {
    this.#begin(id, tags);
    this.#deltaField(8, refs.length, (i) => refs[i]);
    if (lons && lats) {
      this.#deltaField(9, refs.length, (i) => this.#unitsIfKnown(lats[i]));
      this.#deltaField(10, refs.length, (i) => this.#unitsIfKnown(lons[i]));
    }
    bytesField(this.#ways, 3, this.#element.view());
  }

  relation(id: number, members: WayMembers, tags: TagPairs): void {
    this.#begin(id, tags);
    this.#columnField(8, members, ({ role }) => this.#number(role));
    this.#deltaField(9, members.length, (i) => members[i].way);
    this.#columnField(10, members, () => WAY_MEMBER);
    bytesField(this.#relations, 4, this.#element.view());
  }

  /** Returns the block, and begins the next. */
  finish(): Uint8Array {
    const block = new VarintWriter(this.bytes + 1_024);
    bytesField(block, 1, this.#strings.view());
    if (this.#nodes > 0) bytesField(block, 2, this.#denseNodes());
    for (const group of [this.#ways, this.#relations]) {
      if (group.length > 0) bytesField(block, 2, group.view());
    }
    if (this.#unit !== DEFAULT_UNIT) varintField(block, 17, this.#unit);
    this.#clear();
    return block.view();
  }

  #denseNodes(): Uint8Array {
    const dense = new VarintWriter();
    bytesField(dense, 1, this.#nodeIds.bytes.view());
    bytesField(dense, 8, this.#nodeLats.bytes.view());
    bytesField(dense, 9, this.#nodeLons.bytes.view());
    // The list may be omitted if no node has tags.
    if (this.#nodeTags.length > this.#nodes) bytesField(dense, 10, this.#nodeTags.view());
    const group = new VarintWriter(dense.length + 8);
    bytesField(group, 2, dense.view());
    return group.view();
  }

  #begin(id: number, tags: TagPairs): void {
    const pairs = [...tags];
    this.#element.reset();
    varintField(this.#element, 1, id);
    this.#columnField(2, pairs, ([key]) => this.#number(key));
    this.#columnField(3, pairs, ([, value]) => this.#number(value));
    this.#elements++;
  }

  #columnField<T>(field: number, items: readonly T[], numberOf: (item: T) => number): void {
    if (items.length === 0) return;
    this.#column.reset();
    for (const item of items) this.#column.uint(numberOf(item));
    bytesField(this.#element, field, this.#column.view());
  }

  #deltaField(field: number, count: number, valueAt: (i: number) => number): void {
    if (count === 0) return;
    this.#deltas.reset();
    for (let i = 0; i < count; i++) this.#deltas.push(valueAt(i));
    bytesField(this.#element, field, this.#deltas.bytes.view());
  }

  #units(degrees: Degrees): number {
    return Math.round(degrees * (NANODEGREES / this.#unit));
  }

  #unitsIfKnown(degrees: Degrees): number {
    return this.#units(Number.isNaN(degrees) ? UNKNOWN : degrees);
  }

  #number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    bytesField(this.#strings, 1, Buffer.from(text));
    return number;
  }

  #clear(): void {
    for (const part of [this.#strings, this.#nodeTags, this.#ways, this.#relations]) part.reset();
    for (const column of [this.#nodeIds, this.#nodeLats, this.#nodeLons]) column.reset();
    this.#numbers.clear();
    this.#number('');
    this.#nodes = 0;
    this.#elements = 0;
  }
}

/** A column of zigzag varints, each the difference from the value before it. */
export class DeltaColumn {
  readonly bytes = new VarintWriter();
  #before = 0;

  push(value: number): void {
    this.bytes.int(value - this.#before);
    this.#before = value;
  }

  reset(): void {
    this.bytes.reset();
    this.#before = 0;
  }
}

export function bytesField(message: VarintWriter, field: number, bytes: Uint8Array): void {
  message.uint(field * 8 + BYTES);
  message.uint(bytes.length);
  message.bytes(bytes);
}

function varintField(message: VarintWriter, field: number, value: number): void {
  message.uint(field * 8 + VARINT);
  message.uint(value);
}

export function headerBlock(header: PbfHeader): Uint8Array {
  const { required, optional = [], box, timestampMs, program } = header;
  const pbf = new PbfWriter();
  if (box) {
    const sides = [box.minLon, box.maxLon, box.maxLat, box.minLat];
    const write = (_: null, writer: PbfWriter) => {
      sides.forEach((side, i) => {
        writer.writeSVarintField(i + 1, Math.round(side * NANODEGREES));
      });
    };
    pbf.writeMessage(1, write, null);
  }
  for (const feature of required) pbf.writeStringField(4, feature);
  for (const feature of optional) pbf.writeStringField(5, feature);
  pbf.writeStringField(16, program);
  if (timestampMs !== undefined) pbf.writeVarintField(32, Math.floor(timestampMs / 1000));
  return pbf.finish();
}

/** Frames a block for a file; `deflated` is the block compressed by zlib, or null. */
export function frame(
  type: 'OSMHeader' | 'OSMData',
  block: Uint8Array,
  deflated: Uint8Array | null,
): Uint8Array {
  const blob = new VarintWriter(block.length + 16);
  if (deflated === null) {
    bytesField(blob, 1, block);
  } else {
    varintField(blob, 2, block.length);
    bytesField(blob, 3, deflated);
  }
  const head = new VarintWriter();
  bytesField(head, 1, Buffer.from(type));
  varintField(head, 3, blob.length);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(head.length);
  return Buffer.concat([size, head.view(), blob.view()]);
}

/** Bytes of a block before it is written to a file. */
const BLOCK_BYTES = 2 ** 18;

/** Appends uncompressed blocks to a file of this machine's own. */
export class PbfAppender {
  readonly #path: string;
  readonly #block: BlockWriter;

  /** Makes the file, unless `header` is null, which continues it. */
  constructor(path: string, header: PbfHeader | null, unit?: number) {
    this.#path = path;
    this.#block = new BlockWriter(unit);
    if (header !== null) writeFileSync(path, frame('OSMHeader', headerBlock(header), null));
  }

  /** The block to which elements are added next. */
  get block(): BlockWriter {
    if (this.#block.bytes >= BLOCK_BYTES) this.flush();
    return this.#block;
  }

  flush(): void {
    if (this.#block.elements === 0) return;
    appendFileSync(this.#path, frame('OSMData', this.#block.finish(), null));
  }
}
