import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { CsvReader, type CsvRecord } from '../../shards/csv/csv-reader.ts';
import { forAll } from '../support/for-all.ts';

/** Reads text that arrives in pieces of the given size. */
function records(text: string, delimiter = ',', size = text.length + 1): CsvRecord[] {
  const reader = new CsvReader(delimiter);
  const read: CsvRecord[] = [];
  let at = 0;
  for (; at + size < text.length; at += size) {
    read.push(...reader.read(text.slice(at, at + size), false));
  }
  return [...read, ...reader.read(text.slice(at), true)];
}

const rowsIn = (read: readonly CsvRecord[]) =>
  read.flatMap((record) => ('fault' in record ? [] : [record.cells]));
const faultsIn = (read: readonly CsvRecord[]) =>
  read.flatMap((record) => ('fault' in record ? [`${record.line}: ${record.fault}`] : []));

const isFilled = (cells: readonly string[]) => cells.length > 1 || cells[0].trim() !== '';

/** Whether the first and the last line of a row of several lines look like rows of their own. */
function isLikeTwoRows(cells: readonly string[], delimiter: string): boolean {
  const lines = cells.map((cell) => cell.split(/\r\n|\r|\n/));
  const first = lines.findIndex((some) => some.length > 1);
  if (first === -1 || cells.length === 1) return false;
  const last = lines.findLastIndex((some) => some.length > 1);
  const firstLine = [...cells.slice(0, first), lines[first][0]].join(delimiter);
  const lastLine = [lines[last].at(-1), ...cells.slice(last + 1)].join(delimiter);
  const inside = (some: readonly string[]) => some.join('').split(delimiter).length - 1;
  return (
    firstLine.split(delimiter).length - inside(cells.slice(0, first)) === cells.length &&
    lastLine.split(delimiter).length - inside(cells.slice(last + 1)) === cells.length
  );
}

const delimiters = fc.constantFrom(',', ';', '\t');
const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const sizes = fc.integer({ min: 1, max: 50 });

test('cells that another program writes are read back, wherever the text is split', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '\t', '"', '\n', '\r', 'é') });
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
    );
  await forAll(500, table, delimiters, lineEnds, sizes, (all, delimiter, newline, size) => {
    const rows = all.filter((cells) => !isLikeTwoRows(cells, delimiter));
    const text = Papa.unparse(rows, { delimiter, newline });
    const meant = rows
      .map((cells) => cells.map((one) => one.replaceAll(/\r\n?/g, '\n')))
      .filter(isFilled);
    const read = records(text, delimiter, size);
    expect(faultsIn(read)).toEqual([]);
    expect(rowsIn(read)).toEqual(meant);
  });
});

test('any text without blanks before quotes is read or refused as by Papa Parse', async () => {
  const piece = fc.constantFrom('a', ',', '"', '""', '\n', '",', ',"', '"\n', '" ');
  await forAll(2_000, fc.array(piece), (pieces) => {
    const text = `1,2,3,4,5,6,7,8,9,10\n${pieces.join('')}\n`;
    if (/ "/.test(text)) return;
    const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' });
    const isWide = data.some((row) => row.slice(10).some((cell) => cell.trim() !== ''));
    const read = records(text);
    if (errors.length > 0 || isWide) expect(faultsIn(read)).not.toEqual([]);
    else expect(rowsIn(read)).toEqual(data.filter(isFilled));
  });
});

test.each(['\n', '\r\n', '\r'])(
  'each record has the number of the line that it begins on, with line ends %j',
  (end) => {
    const text = ['a,b', '', '"1', '', '2",3', 'x', ''].join(end);
    for (const size of [1, 2, 3, 100]) {
      const read = records(text, ',', size);
      expect(read.map((one) => [one.line, one.cells?.[0]])).toEqual([
        [1, 'a'],
        [3, '1\n\n2'],
        [6, 'x'],
      ]);
    }
  },
);

test('blanks around quotes, and quotes inside a cell that begins without one, are certain', () => {
  expect(rowsIn(records('a,b\n "x, y" ,12" pipe\n\t"1",2 "two"\n'))).toEqual([
    ['a', 'b'],
    ['x, y', '12" pipe'],
    ['1', '2 "two"'],
  ]);
});

/** Lines that are not CSV, of three columns, with their cells if those are certain. */
const broken = fc.constantFrom<[row: string, cells: string[] | null]>(
  ['B,"Main" at Third,1', ['B', '"Main" at Third', '1']],
  ['B,"PRISON "ROSE AND THORN"",1', ['B', 'PRISON "ROSE AND THORN"', '1']],
  ['B,"Main" at "Third,1', null],
  ['B,"Main" at Third, East,1', null],
  ['B,"Main" at Third', null],
  ['B,"Main,1', null],
  ['"B,Main,1', null],
  ['B,Main,"', null],
  ['B,"Main""Third,1', null],
  ['B,Main, at Third,1', null],
);

test('a broken row is a fault with its line, and never changes a row around it', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', '\n', ',', '"'), maxLength: 4 });
  const around = fc.array(fc.tuple(cell, cell), { maxLength: 4 });
  await forAll(
    500,
    around,
    broken,
    around,
    sizes,
    lineEnds,
    (before, [row, cells], after, size, end) => {
      const table = (rows: readonly (readonly string[])[], from: number) =>
        rows
          .map(([b, c], i) => [`row ${from + i}`, b, c])
          .filter((cells) => !isLikeTwoRows(cells, ','));
      const [first, rest] = [table(before, 0), table(after, before.length)];
      // Quotes within the following rows would make other sense of an unclosed one.
      const plain = rest.map((cells) => cells.map((one) => one.replaceAll(/[",\n]/g, '')));
      const head = Papa.unparse([['id', 'b', 'c'], ...first], { newline: end });
      const tail = Papa.unparse(plain, { newline: end });
      const read = records(`${head}${end}${row}${end}${tail}${end}`, ',', size);
      const line = head.split(/\r\n|\r|\n/).length + 1;
      const faults = read.filter((one) => 'fault' in one);
      expect(faults).toEqual([{ line, fault: expect.any(String), cells }]);
      expect(rowsIn(read)).toEqual([['id', 'b', 'c'], ...first, ...plain]);
    },
  );
});

test('an unclosed quote swallows neither the next rows with quotes nor, at the end, those without', () => {
  const text = 'id,name,at\n1,"Main,5\n2,Oak,6\n3,"Elm, east",7\n4,"Ash,8\n5,Fir,9\n';
  const read = records(text);
  expect(faultsIn(read)).toEqual([
    '2: text after a closing quote',
    '5: a quote that is not closed',
  ]);
  expect(rowsIn(read).map(([id]) => id)).toEqual(['id', '2', '3', '5']);
});

test('two stray quotes in different rows lose those two, and no row between or around them', async () => {
  const word = fc
    .string({ unit: fc.constantFrom('a', ' ', 'é', '-'), maxLength: 4 })
    .map((some) => `b${some}`);
  const widths = fc.integer({ min: 2, max: 5 });
  const rows = widths.chain((width) =>
    fc.array(fc.array(word, { minLength: width, maxLength: width }), {
      minLength: 2,
      maxLength: 8,
    }),
  );
  const place = fc.nat();
  await forAll(500, rows, place, place, place, place, sizes, (all, i, j, k, l, size) => {
    const [opened, closed] = [i % all.length, j % all.length].sort((a, b) => a - b);
    if (opened === closed) return;
    const width = all[0].length;
    const lines = all.map((cells) => [...cells]);
    lines[opened][k % width] = `"${lines[opened][k % width]}`;
    lines[closed][l % width] += '"';
    const header = all[0].map((_, column) => `c${column}`);
    const read = records(
      [header, ...lines, ['end']].map((row) => row.join()).join('\n'),
      ',',
      size,
    );
    const left = all.filter((_, at) => at !== opened && at !== closed);
    expect(rowsIn(read)).toEqual([header, ...left, ['end']]);
    expect(faultsIn(read)).toEqual([
      `${opened + 2}: a quote that seems to be closed in another row`,
      `${closed + 2}: a part of a row with mismatched quotes`,
    ]);
  });
});

test('a text of several lines is a cell, with delimiters or beside cells that have some', () => {
  const rows = [
    ['1', 'Main, at Third\nuse the stairs', 'x'],
    ['2', 'two\n\nparagraphs', 'a, b'],
    ['3, b', '\n', 'c, d'],
    ['4', 'b', 'at the corner\nof Main, at Third'],
    ['one\ntwo', 'three\nfour', 'five\nsix'],
  ];
  const text = Papa.unparse([['id', 'name', 'note'], ...rows], { newline: '\n' });
  expect(rowsIn(records(text)).slice(1)).toEqual(rows);
  expect(rowsIn(records('note\n"one\ntwo"\n'))).toEqual([['note'], ['one\ntwo']]);
});

test('a part of a row of several lines is no row of its own', () => {
  const read = records('id,name,at\n1,"two\nlines" and,5\n2,Oak,6\n');
  expect(faultsIn(read)).toEqual([
    '2: text after a closing quote',
    '3: a part of a row with mismatched quotes',
  ]);
  expect(rowsIn(read).map(([id]) => id)).toEqual(['id', '2']);
});

test('only blank values may stand beyond the columns', () => {
  const read = records('a,b\n1,2,\n3,4, ,\n5,6,7\n8\n');
  expect(rowsIn(read).map(([a]) => a)).toEqual(['a', '1', '3', '8']);
  expect(faultsIn(read)).toEqual([expect.stringMatching(/^4: more values than there are columns/)]);
});

test('a megabyte of quotes that never match is read in linear time', () => {
  for (const line of ['"a', '"",""', 'a,"', '"""', '"a"b']) {
    const read = records(`a,b\n${`${line}\n`.repeat(250_000)}`, ',', 1 << 16);
    expect(read.length).toBeGreaterThan(1);
  }
});
