import { z } from 'zod';
import { GEOPARQUET_VERSIONS } from '../../shards/parquet/table.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../shards/release/exported-table.ts';
import { countyFipsSchema } from '../../shards/release/manifest.ts';
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

/** The definition of one file of an export, which can be written on any machine. */
export const tableJobSchema = z
  .strictObject({
    table: z.enum(TABLE_NAMES),
    /** Null for a table that is not by county. */
    county: countyFipsSchema.nullable(),
    format: z.enum(EXPORT_FORMATS),
    geoparquet: z.enum(GEOPARQUET_VERSIONS),
  })
  .refine(({ table, format }) => tableNamesIn(format).includes(table), {
    error: 'is not a table of that format',
  });
export type TableJob = z.infer<typeof tableJobSchema>;
