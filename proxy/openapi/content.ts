import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';

/** Media types of a response: JSON, and the formats of rows. */
export function contentOf(endpoint: Endpoint) {
  const { response: schema, example } = endpoint;
  const json = { schema, ...(example !== undefined && { example }) };
  const rows = 'rows' in endpoint ? endpoint.rows : undefined;
  const isGeoJson = endpoint.access === 'free' && endpoint.isGeoJson === true;
  const geoJson = endpoint.access === 'metered' ? endpoint.geoJson : undefined;
  if ('mediaType' in endpoint && endpoint.mediaType) return { [endpoint.mediaType]: { schema } };
  return {
    'application/json': json,
    ...(isGeoJson && { 'application/geo+json': { schema } }),
    ...(geoJson && { 'application/geo+json': { schema: geoJson } }),
    ...(rows && {
      'text/csv': { schema: rowsAsText },
      'application/x-ndjson': { schema: rowsAsText },
      'application/vnd.apache.parquet': { schema: rowsAsParquet },
    }),
    ...(rows?.geometry && {
      'application/geo+json': { schema: rows.row ? featuresOf(rows.row) : featureCollection },
    }),
  };
}

const rowsAsText = z.string().meta({
  id: 'RowsAsText',
  description:
    'The rows. CSV has a header line; members of nested objects are joined by an underscore, and text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is prefixed with an apostrophe, so that no spreadsheet runs it as a formula. Headers carry what JSON contains besides the rows: the next page, the block that contains a point, modes that could not be routed, and, up to 4 kB, the facts of the blocks (`X-Block`, `X-Blocks`, `X-Origins`). Origins of a batch without rows are also counted in headers; NDJSON lists them in a last line, with `errors`, `truncated` and `truncated_reason` if there are any, and there with the facts that exceed the headers, and CSV in `X-Errors` and `X-Truncated`.',
});

const rowsAsParquet = z.string().meta({
  id: 'RowsAsParquet',
  format: 'binary',
  description:
    'The rows as a Parquet file with the columns of CSV: GEOIDs are text, `travel_time` is a double, any column may have nulls. The key-value metadata of the file has what JSON contains besides the rows, each member as JSON.',
});

const featureCollection = z
  .looseObject({ type: z.literal('FeatureCollection'), features: z.array(z.looseObject({})) })
  .meta({
    id: 'RowsAsGeoJson',
    description:
      'The rows as features of a GeoJSON FeatureCollection: points, or the outline of the block of the row. For a batch it has `errors`, `truncated` and `truncated_reason` as members.',
  });

/** The schema of rows as GeoJSON points with some properties. */
function featuresOf(properties: z.ZodType) {
  const geometry = z
    .object({ type: z.literal('Point'), coordinates: z.array(z.number()) })
    .nullable();
  const feature = z.object({ type: z.literal('Feature'), geometry, properties });
  return z.looseObject({ type: z.literal('FeatureCollection'), features: z.array(feature) });
}
