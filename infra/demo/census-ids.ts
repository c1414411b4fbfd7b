import { FICTIONAL_STATE } from '../../shards/states.ts';
import type { CityPlan } from './city-plan.ts';
import type { Cell } from './lattice.ts';

export interface DemoCounty {
  readonly fips: string;
  readonly name: string;
  readonly classCode: string;
  readonly gnis: string;
}

/** The counties of the demo city, the western first. */
export const COUNTIES: readonly DemoCounty[] = ['Meridian', 'Halcyon'].map(countyCalled);

function countyCalled(name: string, ordinal: number): DemoCounty {
  const fips = pad(fipsOf(ordinal), 3);
  return { fips, name, classCode: 'H1', gnis: `99000${fips}` };
}

/** Counties have odd codes. */
function fipsOf(ordinal: number): number {
  return 2 * ordinal + 1;
}

/** The counties of a plan: from the south-west, row by row. */
export function countiesOf({ countyColumns, countyRows }: CityPlan): readonly DemoCounty[] {
  const count = (countyColumns.length - 1) * (countyRows.length - 1);
  return Array.from({ length: count }, (_, i) => COUNTIES[i] ?? countyCalled(`County ${i + 1}`, i));
}

const TRACT_CELLS = 8;

/** County FIPS code, without the state's, for a cell; the bay belongs to the southern counties. */
export function countyAt({ countyColumns, countyRows }: CityPlan, { column, row }: Cell): string {
  const bandOf = (lines: readonly number[], at: number) =>
    lines.findLastIndex((line, i) => i < lines.length - 1 && line <= Math.max(0, at));
  const across = countyColumns.length - 1;
  return pad(fipsOf(bandOf(countyRows, row) * across + bandOf(countyColumns, column)), 3);
}

/** The lattice cells of a county, from `from` to `to`, exclusive. */
export function cellsOf(
  plan: CityPlan,
  { fips }: Pick<DemoCounty, 'fips'>,
): { from: Cell; to: Cell } {
  const across = plan.countyColumns.length - 1;
  const ordinal = (Number(fips) - 1) / 2;
  const [x, y] = [ordinal % across, Math.floor(ordinal / across)];
  return {
    from: { column: plan.countyColumns[x], row: plan.countyRows[y] },
    to: { column: plan.countyColumns[x + 1], row: plan.countyRows[y + 1] },
  };
}

/**
 * GEOID of a land block. Tracts are squares of cells, block groups their quarters. In a cell cut by
 * a diagonal, `half` is 0 for the south-east half and 1 for the north-west half; otherwise it is 0.
 */
export function blockGeoid(plan: CityPlan, { column, row }: Cell, half: 0 | 1): string {
  const fips = countyAt(plan, { column, row });
  const { from, to } = cellsOf(plan, { fips });
  const tractsAcross = Math.ceil((to.column - from.column) / TRACT_CELLS);
  const [across, up] = [column - from.column, row - from.row];
  const tract = Math.floor(up / TRACT_CELLS) * tractsAcross + Math.floor(across / TRACT_CELLS) + 1;
  const [x, y] = [across % TRACT_CELLS, up % TRACT_CELLS];
  const group = 1 + 2 * Math.floor((2 * y) / TRACT_CELLS) + Math.floor((2 * x) / TRACT_CELLS);
  const number = 2 * (y * TRACT_CELLS + x) + half;
  return `${FICTIONAL_STATE}${fips}${pad(tract, 4)}00${group}${pad(number, 3)}`;
}

/** GEOID of a bay block, by its position in the plan, in a water tract, as in the census. */
export function bayGeoid(plan: CityPlan, ordinal: number): string {
  const fips = countyAt(plan, { column: plan.bay[ordinal].fromColumn, row: 0 });
  return `${FICTIONAL_STATE}${fips}9900000${pad(ordinal + 1, 3)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
