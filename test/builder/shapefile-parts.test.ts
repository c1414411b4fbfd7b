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

const folder = mkdtempSync(path.join(tmpdir(), 'tta-shapefile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => path.join(folder, name);

type Ring = [number, number][];
/** Clockwise, as shells run. */
const square = (x: number, y: number, side: number): Ring => [
  [x, y],
  [x, y + side],
  [x + side, y + side],
  [x + side, y],
  [x, y],
];
const hole = (x: number, y: number, side: number): Ring => square(x, y, side).reverse();

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

/** The message with which files without checksums are refused, changed in one of them. */
async function refusal(ending: Ending, change: (bytes: Buffer) => Buffer): Promise<string> {
  for (const part of ENDINGS) {
    const bytes = Buffer.from(whole[part]);
    writeFileSync(at(`b${part}`), part === ending ? change(bytes) : bytes);
  }
  const error = await records(at('b.shp')).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BuildError);
  const { message } = error as BuildError;
  expect(message.startsWith(at(`b${ending}`))).toBe(true);
  expect(message).toMatch(/; (fetch it again|export it|a layer of polygons)/);
  return message;
}

test('zipped or not, the records are as they were written', async () => {
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

test('rings of one record are gathered: islands, holes, islands in holes', async () => {
  const rings = [
    square(0, 0, 9),
    hole(1, 1, 7),
    square(2, 2, 5),
    hole(3, 3, 2),
    square(20, 0, 2),
    // Touches its shell from within, in a corner.
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

function edited(bytes: Buffer, edit: (bytes: Buffer) => number): Buffer {
  edit(bytes);
  return bytes;
}

/** Where the second record's header begins: after the file's, and a square of five points. */
const SECOND = 100 + 8 + 44 + 4 + 5 * 16;

test.each<[string, Ending, (bytes: Buffer) => Buffer, RegExp]>([
  [
    'a record longer than the file',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32BE(1e6, SECOND + 4)),
    /record 2 has a length of 2000000 bytes/,
  ],
  [
    'a record of less than no length',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32BE(-8, SECOND + 4)),
    /record 2 has a length of -16/,
  ],
  [
    'a record somewhat too long',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32BE(c.readInt32BE(SECOND + 4) + 2, SECOND + 4)),
    /record 2 has 2 rings of 10 points in 216 bytes/,
  ],
  [
    'a record of another number',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32BE(3, SECOND)),
    /record 2 has the number 3/,
  ],
  [
    'a million rings in a record',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32LE(1e6, SECOND + 8 + 36)),
    /record 2 has 1000000 rings of 10 points/,
  ],
  [
    'two billion points in a record',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32LE(2 ** 31 - 1, SECOND + 8 + 40)),
    /record 2 has 2 rings of 2147483647 points/,
  ],
  [
    'a ring that begins after the last point',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32LE(99, SECOND + 8 + 48)),
    /record 2 has points 0 to 99 of 10 for a ring/,
  ],
  [
    'a point that is nowhere',
    '.shp',
    (b) => edited(b, (c) => c.writeDoubleLE(Number.NaN, SECOND + 8 + 60)),
    /record 2 has a point at/,
  ],
  [
    'another kind of shape',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32LE(1, SECOND + 8)),
    /record 2 is a point, not a polygon/,
  ],
  [
    'a header that tells too little',
    '.shp',
    (b) => edited(b, (c) => c.writeInt32BE(SECOND / 2, 24)),
    /goes on after the 236 bytes it tells/,
  ],
  ['an end cut off', '.shp', (b) => b.subarray(0, -1), /record 3 is cut off/],
  ['an end that goes on', '.shp', (b) => Buffer.concat([b, b]), /goes on after/],
  [
    'one shape less',
    '.shx',
    (b) => edited(b, (c) => c.writeInt32BE(c.readInt32BE(24) - 4, 24)).subarray(0, -8),
    /has 2 records/,
  ],
  [
    'a shape elsewhere',
    '.shx',
    (b) => edited(b, (c) => c.writeInt32BE(52, 108)),
    /has record 2 at byte 104, not 236/,
  ],
  [
    'a count of two',
    '.dbf',
    (b) => edited(b, (c) => c.writeUInt32LE(2, 4)),
    /goes on after its 2 records/,
  ],
  [
    'a count of four',
    '.dbf',
    (b) => edited(b, (c) => c.writeUInt32LE(4, 4)),
    /ends in record 4 of 4/,
  ],
  [
    'a deleted record',
    '.dbf',
    (b) => edited(b, (c) => c.write('*', 32 + 64 + 1 + 21)),
    /record 2 is deleted/,
  ],
  [
    'a field of another length',
    '.dbf',
    (b) => edited(b, (c) => c.writeUInt8(200, 32 + 16)),
    /has 2 columns of 211 bytes for 21/,
  ],
  [
    'a header longer than the file',
    '.dbf',
    (b) => edited(b, (c) => c.writeUInt16LE(60_000, 8)),
    /ends in its header/,
  ],
  [
    'metres',
    '.prj',
    () => Buffer.from('PROJCS["UTM 18N",GEOGCS["GCS"]]'),
    /not in degrees; export it in longitude/,
  ],
])('a shapefile with %s is refused (%s)', async (_, ending, change, problem) => {
  expect(await refusal(ending, change)).toMatch(problem);
});

test('an archive of two layers, or of none, is refused', async () => {
  const zip = async (name: string, parts: readonly string[]) => {
    const file = new ZipFile();
    for (const part of parts) file.addBuffer(whole[part.slice(1) as Ending], part);
    file.end();
    await pipeline(file.outputStream, createWriteStream(at(name)));
    return records(at(name));
  };
  await expect(zip('two.zip', ['a.shp', 'a.dbf', 'c.shp', 'c.dbf'])).rejects.toThrow(
    'two.zip: holds 2 shapefiles; give each as an archive of its own',
  );
  await expect(zip('none.zip', ['a.shp', 'c.dbf'])).rejects.toThrow('holds no shapefile');
});
