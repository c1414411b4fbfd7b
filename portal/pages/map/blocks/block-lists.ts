import { BAND_ENDS, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { boxOf, edgesOf } from '../../../../shards/geometry/wgs84.ts';
import { type BasketBlocks, type Criterion, criteriaMet } from '../measures/basket.ts';
import { LACKING } from '../measures/changes.ts';
import type { Comparison } from '../measures/comparison.ts';
import type { Reach } from '../measures/reach.ts';
import { MAX_MINUTES, writeCriterion } from '../state/map-state.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import { classText, classWords, countWords } from './block-bands.ts';
import type { CountyBlocks } from './coloured-blocks.ts';

/** Blocks with the facts that every list states. */
export type BlockFacts = Pick<CountyBlocks, 'geoids' | 'population' | 'lon' | 'lat'>;

export interface BlockColumn {
  readonly title: string;
  readonly textOf: (i: number) => string;
  /** Rank of the block in the order of this column. */
  readonly rankOf: (i: number) => number;
}

/** The blocks that a view shows, as they are listed in its table and its files. */
export interface BlockList {
  readonly blocks: BlockFacts;
  /** Positions of the listed blocks among `blocks`. */
  readonly listed: readonly number[];
  /** Columns besides GEOID and people. */
  readonly columns: readonly BlockColumn[];
  /** Members of a block in files, besides GEOID, population and centre. */
  readonly members: Readonly<Record<string, (i: number) => string | number | boolean | null>>;
  /** Where the blocks are: `in view`, or `within 30 minutes`. */
  readonly where: string;
  /** Beginning of file names. */
  readonly name: string;
}

/** Members of a list that are the same for all of its blocks. */
type Stated = Readonly<Record<string, string | number>>;

export function nearestList(
  blocks: BlockFacts,
  classes: Uint8Array,
  seen: readonly number[],
  stated: Stated,
): BlockList {
  return inView(blocks, seen, stated, {
    columns: [bandColumn('Minutes', classes)],
    members: { ...boundMembers('minutes', classes), class: (i) => classText(classes[i]) },
  });
}

/** Lists the blocks in view by their bands in two releases. */
export function changesList(
  blocks: BlockFacts,
  { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  seen: readonly number[],
  stated: Stated,
): BlockList {
  return inView(blocks, seen, stated, {
    // The unit is in the head, since four columns have little room.
    columns: Object.entries({ Before: before, After: after }).map(([title, bands]) => ({
      ...bandColumn(`${title}, min`, bands),
      textOf: (i) => classWords(bands[i]).replace(' min', ''),
    })),
    members: { ...boundMembers('before', before), ...boundMembers('after', after) },
  });
}

export function accessList(
  blocks: BlockFacts,
  { classes, bounds }: { readonly classes: Uint8Array; readonly bounds: readonly number[] },
  seen: readonly number[],
  stated: Stated,
): BlockList {
  return inView(blocks, seen, stated, {
    columns: [
      {
        title: 'Within reach',
        textOf: (i) => countWords(classes[i], bounds),
        rankOf: (i) => classes[i],
      },
    ],
    members: {
      count_from: (i) => (classes[i] === UNROUTED ? null : (bounds[classes[i] - 2] ?? 0)),
      count_below: (i) => bounds[classes[i] - 1] ?? null,
    },
  });
}

/**
 * Lists the blocks in view by a basket. Each criterion is a member, null if it is not known for a
 * block.
 */
export function basketList(
  blocks: BlockFacts,
  basket: BasketBlocks,
  seen: readonly number[],
  criteria: readonly Criterion[],
  stated: Stated = {},
): BlockList {
  const { met, unknown, furthest } = basket;
  const has = (bits: Uint8Array, i: number, j: number) => ((bits[i] >> j) & 1) === 1;
  const tested = criteria.map((criterion, j) => {
    const outcome = (i: number) => (has(unknown, i, j) ? null : has(met, i, j));
    return [writeCriterion(criterion), outcome] as const;
  });
  return {
    blocks,
    listed: seen,
    columns: [
      {
        title: 'Criteria met',
        textOf: (i) => {
          const count = criteriaMet(basket, i);
          return count === null ? 'not known' : `${count} of ${criteria.length}`;
        },
        rankOf: (i) => criteriaMet(basket, i) ?? -1,
      },
      bandColumn('Furthest', furthest),
    ],
    members: {
      ...constant(stated),
      criteria_met: (i) => criteriaMet(basket, i),
      ...boundMembers('furthest', furthest),
      furthest: (i) => classText(furthest[i]),
      ...Object.fromEntries(tested),
    },
    where: 'in view',
    name: 'basket',
  };
}

/** Lists the blocks of a reach within some minutes. */
export function reachList(
  blocks: BlockFacts,
  { minutes }: Reach,
  within: number,
  stated: Stated,
): BlockList {
  return {
    blocks,
    listed: positionsOf(minutes, (one) => one <= within),
    columns: [minutesColumn('Minutes', minutes)],
    members: { ...constant(stated), minutes: (i) => minutes[i] },
    where: `within ${within} minutes`,
    name: nameOf(stated),
  };
}

/** Lists the blocks of a catchment within some minutes, with times to a tenth of a minute. */
export function catchmentList(
  blocks: BlockFacts,
  catchment: Reach,
  within: number,
  stated: Stated,
): BlockList {
  return {
    ...reachList(blocks, catchment, within, stated),
    columns: [minutesColumn('Minutes', catchment.minutes, 1)],
  };
}

/** Lists the blocks that A or B reaches within some minutes; minutes over an hour are null. */
export function comparisonList(
  blocks: BlockFacts,
  { a, b }: Comparison,
  within: number,
): BlockList {
  const knownOf = (minutes: Uint8Array) => (i: number) =>
    minutes[i] <= MAX_MINUTES ? minutes[i] : null;
  return {
    blocks,
    listed: positionsOf(a, (minutes, i) => minutes <= within || b[i] <= within),
    columns: [minutesColumn('A', a), minutesColumn('B', b)],
    members: { minutes_a: knownOf(a), minutes_b: knownOf(b) },
    where: `within ${within} minutes`,
    name: 'comparison',
  };
}

export function boxAround({ blocks: { lon, lat }, listed }: BlockList): Box | null {
  return listed.length === 0 ? null : edgesOf(boxOf(listed.map((i) => [lon[i], lat[i]])));
}

/** A list of the blocks in view, with members that are the same for all of them. */
function inView(
  blocks: BlockFacts,
  seen: readonly number[],
  stated: Stated,
  { columns, members }: Pick<BlockList, 'columns' | 'members'>,
): BlockList {
  return {
    blocks,
    listed: seen,
    columns,
    members: { ...constant(stated), ...members },
    where: 'in view',
    name: nameOf(stated),
  };
}

function constant(stated: Stated): BlockList['members'] {
  return Object.fromEntries(Object.entries(stated).map(([name, value]) => [name, () => value]));
}

function nameOf(stated: Stated): string {
  return Object.values(stated).join('-');
}

/**
 * Members `NAME_over` and `NAME_to`: the bounds of a band in minutes. Over 30 minutes, `NAME_to` is
 * null; without a street near, and of a block that a release lacks, both are.
 */
function boundMembers(name: string, bands: Uint8Array): BlockList['members'] {
  return {
    [`${name}_over`]: (i) => (isKnown(bands[i]) ? (BAND_ENDS[bands[i] - 2] ?? 0) : null),
    [`${name}_to`]: (i) => BAND_ENDS[bands[i] - 1] ?? null,
  };
}

function isKnown(band: number): boolean {
  return band !== UNROUTED && band !== LACKING;
}

/** Column of bands, in whose order blocks without a band are the farthest. */
function bandColumn(title: string, bands: Uint8Array): BlockColumn {
  return {
    title,
    textOf: (i) => classWords(bands[i]),
    rankOf: (i) => (isKnown(bands[i]) ? bands[i] : Number.POSITIVE_INFINITY),
  };
}

function minutesColumn(title: string, minutes: ArrayLike<number>, decimals = 0): BlockColumn {
  return {
    title,
    textOf: (i) =>
      minutes[i] <= MAX_MINUTES ? `${minutes[i].toFixed(decimals)} min` : `over ${MAX_MINUTES} min`,
    rankOf: (i) => minutes[i],
  };
}

function positionsOf(
  minutes: ArrayLike<number>,
  isListed: (minutes: number, i: number) => boolean,
): readonly number[] {
  return Array.from(minutes, (_, i) => i).filter((i) => isListed(minutes[i], i));
}
