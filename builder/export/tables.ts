import { blocksTable, weightsTable } from './block-tables.ts';
import { placesTable, poiCatalogueTable, typesTable } from './catalogue-tables.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { nearestTable, nearestWideTable, poisTable, reachTable } from './time-tables.ts';

/** Tables with a file a county. */
export const COUNTY_TABLES: readonly CountyTable[] = [
  nearestTable,
  nearestWideTable,
  poisTable,
  reachTable,
  blocksTable,
  poiCatalogueTable,
  weightsTable,
];

/** Tables with one file. */
export const RELEASE_TABLES: readonly ReleaseTable[] = [placesTable, typesTable];

export const TABLE_NAMES: readonly string[] = [...COUNTY_TABLES, ...RELEASE_TABLES].map(
  ({ name }) => name,
);
