import { csvField } from '../../shards/csv/csv-line.ts';
import type { BoundingBox } from '../../shards/units.ts';

/** The columns of the catalogue of the Mobility Database, `feeds_v2.csv`, in its order. */
export const COLUMNS =
  'id,data_type,entity_type,location.country_code,location.subdivision_name,location.municipality,provider,is_official,name,note,feed_contact_email,static_reference,urls.direct_download,urls.authentication_type,urls.authentication_info,urls.api_key_parameter_name,urls.latest,urls.license,location.bounding_box.minimum_latitude,location.bounding_box.maximum_latitude,location.bounding_box.minimum_longitude,location.bounding_box.maximum_longitude,location.bounding_box.extracted_on,status,features,redirect.id,redirect.comment'.split(
    ',',
  );

/** A row by its columns. A column that it lacks is that of an active feed in Maryland. */
export interface CatalogueEntry {
  readonly id: string;
  readonly [column: string]: string;
}

const ACTIVE: Readonly<Record<string, string>> = {
  data_type: 'gtfs',
  'location.country_code': 'US',
  'location.subdivision_name': 'Maryland',
  status: 'active',
};

/** The catalogue of some feeds. */
export function catalogueFile(rows: readonly CatalogueEntry[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => row[column] ?? ACTIVE[column] ?? ''));
  return [COLUMNS, ...lines].map((line) => `${line.map(csvField).join(',')}\n`).join('');
}

/** The columns that state the service area of a feed. */
export function serviceArea({ minLon, minLat, maxLon, maxLat }: BoundingBox) {
  return {
    'location.bounding_box.minimum_latitude': String(minLat),
    'location.bounding_box.maximum_latitude': String(maxLat),
    'location.bounding_box.minimum_longitude': String(minLon),
    'location.bounding_box.maximum_longitude': String(maxLon),
  };
}
