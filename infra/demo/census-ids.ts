import type { CityPlan } from './city-plan.ts';
import type { Cell } from './lattice.ts';

/** No state has this code. */
export const STATE_FIPS = '99';

export const COUNTIES = [
  { fips: '001', name: 'Meridian', classCode: 'H1', gnis: '99000001' },
  { fips: '003', name: 'Halcyon', classCode: 'H1', gnis: '99000003' },
] as const;
export type DemoCounty = (typeof COUNTIES)[number];

/** A tract is so many cells wide and high. */
const TRACT_CELLS = 8;

/** The county a column of cells lies in. */
export function countyAt(plan: CityPlan, column: number): DemoCounty {
  return COUNTIES[column < plan.countyLine ? 0 : 1];
}

/** Columns of the lattice that a county has: from the first, to before the last. */
export function columnsOf(plan: CityPlan, county: DemoCounty): readonly [from: number, to: number] {
  return county === COUNTIES[0] ? [0, plan.countyLine] : [plan.countyLine, plan.columns];
}

/**
 * The GEOID of a block on land. Tracts are squares of cells, block groups their quarters. `half`: of
 * a cell that a diagonal cuts in two, 0 for the half south-east of it and 1 for the other; else 0.
 */
export function blockGeoid(plan: CityPlan, { column, row }: Cell, half: 0 | 1): string {
  const county = countyAt(plan, column);
  const [from, to] = columnsOf(plan, county);
  const tractsAcross = Math.ceil((to - from) / TRACT_CELLS);
  const [across, up] = [column - from, row];
  const tract = Math.floor(up / TRACT_CELLS) * tractsAcross + Math.floor(across / TRACT_CELLS) + 1;
  const [x, y] = [across % TRACT_CELLS, up % TRACT_CELLS];
  const group = 1 + 2 * Math.floor((2 * y) / TRACT_CELLS) + Math.floor((2 * x) / TRACT_CELLS);
  const number = 2 * (y * TRACT_CELLS + x) + half;
  return `${STATE_FIPS}${county.fips}${pad(tract, 4)}00${group}${pad(number, 3)}`;
}

/** The GEOID of a block of the bay, by its place in the plan: a tract of water, as the census has. */
export function bayGeoid(plan: CityPlan, ordinal: number): string {
  const county = countyAt(plan, plan.bay[ordinal].fromColumn);
  return `${STATE_FIPS}${county.fips}9900000${pad(ordinal + 1, 3)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
