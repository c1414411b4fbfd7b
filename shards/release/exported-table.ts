import { z } from 'zod';
import { countyFipsSchema } from './manifest.ts';

/** Formats of exported tables. */
export const EXPORT_FORMATS = ['parquet', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** An exported table of a county, or of the release. */
export const exportedTableSchema = z.strictObject({
  table: z.string(),
  /** Null for a table that is not by county. */
  county: countyFipsSchema.nullable(),
  format: z.enum(EXPORT_FORMATS),
  rows: z.int().min(0),
});
export type ExportedTable = z.infer<typeof exportedTableSchema>;
