import { type GeoParquetVersion, storedColumns } from '../../shards/parquet/table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { geoMetadata } from './geometry-columns.ts';
import { attributionOf, citationOf, licenceOf } from './terms.ts';

export function factsOf({ name, description }: CountyTable | ReleaseTable, release: Release) {
  return {
    release: release.manifest.release,
    release_version: release.version,
    table: name,
    description,
    licence: licenceOf(name, release),
    attribution: attributionOf(release),
    citation: citationOf(release),
  };
}

/** Whether the rows of a table have outlines. */
export function isSpatial(table: CountyTable | ReleaseTable, release: Release): boolean {
  return table.columns(release).some(({ type }) => type === 'polygons');
}

export function metadataOf(
  table: CountyTable | ReleaseTable,
  release: Release,
  county: ReleaseCounty | null,
  version: GeoParquetVersion,
): Record<string, string> {
  const columns = storedColumns(table.columns(release), version);
  return {
    ...(isSpatial(table, release) && { geo: geoMetadata(county?.blockBox, version) }),
    ...factsOf(table, release),
    columns: JSON.stringify(
      Object.fromEntries(columns.map(({ name, description }) => [name, description])),
    ),
  };
}
