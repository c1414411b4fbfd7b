import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import type { FeedSource } from '../../builder/gtfs/feed-source.ts';
import { readTable } from '../../builder/gtfs/table.ts';
import { forAll } from '../support/for-all.ts';
import { csv, type TextStyle } from './gtfs-text.ts';

/** A feed of one table, which arrives in pieces of the given size. */
function inPieces(text: string | Buffer, size: number): FeedSource {
  const bytes = Buffer.from(text as string);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  return {
    path: 'feed.zip',
    has: () => true,
    stream: async () => Readable.from(pieces, { objectMode: false }),
    close: () => {},
  };
}

const NASTY = ['"', ',', '\n', ' ', 'é', '駅', '🚋', "'", ';', 'a', '0', '""', '\t'];
/** Not with commas and line breaks in one, whose lines could be rows of their own. */
const cell = fc
  .array(fc.constantFrom(...NASTY), { maxLength: 6 })
  .map((parts) => parts.join(''))
  .filter((text) => !(text.includes(',') && text.includes('\n')));
const style: fc.Arbitrary<TextStyle> = fc.record({
  bom: fc.boolean(),
  quoteAll: fc.boolean(),
  lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
  openEnd: fc.boolean(),
});

test('a table is parsed correctly, however it is quoted and wherever it is split', () =>
  forAll(
    300,
    fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 }),
    style,
    fc.integer({ min: 1, max: 40 }),
    async (rows, written, size) => {
      // The first column is never empty: a line without any character is not a record.
      const records = rows.map(([a, b, c], i) => ({ id: `${i}${a}`, 'the name': b, last: c }));
      const read: string[][] = [];
      await readTable(
        inPieces(csv(records, written), size),
        new FeedReport(),
        'stops.txt',
        ['id'],
        (row) => {
          read.push(['id', 'the name', 'last', 'not there'].map((column) => row.text(column)));
        },
      );
      const meant = records.map((r) => [r.id, r['the name'], r.last, ''].map((t) => t.trim()));
      expect(read).toEqual(meant);
    },
  ));

/** The fields of the columns `a` and `b` of a table, and its problems. */
async function read(text: string | Buffer, file: 'stops.txt' | 'trips.txt' = 'stops.txt') {
  const rows: string[][] = [];
  const report = new FeedReport();
  await readTable(inPieces(text, 7), report, file, [], (row) => {
    rows.push([row.text('a'), row.text('b')]);
  });
  return { rows, problems: report.problems };
}

test('rows shorter than the header, blank lines, and tables without rows are read', async () => {
  const { rows, problems } = await read('a,b\n1\n2,3,\n\n5,6\n');
  expect([rows, problems]).toEqual([
    [
      ['1', ''],
      ['2', '3'],
      ['5', '6'],
    ],
    [],
  ]);
  expect((await read('a,b\n')).rows).toEqual([]);
  expect((await read('')).rows).toEqual([]);
  expect((await read('b , a\r1,2\r')).rows).toEqual([['2', '1']]);
});

test('rows that are not CSV are counted at the line of the file, and left out unless they are certain', async () => {
  const { rows, problems } = await read(
    'a,b\n1,"two\nlines"\n2,"Main" at Third\n3,x\n\n4,Main, at Third\n5,"x" y, z\n6,"open\n7,x\n',
    'trips.txt',
  );
  expect(rows).toEqual([
    ['1', 'two\nlines'],
    ['2', '"Main" at Third'],
    ['3', 'x'],
    ['7', 'x'],
  ]);
  const problem = (text: string, first_line: number) => ({
    file: 'trips.txt',
    problem: text,
    rows: 1,
    first_line,
  });
  expect(problems).toEqual([
    problem('text after a closing quote; read between its commas', 4),
    problem(
      'more values than there are columns (those that contain the delimiter need quotes); left out',
      7,
    ),
    problem('text after a closing quote; left out', 8),
    problem('a quote that is not closed; left out', 9),
  ]);
});

test('columns are found whatever the case of their names, and one that is there twice is noted', async () => {
  const { rows, problems } = await read('A, B ,b\n1,2,3\n');
  expect(rows).toEqual([['1', '2']]);
  expect(problems).toEqual([
    {
      file: 'stops.txt',
      problem: 'column b a second time; the first is used',
      rows: 1,
      first_line: 1,
    },
  ]);
});

test('a header that nobody can read for certain is refused', async () => {
  await expect(read('a,"b" c\n1,2\n')).rejects.toThrow(
    'feed.zip: stops.txt: its header, line 1, has text after a closing quote; correct it',
  );
  await expect(read('"a";"b"\n1;2\n')).rejects.toThrow('correct it, with commas between its cells');
});

test.each([
  ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16, little end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16, big end first', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
])('a table in %s is read without a note', async (_, encode) => {
  const { rows, problems } = await read(encode('a,b\r\nCañon,駅 🚋\r\n'));
  expect([rows, problems]).toEqual([[['Cañon', '駅 🚋']], []]);
});

test('UTF-16 that is cut off is refused', async () => {
  const cut = Buffer.from('\ufeffa,b\n1,2', 'utf16le').subarray(0, -1);
  await expect(read(cut)).rejects.toThrow(
    'stops.txt: is not valid text in UTF-16; save it in UTF-8',
  );
});

test('text that is not UTF-8 is Windows-1252, field by field, and its lines are counted', async () => {
  const text = 'a,b\nstation,x\n"Caf\xe9, \x80",na\xc3\xafve\nCa\xf1on,Can\xf3n\n';
  const { rows, problems } = await read(Buffer.from(text, 'latin1'));
  expect(rows).toEqual([
    ['station', 'x'],
    ['Café, €', 'naïve'],
    ['Cañon', 'Canón'],
  ]);
  expect(problems).toEqual([
    {
      file: 'stops.txt',
      problem: 'text that is not UTF-8; read as Windows-1252',
      rows: 2,
      first_line: 3,
    },
  ]);
});

test('NUL characters are passed over, and their lines are counted', async () => {
  const { rows, problems } = await read(Buffer.from('a,b\n1,2\n3\0,\0\0four\n5,6\0\n'));
  expect(rows).toEqual([
    ['1', '2'],
    ['3', 'four'],
    ['5', '6'],
  ]);
  expect(problems).toEqual([
    { file: 'stops.txt', problem: 'NUL characters; passed over', rows: 2, first_line: 3 },
  ]);
});

test('the same bytes are the same id in every table, and another text another', async () => {
  const bytes = fc.uint8Array({ maxLength: 6 }).map((some) =>
    Buffer.from(
      // Without blanks, among them the no-break space of Windows-1252, which are trimmed.
      some.filter(
        (byte) => byte > 0x20 && byte !== 0xa0 && !'",;|'.includes(String.fromCharCode(byte)),
      ),
    ),
  );
  const utf8 = fc.string({ unit: fc.constantFrom('a', 'é', '駅', '🚋'), maxLength: 4 });
  const id = fc.oneof(
    bytes,
    utf8.map((text) => Buffer.from(text)),
  );
  const table = (ids: readonly Buffer[]) =>
    Buffer.concat([
      Buffer.from('a,b\n'),
      ...ids.flatMap((one, i) => [one, Buffer.from(`,${i}\n`)]),
    ]);
  const idsOf = async (ids: readonly Buffer[]) => {
    const found = new Array<string>(ids.length).fill('');
    for (const [a, b] of (await read(table(ids))).rows) found[Number(b)] = a;
    return found;
  };
  await forAll(200, fc.array(id, { maxLength: 8 }), async (ids) => {
    const together = await idsOf(ids);
    const alone = await Promise.all(ids.map(async (one) => (await idsOf([one]))[0]));
    expect(together).toEqual(alone);
    // One text may be written in either encoding.
    const texts = ids.map((one) => one.toString(isUtf8(one) ? 'utf8' : 'latin1'));
    expect(new Set(together).size).toBe(new Set(texts).size);
  });
});

test.each([
  ['trip_id;route_id\nt;r\n', ': its cells are separated by ";"; save it with commas'],
  ['route_id;"trip_id";"a b"\n', ': its cells are separated by ";"; save it with commas'],
  ['route_id\t Trip_ID\nr\tt\n', ': its cells are separated by tabs; save it with commas'],
  ['route_id|trip_id\nr|t\n', ': its cells are separated by "|"; save it with commas'],
  ['sep=,\ntrip_id,route_id\nt,r\n', '; is it a GTFS feed? Its first line has one column, "sep=,"'],
  [
    '# From the agency\ntrip_id,route_id\nt,r\n',
    '; is it a GTFS feed? Its first line has one column, "# From the agency"',
  ],
  [
    '# From the agency, 2026\ntrip_id,route_id\nt,r\n',
    '; is it a GTFS feed? Its first line is a comment, "# From the agency, 2026"',
  ],
  ['trip;id,route_id\n', '; is it a GTFS feed?'],
])(
  'a table whose first line is no header is refused with what that line is: %j',
  async (text, says) => {
    const reading = readTable(
      inPieces(text, 5),
      new FeedReport(),
      'trips.txt',
      ['route_id', 'trip_id'],
      () => {},
    );
    const column = text.startsWith('trip;id') ? 'trip_id' : 'route_id';
    await expect(reading).rejects.toThrow(
      new BuildError(`feed.zip: trips.txt has no column ${column}${says}`),
    );
  },
);

test('a table without a required column fails by name', async () => {
  const reading = readTable(
    inPieces('a,b\n1,2\n', 3),
    new FeedReport(),
    'trips.txt',
    ['trip_id'],
    () => {},
  );
  await expect(reading).rejects.toThrow(/feed\.zip: trips\.txt has no column trip_id/);
});
