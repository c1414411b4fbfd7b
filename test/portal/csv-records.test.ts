import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { csvRecords, MismatchedQuotes } from '../../portal/sites/csv-records.ts';
import { forAll } from '../support/for-all.ts';

const records = (text: string, delimiter = ',') => [...csvRecords(text, delimiter)];
const cellsOf = (text: string, delimiter?: string) =>
  records(text, delimiter).map(({ cells }) => cells);

/** Whether a record is more than an empty line, or an empty pair of quotes. */
const isFilled = (cells: readonly string[]) => cells.length > 1 || cells[0] !== '';

const delimiters = fc.constantFrom(',', ';', '\t');
const lineEnds = fc.constantFrom('\n', '\r\n', '\r');

test('cells that another program writes are read back', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '\t', '"', '\n', '\r', 'é') });
  const table = fc.array(fc.array(cell, { minLength: 1 }), { minLength: 1 });
  await forAll(300, table, delimiters, lineEnds, (rows, delimiter, newline) => {
    const text = Papa.unparse(rows, { delimiter, newline });
    expect(cellsOf(text, delimiter).filter(isFilled)).toEqual(rows.filter(isFilled));
  });
});

test('any text is read or refused as by Papa Parse', async () => {
  const piece = fc.constantFrom('a', ' ', ',', '"', '""', '\n', '",', ',"', '"\n');
  await forAll(2_000, fc.array(piece), (pieces) => {
    const text = `${pieces.join('')}\n`;
    const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' });
    if (errors.length > 0) expect(() => records(text)).toThrow(MismatchedQuotes);
    else expect(cellsOf(text).filter(isFilled)).toEqual(data.filter(isFilled));
  });
});

test.each(['\n', '\r\n', '\r'])(
  'each record has the number of the line that it begins on, with line ends %j',
  (end) => {
    const text = ['a,b', '', '"1', '', '2",3', 'x', ''].join(end);
    expect(records(text).map(({ line, cells }) => [line, cells[0]])).toEqual([
      [1, 'a'],
      [3, `1${end}${end}2`],
      [6, 'x'],
    ]);
  },
);

test.each([
  ['a,b\n1,"2\n3,4\n', 2, 'has a quote that is not closed'],
  ['a,b\n"1\n2","3"4\n', 3, 'has text after a closing quote'],
])('%j is refused with the line of the cell', (text, line, message) => {
  expect(() => records(text)).toThrow(expect.objectContaining({ line, message }));
});
