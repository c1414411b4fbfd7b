import type { LinkStatus } from '../../shards/blocks/block-index.ts';
import type { Mode } from '../../shards/modes.ts';
import { MAX_DEST_ID } from '../../shards/units.ts';

/** A county as plain data: the source of shards, and of the expected responses. */
export interface SmallCounty {
  readonly fips: string;
  /** Ascending by GEOID. */
  readonly blocks: readonly SmallBlock[];
  /** Ascending by `destId`. */
  readonly pois: readonly SmallPoi[];
}

export interface SmallBlock {
  readonly geoid: string;
  readonly population: number | null;
  readonly landArea: number | null;
  /** Per street mode, whether the block is linked to a street, or why not. */
  readonly links: Readonly<Record<'walk' | 'bike', LinkStatus>>;
  /** Per mode, tenths of a minute (10 to 300) to each POI within reach, by `destId`. */
  readonly tenths: Readonly<Partial<Record<Mode, ReadonlyMap<number, number>>>>;
}

export interface SmallPoi {
  readonly destId: number;
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  readonly address: Readonly<Record<'street' | 'city' | 'state' | 'zip', string | null>>;
  /** Leaf types, ascending. */
  readonly types: readonly number[];
}

export const SMALL_MODES: readonly Mode[] = ['walk', 'bike', 'transit'];
const LEAF_SETS = [[101], [102], [201], [311], [312], [320], [101, 102], [311, 312], []];
const NAMES = ['Harbor Market', 'Café Ñandú', 'The "Reading" Room', '日本食品', '', 'A/B <i>'];
const TRACT = '001001';
const FIRST_BLOCK = 1000;
const LINKS: readonly SmallBlock['links'][] = [
  { walk: 'no-street-near', bike: 'no-street-near' },
  { walk: 'outside-street-data', bike: 'not-on-mode-network' },
  { walk: 'linked', bike: 'not-on-mode-network' },
];

/**
 * A made-up county, equal for equal arguments: two blocks are unrouted, one is linked only on foot
 * but reaches nothing, and one reaches every POI by every mode at the two ends of the scale.
 */
export function smallCounty(shape: {
  readonly fips: string;
  readonly seed: number;
  readonly blocks: number;
  readonly pois: number;
}): SmallCounty {
  const random = generator(shape.seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const maybe = <T>(value: T): T | null => (random() < 0.3 ? null : value);

  const ids = new Set<number>([1, MAX_DEST_ID]);
  while (ids.size < shape.pois) ids.add(1 + Math.floor(random() * 2 ** (10 + below(40))));
  const pois = [...ids]
    .slice(0, shape.pois)
    .sort((a, b) => a - b)
    .map((destId) => ({
      destId,
      name: NAMES[below(NAMES.length)],
      lon: (-76_700_000 + below(100_000)) / 1e6,
      lat: (39_200_000 + below(100_000)) / 1e6,
      address: {
        street: maybe(`${1 + below(999)} Pier Street`),
        city: maybe('Port Meridian'),
        state: maybe('MD'),
        zip: maybe('02123'),
      },
      types: LEAF_SETS[below(LEAF_SETS.length)],
    }));

  const blocks = Array.from({ length: shape.blocks }, (_, i) => {
    const share = i < 3 ? 0 : i === 3 ? 1 : random();
    const reach = (ends: number) =>
      new Map(
        pois.flatMap(({ destId }, p): [number, number][] => {
          if (random() >= share) return [];
          return [[destId, i === 3 ? (p % 2 === 0 ? 10 : ends) : 10 + below(291)]];
        }),
      );
    return {
      geoid: `${shape.fips}${TRACT}${FIRST_BLOCK + i}`,
      population: maybe(below(3000)),
      landArea: maybe(below(1e6)),
      links: LINKS[i] ?? { walk: 'linked', bike: 'linked' },
      tenths: { walk: reach(300), bike: reach(299), transit: reach(123) },
    };
  });
  return { fips: shape.fips, blocks, pois };
}

/** Random numbers from Mulberry32: small, seeded, and independent of the code under test. */
function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
