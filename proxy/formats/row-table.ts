import type { Taxonomy } from '../../shards/taxonomy.ts';
import type { Minutes } from '../../shards/units.ts';

/** Layout of a route's rows in formats other than JSON. */
export interface RowTable {
  /** Members of a row; names of nested members contain a dot (see `columnName`). */
  readonly columns: readonly string[];
  /** The geometry of a row in GeoJSON: its `lon` and `lat`, or the outline of its block. */
  readonly geometry: 'point' | 'outline' | null;
}

/** Returns the name of a column in formats without nested members. */
export function columnName(column: string): string {
  return column.replace('.', '_');
}

/** Members of a POI other than its id. */
export const POI_FACTS: readonly string[] = [
  'name',
  'lon',
  'lat',
  'address.street',
  'address.city',
  'address.state',
  'address.zip',
];
/** A destination type: its id and label. */
const TYPE: readonly string[] = ['dest_type_id', 'dest_type'];
/** The columns of a destination type in rows with or without labels. */
export function typeColumns(labels: Taxonomy | null): readonly string[] {
  return labels === null ? ['dest_type_id'] : TYPE;
}
/** Mode and travel time. */
export const TIME: readonly string[] = ['mode', 'travel_time'];

/** All columns that summaries may have; those of one response are `summaryColumns`. */
export const CATEGORY_TIMES: RowTable = {
  columns: [...TYPE, ...TIME, 'nth', 'count'],
  geometry: null,
};
export const POI_TIMES: RowTable = {
  columns: ['dest_id', 'dest_types', ...TIME, ...POI_FACTS],
  geometry: 'point',
};
export const POIS: RowTable = { columns: ['dest_id', ...POI_FACTS], geometry: 'point' };
export const CATCHMENT: RowTable = {
  columns: ['dest_id', 'name', 'geoid', ...TIME],
  geometry: null,
};
export const AREAL: RowTable = {
  columns: ['geoid', ...TYPE, 'mode_id', ...TIME, 'nth', 'count', 'reason', 'population'],
  geometry: 'outline',
};

/** The minutes of sums over an area. */
export const COVERAGE_MINUTES: readonly Minutes[] = [5, 10, 15, 20, 25, 30];
const byMinutes = (member: string) => COVERAGE_MINUTES.map((minutes) => `${member}.${minutes}`);

export const COVERAGE: RowTable = {
  columns: [...TYPE, 'mode', 'weight', 'nth', 'total', ...byMinutes('within'), 'beyond', 'no_data'],
  geometry: null,
};
/** Columns of coverage with the measures that compare groups. */
export const COVERAGE_OF_GROUPS: readonly string[] = [
  ...COVERAGE.columns,
  ...byMinutes('share'),
  ...byMinutes('ratio'),
  'gini',
];
export const OPPORTUNITIES: RowTable = {
  columns: ['of', 'mode', 'minutes', 'count'],
  geometry: null,
};
/** Columns of sites; columns of sums, which depend on the minutes sent, follow. */
export const SITES: RowTable = {
  columns: ['list', 'id', 'lon', 'lat', 'block', 'mode', 'weight'],
  geometry: 'point',
};
export const MATCHES: RowTable = { columns: ['geoid', 'population'], geometry: null };

/** A table of rows that also name their origin. */
export function withOrigin(table: RowTable, origin: readonly string[]): RowTable {
  return { ...table, columns: [...origin, ...table.columns] };
}
