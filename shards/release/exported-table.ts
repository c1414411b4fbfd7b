import { z } from 'zod';
import { countyFipsSchema } from './manifest.ts';

/** Formats of exported tables; those of features hold tables with outlines only. */
export const EXPORT_FORMATS = ['parquet', 'csv', 'geojson', 'gpkg-ready'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * Extensions of their files. `gpkg-ready` is FlatGeobuf, which `ogr2ogr` makes a layer of a
 * GeoPackage in one step, with the types of its columns.
 */
export const EXPORT_EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  parquet: 'parquet',
  csv: 'csv',
  geojson: 'geojson',
  'gpkg-ready': 'fgb',
};

/** An exported table of a county, or of the release. */
export const exportedTableSchema = z.strictObject({
  table: z.string(),
  /** Null for a table that is not by county. */
  county: countyFipsSchema.nullable(),
  format: z.enum(EXPORT_FORMATS),
  rows: z.int().min(0),
});
export type ExportedTable = z.infer<typeof exportedTableSchema>;
