import { byMode } from '../../shards/modes.ts';
import type { ColumnType } from '../../shards/parquet/table.ts';
import type { Release } from '../../shards/release/release.ts';
import { COUNTY_TABLES, RELEASE_TABLES } from './tables.ts';
import { licenceOf } from './terms.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  string: 'text',
  double: 'float, 64 bits',
  int32: 'integer, 32 bits',
  int64: 'integer, 64 bits',
  uint8: 'unsigned integer, 8 bits',
  uint32: 'unsigned integer, 32 bits',
  boolean: 'boolean',
  int32s: 'list of integers; in CSV with spaces between them',
  polygons:
    'Polygon or MultiPolygon: well-known binary, or in GeoParquet 2.0 the geometry type of Parquet; in CSV well-known text; in GeoJSON and FlatGeobuf (always MultiPolygon) the geometry',
  box: 'struct of xmin, ymin, xmax, ymax',
};

/** Describes every table and column, in Markdown. */
export function dataDictionary(release: Release): string {
  const tables = [...COUNTY_TABLES, ...RELEASE_TABLES].map((table) => {
    const columns = table.columns(release).map(({ name, type, nullable, description }) => {
      const orNull = nullable ? '; may be null' : '';
      return `| \`${name}\` | ${TYPES[type]}${orNull} | ${description} |\n`;
    });
    return `
## ${table.name}

${table.description} Licence: ${licenceOf(table.name)}.

| column | type | meaning |
| --- | --- | --- |
${columns.join('')}`;
  });
  const modes = release.manifest.modes.map(byMode).join(', ');
  return `# Data dictionary: release ${release.manifest.release}

Travel times are in minutes ${modes}. A missing row, or null, means not within 30 minutes of a POI, or not within 60 of a block. Transit times are the 10th percentile of the times from door to door for departures each minute from 8:00 to 9:00 on a weekday. GEOIDs are text, with leading zeros. \`nearest_wide\` has the columns and outlines of \`blocks\` too where it is GeoJSON or FlatGeobuf.
${tables.join('')}`;
}
