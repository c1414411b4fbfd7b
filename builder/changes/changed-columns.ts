import { countedType } from '../../shards/access/access-columns.ts';
import { ordinalIn } from '../../shards/arrays/sorted.ts';
import { type Measure, UNKNOWN } from '../../shards/changes/block-change.ts';
import type { ComparedCounty, ComparedValues } from '../../shards/changes/compared-county.ts';
import { type Polygons, polygonsOf } from '../../shards/geometry/geo-json.ts';
import type { Taxonomy } from '../../shards/taxonomy.ts';

type Values = Pick<ComparedValues, 'before' | 'after'>;

/** A measure that changed in a county, with the values of its compared blocks. */
interface ChangedColumn extends Values {
  readonly measure: Measure;
}

export interface ChangedCounty {
  readonly county: ComparedCounty;
  /** In the order of measures. */
  readonly columns: readonly ChangedColumn[];
}

/** Whether a value is known in both releases, and differs. */
export function isChanged({ before, after }: Values, block: number): boolean {
  return before[block] !== after[block] && before[block] !== UNKNOWN && after[block] !== UNKNOWN;
}

export function changesAnyBlock(values: Values): boolean {
  return values.before.some((_, block) => isChanged(values, block));
}

/** Yields the changes of counties one by one, so that those of one are in memory. */
export async function* changesByCounty(
  counties: readonly ComparedCounty[],
  measures: readonly Measure[],
): AsyncGenerator<ChangedCounty> {
  for (const county of counties) {
    const columns: ChangedColumn[] = [];
    for await (const values of county.values(measures)) {
      if (!changesAnyBlock(values)) continue;
      const [before, after] = [values.before.slice(), values.after.slice()];
      columns.push({ measure: measures[values.measure], before, after });
    }
    yield { county, columns };
  }
}

/** Values of a block as tables state them: minutes, null for beyond 30, or a count. */
interface ShownChange {
  readonly before: number | null;
  readonly after: number | null;
  /** Later minus earlier; null if either is. */
  readonly difference: number | null;
}

export function shownChange({ measure, ...values }: ChangedColumn, block: number): ShownChange {
  const [was, is] = [values.before[block], values.after[block]];
  if (measure.kind === 'count') return { before: was, after: is, difference: is - was };
  const minutes = (tenths: number) => (tenths === 0 ? null : tenths / 10);
  const difference = was === 0 || is === 0 ? null : (is - was) / 10;
  return { before: minutes(was), after: minutes(is), difference };
}

const PARTS = ['before', 'after', 'difference'] as const;

/**
 * Names of a block's values, by measure: `walk_libraries_before`, `transit_jobs_45_difference`,
 * `walk_type:libraries_15_after`.
 */
export function propertyNames(measures: readonly Measure[], taxonomy: Taxonomy): string[] {
  return measures.flatMap((measure) => {
    const what =
      measure.kind === 'minutes'
        ? taxonomy.labelOf(measure.type)
        : `${nameOf(measure.of, taxonomy)}_${measure.minutes}`;
    return PARTS.map((part) => `${measure.mode}_${what}_${part}`);
  });
}

/** Weights have no colon in their names, so that none is that of a type. */
function nameOf(of: string, taxonomy: Taxonomy): string {
  const type = countedType(of);
  return type === null ? of : `type:${taxonomy.labelOf(type)}`;
}

interface ChangedBlock {
  readonly block: number;
  /** By measure, then part; null for a measure that did not change there. */
  readonly values: readonly (number | null)[];
  readonly polygons: Polygons | null;
}

/** Yields the blocks of a county that changed, with columns for `measures`. */
export async function* changedBlocks(
  { county, columns }: ChangedCounty,
  measures: readonly Measure[],
): AsyncGenerator<ChangedBlock> {
  const sides = [county.after, county.before].filter((side) => side !== null);
  const outlines = await Promise.all(
    sides.map(async ({ release, county: own }) => (await release.areas(own)).outlines),
  );
  const columnOf = measures.map((measure) => columns.find((column) => column.measure === measure));
  for (let block = 0; block < county.count; block++) {
    if (!columns.some((column) => isChanged(column, block))) continue;
    const values = columnOf.flatMap((column) => {
      if (column === undefined || !isChanged(column, block)) return PARTS.map(() => null);
      const shown = shownChange(column, block);
      return PARTS.map((part) => shown[part]);
    });
    const drawn = outlines.find((one) => ordinalIn(one.geoids, county.geoids[block]) !== -1);
    const polygons =
      drawn === undefined ? null : polygonsOf(drawn, ordinalIn(drawn.geoids, county.geoids[block]));
    yield { block, values, polygons };
  }
}
