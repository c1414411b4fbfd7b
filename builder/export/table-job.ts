import { z } from 'zod';
import { GEOPARQUET_VERSIONS } from '../../shards/parquet/table.ts';
import { EXPORT_FORMATS } from '../../shards/release/exported-table.ts';
import { countyFipsSchema } from '../../shards/release/manifest.ts';
import { TABLE_NAMES, tableNamesIn } from './tables.ts';

/** The definition of one file of an export, which can be written on any machine. */
export const tableJobSchema = z
  .strictObject({
    table: z.enum(TABLE_NAMES),
    /** Null for a table that is not by county. */
    county: countyFipsSchema.nullable(),
    format: z.enum(EXPORT_FORMATS),
    /** The GeoParquet version of Parquet files with outlines. */
    geoparquet: z.enum(GEOPARQUET_VERSIONS),
  })
  .refine(({ table, format }) => tableNamesIn(format).includes(table), {
    error: 'is not a table of that format',
  });
export type TableJob = z.infer<typeof tableJobSchema>;
