import type { Timing } from '../../../../shards/services.ts';
import type { Client } from '../../../client/src/index.ts';
import { serviceOf } from '../catalogue/windows.ts';
import {
  type BasketBlocks,
  type BasketTally,
  basketOf,
  basketTally,
  type Criterion,
} from '../measures/basket.ts';
import { alignedTo } from '../measures/block-classes.ts';
import { changeClasses } from '../measures/changes.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import type { CountedAccess, CountyBands } from './block-bands.ts';
import {
  type CountyBlocks,
  countiesIn,
  countiesOf,
  join,
  joinedColumns,
  type Tally,
  tallyOf,
} from './coloured-blocks.ts';

/** Something that the public objects of counties say of each block, and how it is summed up. */
export interface Measure<Of, Sums> {
  /** Measures of a kind read and sum up the same. */
  readonly kind: string;
  /** Tells it from all other measures. */
  readonly key: string;
  /** Reads it for the blocks of counties, one county after the other. */
  read(counties: readonly CountyBands[]): Promise<Of>;
  /** Sums up the blocks at some positions; an unknown population counts as 0. */
  sum(of: Of, population: readonly (number | null)[], blocks: readonly number[]): Sums;
}

/**
 * The band of the nearest POI of any of some types by a service; 0 for a county without such a
 * column.
 */
export function nearestMeasure(
  service: string,
  types: readonly number[],
): Measure<Uint8Array, Tally> {
  return {
    kind: 'nearest',
    key: `nearest ${service} ${types}`,
    async read(counties) {
      const bands = types.map((type) =>
        joinedColumns(counties, (county) => county.bands(service, type)),
      );
      // A mode has a street near a block or not, for all types alike.
      return (await Promise.all(bands)).reduce((least, one) =>
        least.map((band, i) => Math.min(one[i], band || one[i])),
      );
    },
    sum: tallyOf,
  };
}

export interface TestedBasket {
  readonly criteria: readonly Criterion[];
  readonly basket: BasketBlocks;
}

export function basketMeasure(
  criteria: readonly Criterion[],
  timing: Timing,
): Measure<TestedBasket, BasketTally> {
  return {
    kind: 'basket',
    key: `basket ${JSON.stringify([criteria, timing])}`,
    async read(counties) {
      const bands = criteria.map(({ mode, type }) =>
        nearestMeasure(serviceOf(mode, timing), [type]).read(counties),
      );
      return { criteria, basket: basketOf(await Promise.all(bands), criteria) };
    },
    sum: ({ basket }, population, blocks) => basketTally(basket, population, blocks),
  };
}

/** Classes of blocks by what is within reach, and their bounds; null where it is not counted. */
export interface ClassedAccess {
  readonly classes: Uint8Array;
  readonly bounds: readonly number[] | null;
}

export function accessMeasure(count: CountedAccess): Measure<ClassedAccess, Tally> {
  return {
    kind: 'access',
    key: `access ${JSON.stringify(count)}`,
    async read(counties) {
      const columns = await Promise.all(counties.map((county) => county.access(count)));
      const bounds = columns.find((one) => one !== null)?.bounds ?? null;
      const at = (county: CountyBands) => columns[counties.indexOf(county)]?.classes ?? null;
      return { bounds, classes: await joinedColumns(counties, at) };
    },
    sum: ({ classes }, population, blocks) => tallyOf(classes, population, blocks),
  };
}

/** The bands of blocks in two releases, and the classes of their changes. */
export interface ChangedBands {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly classes: Uint8Array;
  /** Those of the two releases that are not in the store, or have no such times. */
  readonly lacking: readonly string[];
}

/** How the band of the nearest POI of any of some types differs between two releases. */
export function changeMeasure(
  api: Client,
  { service, types }: { readonly service: string; readonly types: readonly number[] },
  releases: readonly [before: string, after: string],
): Measure<ChangedBands, Tally> {
  const { read } = nearestMeasure(service, types);
  return {
    kind: 'changes',
    key: `changes ${service} ${types} ${releases}`,
    async read(counties) {
      const inEach = await Promise.all(releases.map((one) => countiesOf(api, one, counties)));
      const bandsOf = async (others: ReadonlyMap<string, CountyBands>) =>
        joinedColumns(counties, async ({ county, geoids }) => {
          const other = others.get(county);
          const bands = other ? await read([other]) : new Uint8Array();
          return alignedTo(geoids, other?.geoids ?? new Float64Array(), bands);
        });
      const [before, after] = await Promise.all(inEach.map(bandsOf));
      const isHeld = (others: ReadonlyMap<string, CountyBands>) =>
        [...others.values()].some((one) => types.some((type) => one.bands(service, type) !== null));
      const lacking = releases.filter((_, i) => !isHeld(inEach[i]));
      return { before, after, classes: changeClasses(before, after), lacking };
    },
    sum: ({ classes }, population, blocks) => tallyOf(classes, population, blocks),
  };
}

/** The last measurement, kept while the map moves within its counties. */
let last: {
  readonly counties: readonly CountyBands[];
  readonly blocks: CountyBlocks;
  readonly key: string;
  readonly of: unknown;
} | null = null;

/** Measures the blocks of the counties in a box; null if there are too many counties. */
export async function measuredIn<Of>(
  api: Client,
  box: Box,
  { key, read }: Pick<Measure<Of, unknown>, 'key' | 'read'>,
): Promise<{ readonly blocks: CountyBlocks; readonly of: Of } | null> {
  const counties = await countiesIn(api, box);
  if (counties === null) return null;
  const before = last;
  const isSame =
    counties.length === before?.counties.length &&
    counties.every((one, i) => one === before.counties[i]);
  const blocks = before && isSame ? before.blocks : join(counties);
  const of = before && isSame && before.key === key ? before.of : await read(counties);
  last = { counties, blocks, key, of };
  return { blocks, of: of as Of };
}
