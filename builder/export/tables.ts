import type { ExportFormat } from '../../shards/release/exported-table.ts';
import { accessTable } from './access-table.ts';
import { blocksTable, weightsTable, withBlocks } from './block-tables.ts';
import { placesTable, poiCatalogueTable, typesTable } from './catalogue-tables.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { nearestTable, nearestWideTable, poisTable, reachTable } from './time-tables.ts';

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

export const RELEASE_TABLES: readonly ReleaseTable[] = [placesTable, typesTable];

interface Tables {
  readonly byCounty: readonly CountyTable[];
  readonly ofRelease: readonly ReleaseTable[];
}

const ALL: Tables = { byCounty: COUNTY_TABLES, ofRelease: RELEASE_TABLES };

const OUTLINED: Tables = {
  byCounty: [withBlocks(nearestWideTable), blocksTable],
  ofRelease: [placesTable],
};

export function tablesIn(format: ExportFormat): Tables {
  return format === 'geojson' || format === 'gpkg-ready' ? OUTLINED : ALL;
}

export function tableNamesIn(format: ExportFormat): readonly string[] {
  const { byCounty, ofRelease } = tablesIn(format);
  return [...byCounty, ...ofRelease].map(({ name }) => name);
}

export const TABLE_NAMES = tableNamesIn('parquet');
