import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DestDirectory } from '../../shards/pois/dest-directory.ts';
import { expectRightOrNamed } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';

const county = fc.constantFrom('01001', '24003', '24005', '24510', '99001');
const home = fc.record({ id: fc.oneof(fc.maxSafeNat(), fc.nat(3000)), county });
/** Homes sorted by id, enough to fill several pages of 256 ids. */
const homes = fc
  .uniqueArray(home, { selector: ({ id }) => id, maxLength: 1000, size: 'max' })
  .map((list) => list.sort((a, b) => a.id - b.id));

test('a directory finds every id in its home county, and no other id', () =>
  forAll(40, homes, fc.maxSafeNat(), (list, other) => {
    const directory = new DestDirectory('object', DestDirectory.encode(list));
    expect(directory.count).toBe(list.length);
    const countyOf = new Map(list.map(({ id, county: at }) => [id, at]));
    const near = list.flatMap(({ id }) => [id - 1, id, id + 1]);
    const asked = [...near, other, 0, Number.MAX_SAFE_INTEGER];
    const found = asked.map((id) => [id, directory.countyOf(id)]);
    expect(found).toEqual(asked.map((id) => [id, countyOf.get(id) ?? null]));
  }));

test('a directory with any bit flipped, or truncated, is read correctly or raises a named error', () =>
  forAll(100, homes, fc.nat(), (list, where) =>
    expectRightOrNamed(DestDirectory.encode(list), where, (harmed) => {
      const directory = new DestDirectory('object', harmed);
      for (const { id, county: at } of list) {
        const found = directory.countyOf(id);
        if (found !== at) expect.fail(`${id} is in ${at}, found in ${found}`);
      }
    }),
  ));

test('a directory refuses to be written with ids that do not ascend', () => {
  const same = { id: 7, county: '24510' };
  expect(() => DestDirectory.encode([same, same])).toThrow('dest_id 7 is out of order');
});
