import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import type { FeedSource } from '../../builder/gtfs/feed-source.ts';
import { readTable } from '../../builder/gtfs/table.ts';
import { forAll } from '../support/for-all.ts';
import { csv, type TextStyle } from './gtfs-text.ts';

/** A feed of one table, which arrives in pieces of the given size. */
function inPieces(text: string, size: number): FeedSource {
  const bytes = Buffer.from(text);
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
const cell = fc.array(fc.constantFrom(...NASTY), { maxLength: 6 }).map((parts) => parts.join(''));
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

test('rows shorter or longer than the header, blank lines, and tables without rows are read', async () => {
  const rows = async (text: string) => {
    const read: string[][] = [];
    await readTable(inPieces(text, 7), new FeedReport(), 'stops.txt', [], (row) => {
      read.push([row.text('a'), row.text('b')]);
    });
    return read;
  };
  expect(await rows('a,b\n1\n2,3,4\n\n5,6\n')).toEqual([
    ['1', ''],
    ['2', '3'],
    ['5', '6'],
  ]);
  expect(await rows('a,b\n')).toEqual([]);
  expect(await rows('')).toEqual([]);
  expect(await rows('b , a\r1,2\r')).toEqual([['2', '1']]);
});

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
