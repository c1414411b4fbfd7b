import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { findPlaces } from '../../proxy/queries/areas/places.ts';
import { foldText } from '../../shards/folded-text.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { encodePlaces, type PlaceWithBlocks } from '../../shards/places/place-table.ts';
import { Release } from '../../shards/release/release.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { forAll } from '../support/for-all.ts';
import { leastProcessorMs } from '../support/standard-work.ts';
import { wideRelease } from '../support/wide-release.ts';

const STATES = { '01': 'AL', '06': 'CA', '24': 'MD', '99': 'XA' } as const;
type StateFips = keyof typeof STATES;

interface Town {
  readonly state: StateFips;
  readonly name: string;
  readonly population: number;
}

/** A release of the given places and nothing else; GEOIDs number them within their state. */
function releaseOf(towns: readonly Town[]): { release: Release; geoidOf: (town: Town) => string } {
  const geoids = new Map<Town, string>();
  const objects = new Map<string, Uint8Array>();
  const states: Record<string, { places: number; objects: Record<string, ObjectRef> }> = {};
  for (const fips of Object.keys(STATES)) {
    const own = towns.filter(({ state }) => state === fips);
    const places = own.map((town, i): PlaceWithBlocks => {
      const geoid = `${fips}${String(i).padStart(5, '0')}`;
      geoids.set(town, geoid);
      const box = { minLon: 0, minLat: 0, maxLon: 0, maxLat: 0 };
      const { name, population } = town;
      return {
        geoid,
        name,
        population,
        lon: 0,
        lat: 0,
        box,
        blocks: [],
        outline: ringsOf([{ polygons: [] }]),
      };
    });
    const name = `places/${fips}`;
    const bytes = encodePlaces(name, places);
    const ref = { name, bytes: bytes.length, sha256: '0'.repeat(64) };
    objects.set(ref.name, bytes);
    states[fips] = { places: own.length, objects: { places: ref, 'place-map': ref } };
  }
  const { manifest, latest, store: empty } = wideRelease([]).release;
  const store: Store = {
    ...empty,
    readRange: async ({ name }, offset, length) =>
      objects.get(name)!.subarray(offset, offset + length),
  };
  const withStates = { ...manifest, states: states as typeof manifest.states };
  const release = new Release(store, latest, withStates, new ReleaseCache(1 << 28));
  return { release, geoidOf: (town) => geoids.get(town)! };
}

/** Rank of a name's match by the contract, the best first; null where it does not match. */
function matchOf(name: string, asked: string): number | null {
  const [given, wanted] = [foldText(name), foldText(asked)];
  if (given === wanted) return 0;
  if (given.startsWith(wanted)) return 1;
  const words = given.split(/[^\p{L}\p{N}]+/u);
  const rests = words.map((_, i) => words.slice(i).join(' '));
  if (rests.some((rest) => rest.startsWith(wanted))) return 2;
  return given.includes(wanted) ? 3 : null;
}

/** The expected results of a search: by examining every place. */
function wanted(towns: readonly Town[], geoidOf: (town: Town) => string, text: string): string[] {
  const [, name, state] = /^(.*[^\s,])[\s,]+(\p{L}\p{L})$/u.exec(text.trim()) ?? [];
  const ranked = towns.flatMap((town) => {
    const whole = matchOf(town.name, text);
    const isThere = STATES[town.state] === state?.toUpperCase();
    const own = isThere ? matchOf(town.name, name) : null;
    const match = whole ?? (own === null ? null : 4 + own);
    return match === null ? [] : [{ match, town, geoid: geoidOf(town) }];
  });
  const order = (a: (typeof ranked)[0], b: (typeof ranked)[0]) =>
    a.match - b.match || b.town.population - a.town.population || Number(a.geoid) - Number(b.geoid);
  return ranked.sort(order).map(({ geoid }) => geoid);
}

const WORDS = ['port', 'Port', 'meridian', 'Mérida', 'St.', 'x', 'al', 'ca', 'md', 'xa', 'o’', 'ñ'];
const name = fc
  .tuple(
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' ', '-', ' (', ', ', ''),
  )
  .map(([words, between]) => words.join(between));
const town = fc.record({
  state: fc.constantFrom(...(Object.keys(STATES) as StateFips[])),
  name,
  population: fc.nat(3),
});

describe('a search', () => {
  test('finds the places that a full scan finds, whatever their names and its text', async () => {
    const asked = fc.oneof(
      name,
      fc.tuple(name, fc.nat(6), fc.nat(6)).map(([text, a, b]) => text.slice(a, a + b + 1)),
      fc
        .tuple(name, fc.constantFrom(', ', ' ', ','), fc.constantFrom('XA', 'md', 'Ca', 'TX'))
        .map((p) => p.join('')),
    );
    await forAll(
      1_000,
      fc.array(town, { maxLength: 30 }),
      asked.filter((text) => foldText(text) !== ''),
      fc.integer({ min: 1, max: 20 }),
      async (towns, text, limit) => {
        const { release, geoidOf } = releaseOf(towns);
        const found = await findPlaces(release, text, limit);
        expect(found.map(({ geoid }) => geoid)).toEqual(
          wanted(towns, geoidOf, text).slice(0, limit),
        );
      },
    );
  });

  test('with the letters of a state ranks its places before larger ones', async () => {
    const towns = [
      { state: '01', name: 'Port Meridian', population: 9 },
      { state: '99', name: 'Port Meridian', population: 1 },
      { state: '99', name: 'Port Meridian Beach', population: 5 },
    ] as const;
    const { release } = releaseOf(towns);
    for (const text of ['Port Meridian, XA', 'port meridian xa', 'PORT MERIDIAN,xa']) {
      const [first, second] = await findPlaces(release, text, 10);
      expect([text, first.state, first.name]).toEqual([text, 'XA', 'Port Meridian']);
      expect(second.name).toBe('Port Meridian Beach');
    }
  });

  test('with a line break in its text finds nothing', async () => {
    const { release } = releaseOf([{ state: '24', name: 'Halcyon', population: 1 }]);
    expect(await findPlaces(release, 'on\nhal', 10)).toEqual([]);
  });
});

describe('a search of 32,000 places', () => {
  const random = new Random(32_000);
  const pick = (from: readonly string[]) => from[Math.floor(random.next() * from.length)];
  const [first, second, kinds] = [
    ['San', 'Santa', 'New', 'Port', 'Fort', 'Mount', 'Lake', 'El', 'Saint', 'North', 'West', 'Old'],
    ['mer', 'ber', 'den', 'wood', 'field', 'ville', 'ton', 'burg', 'ō', 'ham', 'ford', 'dale'],
    ['', '', '', ' City', ' Heights', '-on-the-Hill', ' (balance)'],
  ];
  const towns = Array.from({ length: 32_000 }, (): Town => {
    const rest = Array.from({ length: 3 }, () => pick(second)).join('');
    return {
      state: pick(Object.keys(STATES)) as StateFips,
      name: `${pick(first)} ${rest}${pick(kinds)}`,
      population: Math.floor(random.next() ** 8 * 1e6),
    };
  });
  const asked = [
    's',
    'e',
    'san',
    'port mer',
    'ville',
    'heights',
    'Fort denwoodton City',
    'Fort dale, CA',
    'zz',
    'denberham hill',
    'nosuchplaceanywhere',
    'e e',
    'onmer',
    'x, md',
    'eeeeeeeeeeeeeeeeee',
  ];

  test('takes a small fraction of a full scan', async () => {
    const { release, geoidOf } = releaseOf(towns);
    await findPlaces(release, 'a', 10);
    const spent = (work: () => unknown) => leastProcessorMs(work, 5);
    const everyOne = await spent(() => wanted(towns, geoidOf, 'nosuchplaceanywhere'));
    for (const text of asked) {
      const found = await findPlaces(release, text, 10);
      expect(found.map(({ geoid }) => geoid)).toEqual(wanted(towns, geoidOf, text).slice(0, 10));
      const ms = await spent(() => findPlaces(release, text, 10));
      expect([text, ms < everyOne / 8]).toEqual([text, true]);
    }
  });
});
