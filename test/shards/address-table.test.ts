import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { AddressDirectory } from '../../shards/addresses/address-directory.ts';
import {
  type AddressRange,
  AddressTable,
  encodeAddresses,
  type Neighbourhood,
  type StreetRanges,
} from '../../shards/addresses/address-table.ts';
import { expectRightOrNamed } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';
import { UncheckedObjects } from '../support/unchecked-objects.ts';

const store = UncheckedObjects.open();
afterAll(() => store.close());

const houseNumber = fc.integer({ min: 0, max: 999_999 });
const zip = fc.option(fc.stringMatching(/^\d{5}$/), { nil: '' });
const point = fc.tuple(
  fc.integer({ min: -180e6, max: 180e6 }),
  fc.integer({ min: -90e6, max: 90e6 }),
);
const range: fc.Arbitrary<AddressRange> = fc
  .record({
    from: houseNumber,
    to: houseNumber,
    parity: fc.constantFrom(0, 1, 2),
    suffix: fc.constantFrom('', 'b', '1/2'),
    zip,
    geoid: fc.integer({ min: 10_010_000_000_000, max: 789_999_999_999_999 }),
    line: fc.array(point, { minLength: 1, maxLength: 5 }),
  })
  .map(({ line, ...rest }) => ({
    ...rest,
    x: line.map(([x]) => x),
    y: line.map(([, y]) => y),
  }));
const direction = fc.constantFrom('', 'n', 'sw');
const nameOf = ({ base, suffix, before, after }: StreetRanges) =>
  [base, suffix, before, after].join('/');
const streets: fc.Arbitrary<StreetRanges[]> = fc.uniqueArray(
  fc.record({
    before: direction,
    base: fc.constantFrom('oak', 'elm', '5th', 'saint paul', 'año'),
    suffix: fc.constantFrom('', 'st', 'ave'),
    after: direction,
    label: fc.string({ unit: 'grapheme' }),
    ranges: fc.array(range, { minLength: 1, maxLength: 6 }),
  }),
  { selector: nameOf, maxLength: 8 },
);

const neighbourhoods: fc.Arbitrary<Neighbourhood[]> = fc.array(
  fc
    .record({ label: fc.string({ unit: 'grapheme' }), point, geoid: fc.nat(789_999_999_999_999) })
    .map(({ point: [x, y], ...rest }) => ({ ...rest, x, y })),
  { maxLength: 4 },
);

/** Reads a table in full, one street at a time. */
async function expectAll(
  bytes: Uint8Array,
  given: readonly StreetRanges[],
  parts: readonly Neighbourhood[],
): Promise<void> {
  const table = await AddressTable.open(store, store.add(bytes));
  expect(table.neighbourhoods).toEqual(parts);
  const found = await Promise.all(
    table.streets.map(async ({ lowest, highest, zips, ...name }, row) => {
      const [ranges] = await table.ranges(row, row + 1);
      const numbers = ranges.flatMap(({ from, to }) => [from, to]);
      expect([lowest, highest]).toEqual([Math.min(...numbers), Math.max(...numbers)]);
      expect(zips).toEqual([...new Set(ranges.map((one) => one.zip))].sort());
      return { ...name, ranges };
    }),
  );
  expect(found).toHaveLength(given.length);
  expect(new Map(found.map((one) => [nameOf(one), one]))).toEqual(
    new Map(given.map((one) => [nameOf(one), one])),
  );
}

test('a table returns every street with its ranges, streets of one name together, and neighbourhoods', () =>
  forAll(20, streets, neighbourhoods, async (given, parts) => {
    const bytes = encodeAddresses('object', given, parts);
    await expectAll(bytes, given, parts);
    const table = await AddressTable.open(store, store.add(bytes));
    const bases = table.streets.map(({ base }) => base);
    expect(bases.filter((base, i) => base !== bases[i - 1])).toEqual([...new Set(bases)]);
    const all = await table.ranges(0, bases.length);
    for (const [row, ranges] of all.entries()) {
      expect([ranges]).toEqual(await table.ranges(row, row + 1));
    }
  }));

test('a table with any bit flipped, or truncated, returns its contents or raises a named error', () =>
  forAll(50, streets, neighbourhoods, fc.nat(), (given, parts, where) =>
    expectRightOrNamed(encodeAddresses('object', given, parts), where, (harmed) =>
      expectAll(harmed, given, parts),
    ),
  ));

test('a directory returns the counties of each ZIP code, and the lengths of their heads', () => {
  const counties = [
    { county: '01001', headBytes: 812, zips: ['00101', '36003'] },
    { county: '24510', headBytes: 9_000, zips: ['21201', '36003'] },
    { county: '24005', headBytes: 0, zips: [] },
  ];
  const directory = new AddressDirectory('object', AddressDirectory.encode(counties));
  expect(Object.fromEntries(directory.headBytes)).toEqual({
    '01001': 812,
    '24510': 9_000,
    '24005': 0,
  });
  expect(directory.countiesOf('36003')).toEqual(['01001', '24510']);
  expect(directory.countiesOf('00101')).toEqual(['01001']);
  expect(directory.countiesOf('99999')).toEqual([]);
});
