import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Rings } from '../../shards/geometry/rings.ts';
import { encodePlaces, PlaceTable, type PlaceWithBlocks } from '../../shards/places/place-table.ts';
import { expectRightOrNamed } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';
import { UncheckedObjects } from '../support/unchecked-objects.ts';

const store = UncheckedObjects.open();
afterAll(() => store.close());

const longitude = fc.integer({ min: -180e6, max: 180e6 }).map((micro) => micro / 1e6 || 0);
const latitude = fc.integer({ min: -90e6, max: 90e6 }).map((micro) => micro / 1e6 || 0);
/** GEOIDs of blocks anywhere in the country, including states with a leading zero. */
const block = fc.integer({ min: 10_010_000_000_000, max: 789_999_999_999_999 });

const micro = fc.integer({ min: -180e6, max: 180e6 });
/** Rings of one area; their interior does not matter here. */
const outline: fc.Arbitrary<Rings> = fc
  .array(fc.array(fc.tuple(micro, micro), { minLength: 3, maxLength: 8 }), { maxLength: 3 })
  .map((rings) => ({
    firstRing: Uint32Array.of(0, rings.length),
    firstPoint: Uint32Array.from(
      { length: rings.length + 1 },
      (_, r) => rings.slice(0, r).flat().length,
    ),
    x: Int32Array.from(rings.flat(), ([x]) => x),
    y: Int32Array.from(rings.flat(), ([, y]) => y),
  }));

const place: fc.Arbitrary<PlaceWithBlocks> = fc.record({
  geoid: fc.integer({ min: 0, max: 9_999_999 }).map((id) => String(id).padStart(7, '0')),
  name: fc.string({ unit: 'grapheme' }),
  lon: longitude,
  lat: latitude,
  population: fc.nat(),
  box: fc.record({ minLon: longitude, minLat: latitude, maxLon: longitude, maxLat: latitude }),
  blocks: fc.uniqueArray(block).map((blocks) => blocks.sort((a, b) => a - b)),
  outline,
});
const places = fc
  .uniqueArray(place, { selector: ({ geoid }) => geoid, maxLength: 12 })
  .map((list) => list.sort((a, b) => (a.geoid < b.geoid ? -1 : 1)));

/** The counties of some blocks, by the prefix of their GEOIDs. */
function countiesOf(blocks: readonly number[]): string[] {
  return [...new Set(blocks.map((id) => String(id).padStart(15, '0').slice(0, 5)))].sort();
}

test('a table returns every place with its counties, its blocks and its outline, and finds no other', () =>
  forAll(100, places, fc.nat(9_999_999), async (list, other) => {
    const table = await PlaceTable.open(store, store.add(encodePlaces('object', list)));
    expect(table.places).toEqual(
      list.map(({ blocks, outline: _, ...facts }) => ({
        ...facts,
        counties: countiesOf(blocks),
      })),
    );
    for (const [ordinal, { geoid, blocks, outline }] of list.entries()) {
      expect(table.ordinalOf(geoid)).toBe(ordinal);
      expect(await table.blocks(ordinal)).toEqual(blocks);
      expect(await table.outline(ordinal)).toEqual(outline);
    }
    const absent = String(other).padStart(7, '0');
    expect(table.ordinalOf(absent)).toBe(list.findIndex(({ geoid }) => geoid === absent));
  }));

test('a table with any bit flipped, or truncated, returns its contents or raises a named error', () =>
  forAll(100, places, fc.nat(), (list, where) =>
    expectRightOrNamed(encodePlaces('object', list), where, async (harmed) => {
      const table = await PlaceTable.open(store, store.add(harmed));
      for (const [ordinal, { geoid, name, blocks, outline }] of list.entries()) {
        expect(table.places[ordinal]).toMatchObject({ geoid, name });
        expect(await table.blocks(ordinal)).toEqual(blocks);
        expect(await table.outline(ordinal)).toEqual(outline);
      }
    }),
  ));

test('a table refuses to be written with places or blocks that do not ascend', () => {
  const [a] = fc.sample(place, { numRuns: 1, seed: 1 });
  const named = (geoid: string, blocks: number[]) => ({ ...a, geoid, blocks });
  expect(() => encodePlaces('object', [named('2404000', []), named('2404000', [])])).toThrow(
    '2404000',
  );
  const blocks = [245_100_001_001_001, 245_100_001_001_000];
  expect(() => encodePlaces('object', [named('2404000', blocks)])).toThrow('245100001001000');
});
