import { BAND_ENDS, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { boxOf, edgesOf } from '../../../../shards/geometry/wgs84.ts';
import { type BasketBlocks, type Criterion, criteriaMet } from '../measures/basket.ts';
import { LACKING } from '../measures/block-classes.ts';
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

/** Columns and members of a list. `name`: the stated values by default. */
export interface Listing extends Pick<BlockList, 'columns' | 'members'> {
  readonly stated: Stated;
  readonly name?: string;
}

export function blockList(
  blocks: BlockFacts,
  listed: readonly number[],
  where: string,
  { columns, members, stated, name = Object.values(stated).join('-') }: Listing,
): BlockList {
  const same = Object.entries(stated).map(([key, value]) => [key, () => value] as const);
  return {
    blocks,
    listed,
    columns,
    members: { ...Object.fromEntries(same), ...members },
    where,
    name,
  };
}

export function nearestListing(bands: Uint8Array, stated: Stated): Listing {
  return {
    stated,
    columns: [bandColumn('Minutes', bands)],
    members: { ...boundMembers('minutes', bands), class: (i) => classText(bands[i]) },
  };
}

/** Lists bands in two releases. */
export function changesListing(
  { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  stated: Stated,
): Listing {
  return {
    stated,
    // The unit is in the head, since four columns have little room.
    columns: Object.entries({ Before: before, After: after }).map(([title, bands]) => ({
      ...bandColumn(`${title}, min`, bands),
      textOf: (i) => classWords(bands[i]).replace(' min', ''),
    })),
    members: { ...boundMembers('before', before), ...boundMembers('after', after) },
  };
}

export function accessListing(
  classes: Uint8Array,
  bounds: readonly number[],
  stated: Stated,
): Listing {
  const title = 'Within reach';
  const textOf = (i: number) => countWords(classes[i], bounds);
  return {
    stated,
    columns: [{ title, textOf, rankOf: (i) => classes[i] }],
    members: {
      count_from: (i) => (classes[i] === UNROUTED ? null : (bounds[classes[i] - 2] ?? 0)),
      count_below: (i) => bounds[classes[i] - 1] ?? null,
    },
  };
}

/** Lists a basket. Each criterion is a member, null if it is not known for a block. */
export function basketListing(
  basket: BasketBlocks,
  criteria: readonly Criterion[],
  stated: Stated,
): Listing {
  const { met, unknown, furthest } = basket;
  const has = (bits: Uint8Array, i: number, j: number) => ((bits[i] >> j) & 1) === 1;
  const tested = criteria.map((criterion, j) => {
    const outcome = (i: number) => (has(unknown, i, j) ? null : has(met, i, j));
    return [writeCriterion(criterion), outcome] as const;
  });
  const metColumn: BlockColumn = {
    title: 'Criteria met',
    textOf(i) {
      const count = criteriaMet(basket, i);
      return count === null ? 'not known' : `${count} of ${criteria.length}`;
    },
    rankOf: (i) => criteriaMet(basket, i) ?? -1,
  };
  return {
    stated,
    columns: [metColumn, bandColumn('Furthest', furthest)],
    members: {
      criteria_met: (i) => criteriaMet(basket, i),
      ...boundMembers('furthest', furthest),
      furthest: (i) => classText(furthest[i]),
      ...Object.fromEntries(tested),
    },
    name: 'basket',
  };
}

/** Lists the blocks of a reach within some minutes. `decimals`: those of minutes in the table. */
export function reachList(
  blocks: BlockFacts,
  { minutes }: Reach,
  within: number,
  stated: Stated,
  decimals = 0,
): BlockList {
  const listed = positionsOf(minutes, (one) => one <= within);
  return blockList(blocks, listed, `within ${within} minutes`, {
    stated,
    columns: [minutesColumn('Minutes', minutes, decimals)],
    members: { minutes: (i) => minutes[i] },
  });
}

/** Lists the blocks that A or B reaches within some minutes; minutes over an hour are null. */
export function comparisonList(
  blocks: BlockFacts,
  { a, b }: Comparison,
  within: number,
): BlockList {
  const knownOf = (minutes: Uint8Array) => (i: number) =>
    minutes[i] <= MAX_MINUTES ? minutes[i] : null;
  const listed = positionsOf(a, (minutes, i) => minutes <= within || b[i] <= within);
  return blockList(blocks, listed, `within ${within} minutes`, {
    stated: {},
    columns: [minutesColumn('A', a), minutesColumn('B', b)],
    members: { minutes_a: knownOf(a), minutes_b: knownOf(b) },
    name: 'comparison',
  });
}

export function boxAround({ blocks: { lon, lat }, listed }: BlockList): Box | null {
  return listed.length === 0 ? null : edgesOf(boxOf(listed.map((i) => [lon[i], lat[i]])));
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
