import { z } from 'zod';
import { ordinalsOf } from '../../../shards/arrays/sorted.ts';
import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import { countyOfBlock } from '../../../shards/geoid.ts';
import type { CountyManifest, StateManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { sized } from '../../../shards/release/release-cache.ts';
import { stateFipsOf } from '../../../shards/states.ts';
import type { CountyFips } from '../../../shards/units.ts';
import { Columns } from '../../formats/columns.ts';
import { invalidParameters } from '../../http/problem.ts';

export const AREA_KINDS = ['tract', 'place', 'county'] as const;
export type AreaKind = (typeof AREA_KINDS)[number];

/** The GEOID in rows that are of a block or, with `by`, of an average over an area. */
export const BLOCK_OR_AREA = new Columns<{ readonly geoid: string }>({
  geoid: {
    type: 'string',
    schema: z
      .string()
      .regex(/^\d{5,15}$/)
      .meta({ description: 'A block; with `by`, a tract, a place or a county.' }),
  },
});

/** The weight that an average is over, and the part of it that had to be left out. */
export const AVERAGED = new Columns<{ readonly total?: number; readonly no_data?: number }>({
  total: {
    type: 'double',
    schema: z
      .number()
      .min(0)
      .optional()
      .meta({ description: 'With `by`: sum of `weight` over the blocks.' }),
  },
  no_data: {
    type: 'double',
    schema: z.number().min(0).optional().meta({
      description:
        'With `by`: the part of `total` in blocks that the mode could not be routed from, which the average leaves out.',
    }),
  },
});

/** The digits of their GEOIDs, and of those of blocks. */
const DIGITS = { block: 15, tract: 11, place: 7, county: 5 } as const;

export function areaGeoid(id: number, kind: AreaKind | 'block'): string {
  return String(id).padStart(DIGITS[kind], '0');
}

/** Throws `invalid-parameters` for rows by place in releases that were all built without places. */
export function checkAreaKind(
  releases: readonly Pick<Release, 'manifest'>[],
  by: AreaKind | null,
  part: 'query' | 'body',
): void {
  const havePlaces = releases.some(({ manifest }) => Object.keys(manifest.states).length > 0);
  if (by !== 'place' || havePlaces) return;
  const msg = 'this release has no places; its operator adds them with tta build --places';
  throw invalidParameters([{ loc: [part, 'by'], msg, type: 'places_not_in_release' }]);
}

/** Returns the area of each block of a county as a number; 0 for a block in none. */
export async function areasOfBlocks(
  release: Release,
  county: CountyManifest,
  index: BlockIndex,
  by: AreaKind,
): Promise<(block: number) => number> {
  if (by !== 'place') {
    const scale = 10 ** (DIGITS.block - DIGITS[by]);
    return (block) => Math.floor(index.geoids[block] / scale);
  }
  if (index.count === 0) return () => 0;
  const fips = countyOfBlock(index.geoids[0]);
  const state = release.state(stateFipsOf(fips));
  if (!state) return () => 0;
  // The same blocks may be in other places in another release.
  const places = await release.cachedFrom(
    state.objects.places,
    `blocks of ${county.objects.index.sha256}`,
    async () => sized(await placesOfBlocks(release, state, fips, index)),
  );
  return (block) => places[block];
}

/** The place of each block of a county, 0 for a block in none. */
async function placesOfBlocks(
  release: Release,
  state: StateManifest,
  fips: CountyFips,
  index: BlockIndex,
): Promise<Float64Array> {
  const placeOf = new Float64Array(index.count);
  const table = await release.places(state);
  for (const [ordinal, { geoid, counties }] of table.places.entries()) {
    if (!counties.includes(fips)) continue;
    const blocks = await release.placeBlocks(table, ordinal);
    for (const block of ordinalsOf(index.geoids, blocks)) placeOf[block] = Number(geoid);
  }
  return placeOf;
}
