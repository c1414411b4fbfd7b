import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { PbfWriter } from 'pbf';
import type { OsmContent, OsmNode, OsmRelation, OsmWay, Tags } from './osm-elements.ts';
import { writeFileWhole } from './whole-file.ts';

interface PbfContent extends OsmContent {
  /** Time of the state of the map that the file claims to show. */
  readonly timestamp: Date;
}

/** Elements per block, as in the format's reference programs. */
const ELEMENTS_PER_BLOCK = 8_000;
/** Units per degree: headers use 10⁻⁹ degrees, blocks by default 10⁻⁷. */
const HEADER_UNITS = 1e9;
const BLOCK_UNITS = 1e7;
const WAY_MEMBER = 1;

const deflateAsync = promisify(deflate);

/**
 * Writes an OpenStreetMap PBF file in bounded memory: dense nodes, then ways, then relations,
 * compressed with zlib. See https://wiki.openstreetmap.org/wiki/PBF_Format. `onElements` receives
 * the number of elements written.
 */
export async function writePbf(
  path: string,
  content: PbfContent,
  onElements: (written: number) => void = () => {},
): Promise<void> {
  await writeFileWhole(path, async function* () {
    yield* frame('OSMHeader', header(content));
    let written = 0;
    for (const block of blocks(content)) {
      yield* frame('OSMData', block.bytes);
      written += block.elements;
      onElements(written);
    }
  });
}

async function* frame(type: string, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const blob = new PbfWriter();
  blob.writeVarintField(2, bytes.length);
  blob.writeBytesField(3, await deflateAsync(bytes));
  const body = blob.finish();
  const head = new PbfWriter();
  head.writeStringField(1, type);
  head.writeVarintField(3, body.length);
  const header = head.finish();
  const size = Buffer.alloc(4);
  size.writeUInt32BE(header.length);
  yield size;
  yield header;
  yield body;
}

function header({ box, timestamp }: PbfContent): Uint8Array {
  const pbf = new PbfWriter();
  const units = (degrees: number) => Math.round(degrees * HEADER_UNITS);
  pbf.writeMessage(
    1,
    (sides: readonly number[], writer) => {
      for (const [i, side] of sides.entries()) writer.writeSVarintField(i + 1, units(side));
    },
    [box.minLon, box.maxLon, box.maxLat, box.minLat],
  );
  pbf.writeStringField(4, 'OsmSchema-V0.6');
  pbf.writeStringField(4, 'DenseNodes');
  pbf.writeStringField(5, 'Sort.Type_then_ID');
  pbf.writeStringField(16, 'tta demo');
  pbf.writeVarintField(32, Math.floor(timestamp.getTime() / 1000));
  return pbf.finish();
}

interface Block {
  readonly bytes: Uint8Array;
  readonly elements: number;
}

function* blocks(content: PbfContent): Generator<Block> {
  yield* chunked(content.nodes(), writeDenseNodes);
  yield* chunked(content.ways(), (ways, strings, group) => {
    for (const way of ways) group.writeMessage(3, writeWay, { way, strings });
  });
  yield* chunked(content.relations(), (relations, strings, group) => {
    for (const relation of relations) group.writeMessage(4, writeRelation, { relation, strings });
  });
}

function* chunked<T>(
  elements: Iterable<T>,
  write: (elements: readonly T[], strings: Strings, group: PbfWriter) => void,
): Generator<Block> {
  const pack = (chunk: readonly T[]): Block => {
    const strings = new Strings();
    const group = new PbfWriter();
    write(chunk, strings, group);
    const block = new PbfWriter();
    block.writeMessage(1, writeStrings, strings);
    block.writeBytesField(2, group.finish());
    return { bytes: block.finish(), elements: chunk.length };
  };
  let chunk: T[] = [];
  for (const element of elements) {
    chunk.push(element);
    if (chunk.length < ELEMENTS_PER_BLOCK) continue;
    yield pack(chunk);
    chunk = [];
  }
  if (chunk.length > 0) yield pack(chunk);
}

/** A block's string table. Index 0 is reserved for the end of a dense node's tags. */
class Strings {
  readonly all: string[] = [''];
  readonly #numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.all.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}

function writeStrings(strings: Strings, pbf: PbfWriter): void {
  for (const text of strings.all) pbf.writeStringField(1, text);
}

function writeDenseNodes(nodes: readonly OsmNode[], strings: Strings, group: PbfWriter): void {
  const tags: number[] = [];
  for (const node of nodes) {
    for (const [key, value] of Object.entries(node.tags)) {
      tags.push(strings.number(key), strings.number(value));
    }
    tags.push(0);
  }
  const dense = new PbfWriter();
  dense.writePackedSVarint(1, deltas(nodes.map((node) => node.id)));
  dense.writePackedSVarint(8, deltas(nodes.map((node) => Math.round(node.lat * BLOCK_UNITS))));
  dense.writePackedSVarint(9, deltas(nodes.map((node) => Math.round(node.lon * BLOCK_UNITS))));
  // The list may be omitted if no node has tags.
  if (tags.length > nodes.length) dense.writePackedVarint(10, tags);
  group.writeBytesField(2, dense.finish());
}

function writeWay({ way, strings }: { way: OsmWay; strings: Strings }, pbf: PbfWriter): void {
  pbf.writeVarintField(1, way.id);
  writeTags(way.tags, strings, pbf);
  pbf.writePackedSVarint(8, deltas(way.refs));
}

function writeRelation(
  { relation, strings }: { relation: OsmRelation; strings: Strings },
  pbf: PbfWriter,
): void {
  const { id, tags, members } = relation;
  pbf.writeVarintField(1, id);
  writeTags(tags, strings, pbf);
  pbf.writePackedVarint(
    8,
    members.map(({ role }) => strings.number(role)),
  );
  pbf.writePackedSVarint(9, deltas(members.map(({ way }) => way)));
  pbf.writePackedVarint(
    10,
    members.map(() => WAY_MEMBER),
  );
}

function writeTags(tags: Tags, strings: Strings, pbf: PbfWriter): void {
  const numbers = (texts: readonly string[]) => texts.map((text) => strings.number(text));
  pbf.writePackedVarint(2, numbers(Object.keys(tags)));
  pbf.writePackedVarint(3, numbers(Object.values(tags)));
}

function deltas(values: readonly number[]): number[] {
  return values.map((value, i) => (i === 0 ? value : value - values[i - 1]));
}
