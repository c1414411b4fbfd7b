import type { ExportFormat } from '../../shards/release/exported-table.ts';
import { accessTable } from './access-table.ts';
import { blocksTable, weightsTable, withBlocks } from './block-tables.ts';
import { placesTable, poiCatalogueTable, typesTable } from './catalogue-tables.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { nearestTable, nearestWideTable, poisTable, reachTable } from './time-tables.ts';

/** Tables with one file per county. */
export const COUNTY_TABLES: readonly CountyTable[] = [
  nearestTable,
  nearestWideTable,
  poisTable,
  reachTable,
  accessTable,
  blocksTable,
  poiCatalogueTable,
  weightsTable,
];

/** Tables with one file per release. */
export const RELEASE_TABLES: readonly ReleaseTable[] = [placesTable, typesTable];

interface Tables {
  readonly byCounty: readonly CountyTable[];
  readonly ofRelease: readonly ReleaseTable[];
}

const ALL: Tables = { byCounty: COUNTY_TABLES, ofRelease: RELEASE_TABLES };

/** Tables whose rows have outlines. */
const OUTLINED: Tables = {
  byCounty: [withBlocks(nearestWideTable), blocksTable],
  ofRelease: [placesTable],
};

/** The tables that a format can hold. */
export function tablesIn(format: ExportFormat): Tables {
  return format === 'geojson' || format === 'gpkg-ready' ? OUTLINED : ALL;
}

/** The names of the tables that a format can hold. */
export function tableNamesIn(format: ExportFormat): readonly string[] {
  const { byCounty, ofRelease } = tablesIn(format);
  return [...byCounty, ...ofRelease].map(({ name }) => name);
}

export const TABLE_NAMES = tableNamesIn('parquet');
