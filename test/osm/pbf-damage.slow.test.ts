import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { readPbf } from '../../builder/osm/pbf.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { forAll } from '../support/for-all.ts';
import { Scratch } from './scratch.ts';

const scratch = new Scratch();
let whole: Buffer;
let blocks: readonly Block[];
let wholeData: string;

beforeAll(async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  const path = scratch.pbf('whole', smallTown());
  whole = readFileSync(path);
  blocks = blocksOf(whole);
  wholeData = await digestOf(path);
});

describe('a damaged file', () => {
  test('truncated anywhere but between blocks is refused, by its name and the position', async () => {
    const seams = new Set([0, ...blocks.map((block) => block.end)]);
    const cut = fc.integer({ min: 1, max: whole.length - 1 }).filter((at) => !seams.has(at));
    await forAll(300, cut, async (at) => {
      const path = scratch.write('cut.osm.pbf', whole.subarray(0, at));
      const error = await digestOf(path).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BuildError);
      expect((error as Error).message).toMatch(
        new RegExp(`^${path}: (not an OSM PBF file|is truncated: .* at byte \\d+)`),
      );
    });
  });

  test('with a bit flipped in compressed data is refused, or read correctly', async () => {
    const bit = fc.constantFrom(...blocks.slice(1)).chain((block) =>
      fc.record({
        at: fc.integer({ min: block.dataStart, max: block.end - 1 }),
        bit: fc.integer({ min: 0, max: 7 }),
      }),
    );
    await forAll(500, bit, (flip) => isRefusedOrUnchanged(flip.at, flip.bit));
  });

  test('with any one bit flipped in its block framing is refused, or read correctly', async () => {
    for (const block of blocks) {
      for (let at = block.start; at < block.dataStart; at++) {
        for (let bit = 0; bit < 8; bit++) await isRefusedOrUnchanged(at, bit);
      }
    }
  });

  test('with random bytes in its middle is refused', async () => {
    const span = fc.record({
      at: fc.integer({ min: blocks[1].dataStart, max: whole.length - 64 }),
      noise: fc.uint8Array({ minLength: 32, maxLength: 64 }),
    });
    await forAll(200, span, async ({ at, noise }) => {
      const bytes = Buffer.from(whole);
      bytes.set(noise, at);
      fc.pre(!bytes.equals(whole));
      await expectRefused(bytes);
    });
  });
});

describe('a file that is not PBF', () => {
  test.each([
    ['XML', '<?xml version="1.0"?><osm version="0.6"></osm>', /not an OSM PBF file/],
    ['bzip2', 'BZh91AY&SY and so on', /not an OSM PBF file/],
    ['nothing at all', '', /is empty/],
    ['three bytes', 'abc', /truncated/],
    ['a web page that says 404', '\n\n<html>not found</html>', /not an OSM PBF file/],
  ])('is refused by name: %s', async (_, text, reason) => {
    const path = scratch.write('foreign.osm.pbf', new TextEncoder().encode(text));
    await expect(readPbf(path, {})).rejects.toThrow(BuildError);
    await expect(readPbf(path, {})).rejects.toThrow(reason);
  });

  test('with a valid block in the wrong order is refused', async () => {
    const withoutHeader = whole.subarray(blocks[0].end);
    await expect(readPbf(scratch.write('headless.osm.pbf', withoutHeader), {})).rejects.toThrow(
      /does not start with an OSMHeader/,
    );
  });

  test('that is absent, or a folder, is refused by name', async () => {
    const absent = scratch.path('absent.osm.pbf');
    await expect(readPbf(absent, {})).rejects.toThrow(`${absent}: no such file; check the path`);
    const folder = scratch.path('.');
    await expect(readPbf(folder, {})).rejects.toThrow(`${folder}: is a folder, not a file`);
  });

  test('with sizes beyond the limits of the format is refused before it is read', async () => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(64 * 1024 + 1);
    const hugeHeader = Buffer.concat([whole.subarray(0, blocks[0].end), header, whole]);
    await expect(readPbf(scratch.write('huge-header', hugeHeader), {})).rejects.toThrow(
      `the block at byte ${blocks[0].end} is damaged (a block header of 65537 bytes)`,
    );
    // "OSMData", then a size of 2 GiB − 1.
    const frame = Buffer.from([10, 7, ...Buffer.from('OSMData'), 24, 255, 255, 255, 255, 7]);
    header.writeUInt32BE(frame.length);
    const hugeBlob = Buffer.concat([whole.subarray(0, blocks[0].end), header, frame]);
    await expect(readPbf(scratch.write('huge-blob', hugeBlob), {})).rejects.toThrow(
      /a block of 2147483647 bytes/,
    );
  });
});

interface Block {
  readonly start: number;
  /** Start of the compressed bytes, after the frame and the fields before them. */
  readonly dataStart: number;
  readonly end: number;
}

/** Finds the blocks by the zlib streams in them: osmium's start with 78 9c (RFC 1950). */
function blocksOf(bytes: Buffer): Block[] {
  const found: Block[] = [];
  for (let start = 0; start < bytes.length; ) {
    const headerEnd = start + 4 + bytes.readUInt32BE(start);
    const dataStart = bytes.indexOf(Buffer.from([0x78, 0x9c]), headerEnd);
    const next = bytes.indexOf('OSMData', dataStart);
    const end = next === -1 ? bytes.length : next - 6;
    found.push({ start, dataStart, end });
    start = end;
  }
  return found;
}

async function isRefusedOrUnchanged(at: number, bit: number): Promise<void> {
  const bytes = Buffer.from(whole);
  bytes[at] ^= 1 << bit;
  const path = scratch.write('flipped.osm.pbf', bytes);
  try {
    expect(await digestOf(path), `bit ${bit} of byte ${at}`).toBe(wholeData);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    expect(error.message.startsWith(`${path}: `)).toBe(true);
  }
}

async function expectRefused(bytes: Uint8Array): Promise<void> {
  const path = scratch.write('noise.osm.pbf', bytes);
  await expect(digestOf(path)).rejects.toThrow(BuildError);
}

/** A digest of every element of a file. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await readPbf(path, {
    node: (id, lon, lat, tags) => hash.update(JSON.stringify([id, lon, lat, ...tags.entries()])),
    way: (id, refs, tags) => hash.update(JSON.stringify([id, Array.from(refs), ...tags.entries()])),
    relation: (id, members, tags) => hash.update(JSON.stringify([id, members, ...tags.entries()])),
  });
  return hash.digest('hex');
}

/**
 * Elements for several blocks, as OPL lines; arithmetic scatters them, so that they compress badly.
 */
function smallTown(): string[] {
  const nodes = Array.from({ length: 900 }, (_, i) => {
    const [x, y] = [(i * 7919) % 100_003, (i * 104_729) % 99_991].map((n) => n / 1e5);
    const tags = i % 9 === 0 ? `amenity=cafe,name=No%20%${(i * 31) % 977}` : '';
    return `n${i + 1} v1 t2026-01-01T00:00:00Z T${tags} x${x} y${y}`;
  });
  const ways = Array.from({ length: 120 }, (_, i) => {
    const refs = Array.from({ length: 5 }, (_, k) => `n${((i * 37 + k * 211) % 900) + 1}`);
    return `w${i + 1} v1 t2026-01-01T00:00:00Z Thighway=residential,ref=${i} N${refs.join(',')}`;
  });
  const relations = Array.from(
    { length: 30 },
    (_, i) => `r${i + 1} v1 t2026-01-01T00:00:00Z Ttype=multipolygon Mw${i + 1}@outer,n${i + 1}@x`,
  );
  return [...nodes, ...ways, ...relations];
}
