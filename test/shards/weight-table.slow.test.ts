import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  encodeWeights,
  type WeightColumn,
  WeightTable,
} from '../../shards/weights/weight-table.ts';
import { expectRightOrNamed } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';
import { UncheckedObjects } from '../support/unchecked-objects.ts';

const store = UncheckedObjects.open();
afterAll(() => store.close());

const MOST = 4_294_967_295;

/**
 * A count: zero in half of the cases, as of jobs; small in a third, as of people; otherwise any.
 */
const count = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: fc.nat(300), weight: 2 },
  { arbitrary: fc.integer({ min: 0, max: MOST }), weight: 1 },
);

const county: fc.Arbitrary<{ blocks: number; columns: WeightColumn[] }> = fc
  .nat(60)
  .chain((blocks) => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,39}$/);
    const counts = fc.array(count, { minLength: blocks, maxLength: blocks });
    const column = fc.record({
      weight: name,
      counts: counts.map((list) => Uint32Array.from(list)),
    });
    return fc.record({ blocks: fc.constant(blocks), columns: fc.array(column, { maxLength: 9 }) });
  });

test('a table returns the name and the counts of every weight of a county', () =>
  forAll(50, county, async ({ blocks, columns }) => {
    const table = await WeightTable.open(
      store,
      store.add(encodeWeights('object', blocks, columns)),
    );
    expect(table.blocks).toBe(blocks);
    expect(table.names).toEqual(columns.map(({ weight }) => weight));
    for (const [position, { counts }] of columns.entries()) {
      expect(await table.counts(position)).toEqual(counts);
    }
  }));

test('a table with any bit flipped, or truncated, returns its contents or raises a named error', () =>
  forAll(50, county, fc.nat(), ({ blocks, columns }, where) =>
    expectRightOrNamed(encodeWeights('object', blocks, columns), where, async (harmed) => {
      const table = await WeightTable.open(store, store.add(harmed));
      expect(table.names).toEqual(columns.map(({ weight }) => weight));
      for (const [position, { counts }] of columns.entries()) {
        expect(await table.counts(position)).toEqual(counts);
      }
    }),
  ));

test('a block without a count takes no space, and one with a small count about a byte', () => {
  const sizeOf = (counts: number[]) =>
    encodeWeights('object', counts.length, [{ weight: 'jobs', counts: Uint32Array.from(counts) }])
      .length;
  const some = [0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 120, 0, 0, 0, 0, 0];
  const nowhere = sizeOf(some.map(() => 0));
  expect(sizeOf(new Array(5_000).fill(0))).toBeLessThanOrEqual(nowhere + 8);
  expect(sizeOf(some)).toBeLessThanOrEqual(nowhere + 8);
  expect(sizeOf(new Array(5_000).fill(99))).toBeLessThanOrEqual(nowhere + 5_008);
});

test('a table refuses to be written with a column of another number of blocks', () => {
  const column = { weight: 'jobs', counts: Uint32Array.of(1, 2) };
  expect(() => encodeWeights('object', 3, [column])).toThrow('jobs has counts of 2 of 3 blocks');
});
