import { Zstd } from '@hpcc-js/wasm-zstd';
import { PbfWriter } from 'pbf';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPbf } from '../../builder/osm/pbf.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { readWithOsmium } from './opl.ts';
import { Scratch } from './scratch.ts';

const scratch = new Scratch();

beforeAll(() => ensureDebianPackage('osmium-tool', 'osmium'));

/**
 * Features that the format allows but osmium never writes: coordinates and times in unusual units,
 * kinds mixed in one block, empty blocks, fields of a later version.
 */
describe('unusual blocks', () => {
  test.each<[string, Units]>([
    ['the usual units', {}],
    ['coarse units', { granularity: 10_000 }],
    ['units around an offset', { latOffset: 39_000_000_000, lonOffset: -76_000_000_000 }],
    ['both, and times in minutes', { granularity: 1000, lonOffset: -500, dateGranularity: 60_000 }],
  ])('are read as osmium reads them: %s', async (name, units) => {
    const path = scratch.write(`${name.replaceAll(/\W+/g, '-')}.osm.pbf`, file(units));
    const expected = readWithOsmium(path);
    expect(expected.map(({ type, id }) => `${type} ${id}`)).toEqual([
      'node 7',
      'node 8',
      'node 5',
      'node 6',
      'way 3',
      'way 4',
      'relation 2',
      'node 9',
    ]);
    const seen: unknown[] = [];
    const { newestMs } = await readPbf(path, {
      node(id, lon, lat, tags) {
        const [x, y] = [lon, lat].map((degrees) => String(Number(degrees.toFixed(7))));
        seen.push({ type: 'node', id, tags: new Map(tags.entries()), lon: x, lat: y });
      },
      way(id, refs, tags) {
        seen.push({ type: 'way', id, tags: new Map(tags.entries()), refs: Array.from(refs) });
      },
      relation(id, members, tags) {
        seen.push({ type: 'relation', id, tags: new Map(tags.entries()), members });
      },
    });
    expect(seen).toEqual(expected.map(({ timestamp: _, ...element }) => element));
    expect(newestMs).toBe(Math.max(...expected.map(({ timestamp }) => timestamp)));
  });

  test('can be read for a single kind of element', async () => {
    const path = scratch.write('mixed.osm.pbf', file({}));
    const [nodes, ways, relations]: number[][] = [[], [], []];
    await readPbf(path, { node: (id) => nodes.push(id) });
    await readPbf(path, { way: (id) => ways.push(id) });
    await readPbf(path, { relation: (id) => relations.push(id) });
    expect([nodes, ways, relations]).toEqual([[7, 8, 5, 6, 9], [3, 4], [2]]);
  });
});

describe('compression', () => {
  /** The elements of a file whose blocks hold their data in a field, compressed by a function. */
  const read = async (field: number, compress: (bytes: Uint8Array) => Uint8Array) => {
    const packed = (type: string, bytes: Uint8Array) =>
      frame(type, bytes, (pbf) => {
        pbf.writeVarintField(2, bytes.length);
        pbf.writeBytesField(field, compress(bytes));
      });
    const path = scratch.write(`compressed-${field}.osm.pbf`, file({}, packed));
    const ids: number[] = [];
    await readPbf(path, { node: (id) => ids.push(id), way: (id) => ids.push(id) });
    return ids;
  };

  test('by zstd or lz4 is read', async () => {
    const zstd = await Zstd.load();
    expect(await read(7, (bytes) => zstd.compress(bytes))).toEqual([7, 8, 5, 6, 3, 4, 9]);
    expect(await read(6, literalsOfLz4)).toEqual([7, 8, 5, 6, 3, 4, 9]);
  });

  test('by anything else is named', async () => {
    for (const [field, name] of [
      [4, 'lzma'],
      [5, 'bzip2'],
    ] as const) {
      const reading = read(field, (bytes) => bytes);
      await expect(reading).rejects.toThrow(
        `compressed-${field}.osm.pbf: is compressed by ${name}; a file compressed by zlib, lz4 or zstd is needed`,
      );
    }
  });

  test('that is damaged is reported with its place', async () => {
    for (const field of [6, 7]) {
      await expect(read(field, (bytes) => bytes)).rejects.toThrow(/block at byte 0 is damaged/);
    }
  });
});

/** A block of LZ4 that is one run of literals. */
function literalsOfLz4(bytes: Uint8Array): Uint8Array {
  const more = bytes.length - 15;
  if (more < 0) return Buffer.concat([Buffer.of(bytes.length << 4), bytes]);
  const full = Buffer.alloc(Math.floor(more / 255), 255);
  return Buffer.concat([Buffer.of(0xf0), full, Buffer.of(more % 255), bytes]);
}

interface Units {
  readonly granularity?: number;
  readonly latOffset?: number;
  readonly lonOffset?: number;
  readonly dateGranularity?: number;
}

const TEXTS = ['', 'highway', 'path', 'type', 'route', 'forward'];
const STAMP = 20_000_000;

function file(units: Units, framed = frame): Uint8Array {
  const header = written((pbf) => {
    pbf.writeStringField(4, 'OsmSchema-V0.6');
    pbf.writeStringField(4, 'DenseNodes');
    pbf.writeStringField(5, 'Has_Metadata');
    pbf.writeStringField(16, 'a program of tomorrow');
  });
  return Buffer.concat([
    framed('OSMHeader', header),
    framed('OSMData', block(units, [])),
    framed('OSMData', block(units, [dense, plainNodes, ways, relations])),
    framed('OSMData', block({}, [(pbf) => plainNode(pbf, 9)])),
  ]);
}

function block(units: Units, groups: readonly ((pbf: PbfWriter) => void)[]): Uint8Array {
  return written((pbf) => {
    // Units follow the groups that they apply to, and an unknown field comes between.
    for (const group of groups) pbf.writeBytesField(2, written(group));
    pbf.writeStringField(99, 'unheard of');
    pbf.writeBytesField(
      1,
      written((table) => {
        for (const text of TEXTS) table.writeStringField(1, text);
      }),
    );
    if (units.granularity) pbf.writeVarintField(17, units.granularity);
    if (units.dateGranularity) pbf.writeVarintField(18, units.dateGranularity);
    if (units.latOffset) pbf.writeVarintField(19, units.latOffset);
    if (units.lonOffset) pbf.writeVarintField(20, units.lonOffset);
  });
}

function dense(group: PbfWriter): void {
  const nodes = written((pbf) => {
    pbf.writePackedSVarint(1, [7, 1]);
    pbf.writeBytesField(
      5,
      written((info) => {
        info.writePackedVarint(1, [1, 1]);
        info.writePackedSVarint(2, [STAMP, -5]);
      }),
    );
    pbf.writePackedSVarint(8, [123_456, -7]);
    pbf.writePackedSVarint(9, [-654_321, 1_000_000]);
    pbf.writePackedVarint(10, [0, 1, 2, 3, 4, 0]);
  });
  group.writeBytesField(2, nodes);
}

function plainNodes(group: PbfWriter): void {
  plainNode(group, 5);
  plainNode(group, 6);
}

function plainNode(group: PbfWriter, id: number): void {
  const node = written((pbf) => {
    pbf.writeSVarintField(1, id);
    if (id === 6) {
      pbf.writePackedVarint(2, [1]);
      pbf.writePackedVarint(3, [2]);
    }
    pbf.writeBytesField(4, info());
    pbf.writeSVarintField(8, 1000 * id);
    pbf.writeSVarintField(9, -1000 * id);
  });
  group.writeBytesField(1, node);
}

function ways(group: PbfWriter): void {
  for (const id of [3, 4]) {
    const way = written((pbf) => {
      pbf.writeVarintField(1, id);
      if (id === 3) {
        pbf.writePackedVarint(2, [1]);
        pbf.writePackedVarint(3, [2]);
        pbf.writePackedSVarint(8, [7, 2 ** 33, -(2 ** 33) + 1, -3]);
      }
      pbf.writeBytesField(4, info());
    });
    group.writeBytesField(3, way);
  }
}

function relations(group: PbfWriter): void {
  const relation = written((pbf) => {
    pbf.writeVarintField(1, 2);
    pbf.writePackedVarint(2, [3]);
    pbf.writePackedVarint(3, [4]);
    pbf.writePackedVarint(8, [5, 0, 5]);
    pbf.writePackedSVarint(9, [7, -4, -1]);
    pbf.writePackedVarint(10, [0, 1, 2]);
  });
  group.writeBytesField(4, relation);
}

function info(): Uint8Array {
  return written((pbf) => {
    pbf.writeVarintField(1, 1);
    pbf.writeVarintField(2, STAMP + 1);
  });
}

/** A block, by default without compression, and with an unused index in its header. */
function frame(
  type: string,
  bytes: Uint8Array,
  write = (pbf: PbfWriter) => pbf.writeBytesField(1, bytes),
): Uint8Array {
  const blob = written(write);
  const header = written((pbf) => {
    pbf.writeStringField(1, type);
    pbf.writeBytesField(2, new Uint8Array([1, 2, 3]));
    pbf.writeVarintField(3, blob.length);
  });
  const size = Buffer.alloc(4);
  size.writeUInt32BE(header.length);
  return Buffer.concat([size, header, blob]);
}

function written(write: (pbf: PbfWriter) => void): Uint8Array {
  const pbf = new PbfWriter();
  write(pbf);
  return pbf.finish();
}
