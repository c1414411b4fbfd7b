import { createHash } from 'node:crypto';
import { byMode } from '../../shards/modes.ts';
import type { ColumnType } from '../../shards/parquet/table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import { duckdbViews } from './duckdb-views.ts';
import { type ExportedFile, type ExportedFiles, FILES } from './exported-files.ts';
import { bandStyle, blockStyle } from './qgis-styles.ts';
import { stacCollection } from './stac-collection.ts';
import { COUNTY_TABLES, RELEASE_TABLES, TABLE_NAMES } from './tables.ts';
import { attributionText, licenceOf, licenceText } from './terms.ts';

export async function writeCompanions(
  release: Release,
  files: readonly ExportedFile[],
  out: WritableStore,
  root: string,
): Promise<void> {
  const { manifest, version } = release;
  const views = duckdbViews(files, root);
  const texts: Readonly<Record<string, string>> = {
    'ATTRIBUTION.txt': attributionText(release),
    'DICTIONARY.md': dataDictionary(release),
    'LICENSE.txt': licenceText(TABLE_NAMES, release),
    'bands.qml': bandStyle(),
    'blocks.qml': blockStyle(release),
    'collection.json': json(stacCollection(release, files, root)),
    ...(views !== null && { 'views.sql': views }),
  };
  const companions = Object.entries(texts).map(([name, text]): ObjectRef => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { name: `${root}/${name}`, bytes: Buffer.byteLength(text), sha256 };
  });
  const list: ExportedFiles = {
    release: manifest.release,
    version,
    files: [...files],
    companions,
  };
  const all = {
    ...texts,
    SHA256SUMS: sha256Sums([...files, ...companions], root),
    // Written last, since verification begins with this file.
    [FILES]: json(list),
  };
  for (const [name, text] of Object.entries(all)) {
    await out.putContent(`${root}/${name}`, Buffer.from(text));
  }
}

const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;

/** Formats checksums as `sha256sum` writes and checks them in the folder of the release. */
function sha256Sums(files: readonly ObjectRef[], root: string): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name.slice(root.length + 1)}\n`).join('');
}

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

function dataDictionary(release: Release): string {
  const tables = [...COUNTY_TABLES, ...RELEASE_TABLES].map((table) => {
    const columns = table.columns(release).map(({ name, type, nullable, description }) => {
      const orNull = nullable ? '; may be null' : '';
      return `| \`${name}\` | ${TYPES[type]}${orNull} | ${description} |\n`;
    });
    return `
## ${table.name}

${table.description} Licence: ${licenceOf(table.name, release)}.

| column | type | meaning |
| --- | --- | --- |
${columns.join('')}`;
  });
  const modes = release.manifest.modes.map(byMode).join(', ');
  return `# Data dictionary: release ${release.manifest.release}

Travel times are in minutes ${modes}. A missing row, or null, means not within 30 minutes of a POI, or not within 60 of a block. Transit times are the 10th percentile of the times from door to door for departures each minute from 8:00 to 9:00 on a weekday, unless \`departure\` and \`percentile\` or the name of a column state others. GEOIDs are text, with leading zeros. \`nearest_wide\` has the columns and outlines of \`blocks\` too where it is GeoJSON or FlatGeobuf.
${tables.join('')}`;
}
