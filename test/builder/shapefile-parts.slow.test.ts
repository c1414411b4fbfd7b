import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { BuildError } from '../../builder/errors.ts';
import { readShapefile, type ShapeRecord } from '../../builder/inputs/shapefile.ts';
import { type ShapefileRecord, writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { squareRing as square } from '../support/rings.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tta-shapefile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => path.join(folder, name);

const hole = (x: number, y: number, side: number) => square(x, y, side).reverse();

const RECORDS: readonly ShapefileRecord[] = [
  { polygon: [square(0, 0, 1)], values: ['Cañon', 12.5] },
  { polygon: [square(2, 0, 4), hole(3, 1, 1)], values: ['', 0] },
  { polygon: [square(8, 0, 1)], values: ['end', 7] },
];
const ENDINGS = ['.shp', '.shx', '.dbf', '.prj'] as const;
type Ending = (typeof ENDINGS)[number];

let whole: Readonly<Record<Ending, Buffer>>;
beforeAll(async () => {
  await ensureDebianPackage('unzip', 'unzip');
  const fields = [
    { name: 'NAME', type: 'C', width: 10, decimals: 0 },
    { name: 'COUNT', type: 'N', width: 10, decimals: 2 },
  ] as const;
  await writeShapefile(at('a.zip'), { name: 'a', fields, records: () => RECORDS });
  execFileSync('unzip', ['-q', at('a.zip'), '-d', folder]);
  const bytes = ENDINGS.map(async (ending) => [ending, await readFile(at(`a${ending}`))] as const);
  whole = Object.fromEntries(await Promise.all(bytes)) as Record<Ending, Buffer>;
});

async function records(file: string): Promise<ShapeRecord[]> {
  const all: ShapeRecord[] = [];
  for await (const record of readShapefile(file)) all.push(record);
  return all;
}

/** The message for an unzipped shapefile, which has no checksums, with one file changed. */
async function refusal(ending: Ending, change: Change): Promise<string> {
  for (const part of ENDINGS) {
    const bytes = Buffer.from(whole[part]);
    const changed = part === ending ? change(bytes) : bytes;
    writeFileSync(at(`b${part}`), Buffer.isBuffer(changed) ? changed : bytes);
  }
  const error = await records(at('b.shp')).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BuildError);
  const { message } = error as BuildError;
  expect(message.startsWith(at(`b${ending}`))).toBe(true);
  expect(message).toMatch(/; (download it again|write them|export it|a polygon layer)/);
  return message;
}

test('records are read as they were written, zipped or not', async () => {
  for (const file of [at('a.zip'), at('a.shp')]) {
    const read = await records(file);
    expect(read.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(read.map(({ area }) => area.polygons)).toEqual(RECORDS.map(({ polygon }) => [polygon]));
    expect(read.map(({ fields }) => fields)).toEqual([
      { NAME: 'Cañon', COUNT: 12.5 },
      { NAME: null, COUNT: 0 },
      { NAME: 'end', COUNT: 7 },
    ]);
  }
});

test('the first of several columns of one name counts', async () => {
  const fields = ['COUNT', 'count', 'NAME'].map(
    (name) => ({ name, type: 'C', width: 5, decimals: 0 }) as const,
  );
  const row = { polygon: [square(0, 0, 1)], values: ['7', '', 'end'] };
  await writeShapefile(at('c.zip'), { name: 'c', fields, records: () => [row] });
  const [{ fields: read }] = await records(at('c.zip'));
  expect(read).toEqual({ COUNT: '7', NAME: 'end' });
});

test('the rings of one record are grouped: islands, holes, islands in holes', async () => {
  const rings = [
    square(0, 0, 9),
    hole(1, 1, 7),
    square(2, 2, 5),
    hole(3, 3, 2),
    square(20, 0, 2),
    // This hole touches its shell from within, in a corner.
    hole(20, 0, 1),
  ];
  const fields = [{ name: 'NAME', type: 'C', width: 4, decimals: 0 }] as const;
  const many = [{ polygon: rings, values: ['x'] }];
  await writeShapefile(at('rings.zip'), { name: 'rings', fields, records: () => many });
  const [{ area }] = await records(at('rings.zip'));
  expect(area.polygons).toEqual([
    [rings[0], rings[1]],
    [rings[2], rings[3]],
    [rings[4], rings[5]],
  ]);
});

/** Offsets of the second record, which follows the header and a square, and of its parts. */
const NUMBER = 100 + 8 + 44 + 4 + 5 * 16;
const LENGTH = NUMBER + 4;
const TYPE = NUMBER + 8;
const [RINGS, POINTS, RING, X] = [36, 40, 48, 60].map((after) => TYPE + after);
/** Offset at which a file states its own length, in 16-bit words. */
const FILE_LENGTH = 24;

/** Changes the bytes of a file in place, or returns other bytes. */
type Change = (bytes: Buffer) => unknown;
const big = (value: number, at: number): Change => {
  return (bytes) => bytes.writeInt32BE(value, at);
};
const little = (value: number, at: number): Change => {
  return (bytes) => bytes.writeInt32LE(value, at);
};
const longer = (more: number, at: number): Change => {
  return (bytes) => bytes.writeInt32BE(bytes.readInt32BE(at) + more, at);
};
const nowhere: Change = (bytes) => bytes.writeDoubleLE(Number.NaN, X);
const shorter: Change = (bytes) => {
  longer(-4, FILE_LENGTH)(bytes);
  return bytes.subarray(0, -8);
};
const deleted: Change = (bytes) => bytes.write('*', 32 + 64 + 1 + 21);
const oldDatum: Change = () =>
  Buffer.from('GEOGCS["NAD27",DATUM["North_American_Datum_1927"],UNIT["degree",0.01745]]');
const projected: Change = () => Buffer.from('PROJCS["UTM 18N",GEOGCS["GCS"]]');

test.each<[Ending, string, Change, RegExp]>([
  ['.shp', 'an endless record', big(1e6, LENGTH), /record 2 has a length of 2000000 bytes/],
  ['.shp', 'a record of less than no length', big(-8, LENGTH), /record 2 has a length of -16/],
  ['.shp', 'a long record', longer(2, LENGTH), /record 2 has 2 rings of 10 points in 216 bytes/],
  ['.shp', 'a record of another number', big(3, NUMBER), /record 2 is numbered 3/],
  ['.shp', 'a million rings', little(1e6, RINGS), /record 2 has 1000000 rings of 10 points/],
  ['.shp', 'many points', little(0x7fffffff, POINTS), /record 2 has 2 rings of 2147483647 points/],
  ['.shp', 'a ring too late', little(99, RING), /record 2 has a ring from point 0 to 99 of 10/],
  ['.shp', 'a point that is nowhere', nowhere, /record 2 has a point at/],
  ['.shp', 'another kind of shape', little(1, TYPE), /record 2 is a point, not a polygon/],
  ['.shp', 'a short header', big(NUMBER / 2, FILE_LENGTH), /has data after its stated 236 bytes/],
  ['.shp', 'an end cut off', (b) => b.subarray(0, -1), /record 3 is truncated/],
  ['.shp', 'an end that goes on', (b) => Buffer.concat([b, b]), /has data after/],
  ['.shx', 'one shape less', shorter, /has 2 records/],
  ['.shx', 'a shape elsewhere', big(52, 108), /has record 2 at byte 104, not 236/],
  ['.dbf', 'a count of two', little(2, 4), /has data after its 2 records/],
  ['.dbf', 'a count of four', little(4, 4), /ends in record 4 of 4/],
  ['.dbf', 'a deleted record', deleted, /record 2 is deleted/],
  ['.dbf', 'a longer field', (b) => b.writeUInt8(200, 48), /has 2 columns of 211 bytes for 21/],
  ['.dbf', 'an endless header', (b) => b.writeUInt16LE(60_000, 8), /ends in its header/],
  ['.prj', 'metres', projected, /its coordinates are in UTM 18N; write them in longitude/],
  ['.prj', 'an old datum', oldDatum, /its coordinates are in NAD27; write them in longitude/],
])('a shapefile whose %s has %s is refused', async (ending, _, change, problem) => {
  expect(await refusal(ending, change)).toMatch(problem);
});

/** Writes an archive of these files. */
async function zip(name: string, parts: Readonly<Record<string, Buffer>>): Promise<string> {
  const file = new ZipFile();
  for (const [part, bytes] of Object.entries(parts)) file.addBuffer(bytes, part);
  file.end();
  await pipeline(file.outputStream, createWriteStream(at(name)));
  return at(name);
}

test('an archive of two layers, or of none, is refused', async () => {
  const two = await zip('two.zip', {
    'a.shp': whole['.shp'],
    'a.dbf': whole['.dbf'],
    'C.SHP': whole['.shp'],
    'C.DBF': whole['.dbf'],
  });
  await expect(records(two)).rejects.toThrow(
    'two.zip: contains 2 shapefiles; put each into an archive of its own',
  );
  const none = await zip('none.zip', { 'a.shp': whole['.shp'], 'c.dbf': whole['.dbf'] });
  await expect(records(none)).rejects.toThrow('contains no shapefile');
});

test('names in capitals, folders, and the files of a Mac make no difference', async () => {
  const file = await zip('mac.zip', {
    '__MACOSX/in/._Blocks.SHP': Buffer.from('Mac'),
    '__MACOSX/in/._Blocks.dbf': Buffer.from('Mac'),
    'in/.DS_Store': Buffer.from('Mac'),
    'in/Blocks.SHP': whole['.shp'],
    'in/BLOCKS.dbf': whole['.dbf'],
    'in/blocks.Prj': whole['.prj'],
  });
  expect(await records(file)).toEqual(await records(at('a.zip')));
  writeFileSync(at('LOUD.SHP'), whole['.shp']);
  writeFileSync(at('LOUD.dbf'), whole['.dbf']);
  expect(await records(at('LOUD.SHP'))).toEqual(await records(at('a.zip')));
});

test('two files of a layer that differ in capitals alone are refused by name', async () => {
  const file = await zip('twice.zip', {
    'a.shp': whole['.shp'],
    'a.dbf': whole['.dbf'],
    'A.DBF': whole['.dbf'],
  });
  await expect(records(file)).rejects.toThrow('twice.zip: contains a.dbf and A.DBF; keep one');
});

/** The names that a layer has in this encoding, and the notes on them. */
async function namesIn(name: Buffer, cpg: string | null, language = 0) {
  const dbf = Buffer.from(whole['.dbf']);
  dbf[29] = language;
  // Records of 21 bytes follow the header, each with a mark before the name.
  name.copy(Buffer.from(dbf.buffer, dbf.byteOffset + 97 + 1, 10).fill(' '));
  const file = await zip('named.zip', {
    'n.shp': whole['.shp'],
    'n.dbf': dbf,
    ...(cpg !== null && { 'n.cpg': Buffer.from(cpg) }),
  });
  const notes: string[] = [];
  const names: unknown[] = [];
  for await (const { fields } of readShapefile(file, (line) => notes.push(line))) {
    names.push(fields.NAME);
  }
  return { name: names[0], notes };
}

const LATIN = Buffer.from('Ca\xf1on \x80', 'latin1');
const KOI8 = Buffer.from([0xee, 0xc5, 0xd7, 0xc1]);

test.each([
  ['ISO-8859-1', LATIN, 'Cañon €'],
  ['88591', LATIN, 'Cañon €'],
  ['1252', LATIN, 'Cañon €'],
  ['ANSI 1252\r\n', LATIN, 'Cañon €'],
  ['windows-1252', LATIN, 'Cañon €'],
  // These bytes are UTF-8 too, but not what the file says.
  ['ISO-8859-1', Buffer.from('Cañon'), 'CaÃ±on'],
  ['UTF-8', Buffer.from('Cañon'), 'Cañon'],
  ['65001', Buffer.from('Cañon'), 'Cañon'],
  [null, Buffer.from('Cañon'), 'Cañon'],
  ['ISO-8859-2', Buffer.from([0xa3]), 'Ł'],
  ['cp1251', Buffer.from([0xcd, 0xe5]), 'Не'],
  ['KOI8-R', KOI8, 'Нева'],
])('text is in the encoding that the .cpg names: %s', async (cpg, bytes, name) => {
  expect(await namesIn(bytes, cpg)).toEqual({ name, notes: [] });
});

test('the language in the header counts without a .cpg', async () => {
  const cyrillic = Buffer.from([0xcd, 0xe5]);
  expect(await namesIn(cyrillic, null, 201)).toEqual({ name: 'Не', notes: [] });
  expect((await namesIn(cyrillic, 'ISO-8859-1', 201)).name).toBe('Íå');
});

test('text that is not in the encoding is Windows-1252, with a note', async () => {
  for (const cpg of [null, 'UTF-8', 'no such encoding']) {
    const { name, notes } = await namesIn(LATIN, cpg);
    expect(name).toBe('Cañon €');
    expect(notes).toEqual([
      expect.stringMatching(/n\.dbf: 1 × text that is not in .*Windows-1252/),
    ]);
  }
});
