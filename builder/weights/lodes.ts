import { WEIGHT_SOURCES } from '../../shards/weights/weight.ts';
import type { WeightFacts } from './weight-file.ts';

/** A column of a LODES table, and what it counts. */
export interface LodesColumn extends Omit<WeightFacts, 'source' | 'year'> {
  readonly column: string;
}

/** A table of LODES: the name of the column of blocks, and the columns that become weights. */
interface LodesTable {
  readonly key: string;
  readonly source: string;
  readonly columns: readonly LodesColumn[];
}

/**
 * The area characteristics of LEHD's Origin-Destination Employment Statistics: jobs by workplace
 * (WAC) and by residence (RAC), in total and by monthly earnings (LODES technical documentation,
 * version 8). Blocks without a job have no row.
 */
export const LODES_TABLES: readonly LodesTable[] = [
  { key: 'w_geocode', source: WEIGHT_SOURCES.workplaces, columns: byWage('jobs', 'Jobs') },
  { key: 'h_geocode', source: WEIGHT_SOURCES.residences, columns: byWage('workers', 'Workers') },
];

function byWage(unit: string, label: string): LodesColumn[] {
  return [
    { column: 'C000', weight: unit, label, unit },
    {
      column: 'CE01',
      weight: `${unit}_low_wage`,
      label: `${label} with up to $1,250 a month`,
      unit,
    },
    {
      column: 'CE02',
      weight: `${unit}_mid_wage`,
      label: `${label} with $1,251 to $3,333 a month`,
      unit,
    },
    {
      column: 'CE03',
      weight: `${unit}_high_wage`,
      label: `${label} with more than $3,333 a month`,
      unit,
    },
  ];
}
