import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { geoMetadata } from './geometry-columns.ts';
import { attributionOf, citationOf, licenceOf } from './terms.ts';

/** The key-value metadata of a table's file. */
export function metadataOf(
  table: CountyTable | ReleaseTable,
  release: Release,
  county: ReleaseCounty | null,
): Record<string, string> {
  const columns = table.columns(release);
  const isSpatial = columns.some(({ type }) => type === 'polygons');
  return {
    ...(isSpatial && { geo: geoMetadata(county?.blockBox) }),
    release: release.manifest.release,
    release_version: release.version,
    table: table.name,
    description: table.description,
    columns: JSON.stringify(
      Object.fromEntries(columns.map(({ name, description }) => [name, description])),
    ),
    licence: licenceOf(table.name),
    attribution: attributionOf(release),
    citation: citationOf(release),
  };
}
