import { z } from 'zod';
import { countyFipsSchema } from './manifest.ts';

/** Formats of exported tables; `geojson` and `gpkg-ready` are for tables with outlines only. */
export const EXPORT_FORMATS = ['parquet', 'csv', 'geojson', 'gpkg-ready'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * File extension of each format. `gpkg-ready` is FlatGeobuf, which `ogr2ogr` converts to a layer of
 * a GeoPackage in one step, keeping the types of its columns.
 */
export const EXPORT_EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  parquet: 'parquet',
  csv: 'csv',
  geojson: 'geojson',
  'gpkg-ready': 'fgb',
};

export const exportedTableSchema = z.strictObject({
  table: z.string(),
  /** Null for a table of the whole release. */
  county: countyFipsSchema.nullable(),
  format: z.enum(EXPORT_FORMATS),
  rows: z.int().min(0),
});
export type ExportedTable = z.infer<typeof exportedTableSchema>;
