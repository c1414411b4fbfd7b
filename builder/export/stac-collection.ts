import { boxAroundBoth, edgesOf } from '../../shards/geometry/wgs84.ts';
import { byMode } from '../../shards/modes.ts';
import type { ExportFormat } from '../../shards/release/exported-table.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ExportedFile } from './exported-files.ts';
import { citationOf, licenceOf } from './terms.ts';

const FILE_EXTENSION = 'https://stac-extensions.github.io/file/v2.1.0/schema.json';
const SCIENTIFIC_EXTENSION = 'https://stac-extensions.github.io/scientific/v1.0.0/schema.json';
/** Multihash prefix of a SHA-256 digest, which has 32 bytes. */
const SHA256_MULTIHASH = '1220';
const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv',
  geojson: 'application/geo+json',
  'gpkg-ready': 'application/vnd.flatgeobuf',
};

export function stacCollection(release: Release, files: readonly ExportedFile[], root: string) {
  const { manifest, version, counties } = release;
  const bounds = counties.map(({ blockBox }) => blockBox).reduce(boxAroundBoth);
  const dates = manifest.components.map(({ effective_date }) => effective_date).sort();
  const licence = licenceOf('nearest', release);
  const instant = (date: string) => `${date}T00:00:00Z`;
  return {
    type: 'Collection',
    stac_version: '1.1.0',
    stac_extensions: [FILE_EXTENSION, SCIENTIFIC_EXTENSION],
    id: `travel-time-access-${version}`,
    title: `Travel times from US census blocks, release ${manifest.release}`,
    description: `Minutes from census blocks to points of interest and other blocks, ${manifest.modes.map(byMode).join(', ')}.`,
    // An SPDX identifier, or other words in the linked file.
    license: licence.includes(' ') ? 'other' : licence,
    'sci:citation': citationOf(release),
    keywords: ['accessibility', 'travel time', 'census blocks'],
    extent: {
      spatial: { bbox: [edgesOf(bounds)] },
      temporal: { interval: [[instant(dates[0]), instant(dates[dates.length - 1])]] },
    },
    links: [
      { rel: 'license', href: './LICENSE.txt', type: 'text/plain' },
      { rel: 'describedby', href: './DICTIONARY.md', type: 'text/markdown' },
    ],
    assets: Object.fromEntries(
      files.map(({ name, table, county, format, bytes, sha256 }) => {
        const href = name.slice(root.length + 1);
        const asset = {
          href: `./${href}`,
          type: MEDIA_TYPES[format],
          title: county === null ? table : `${table}, county ${county}`,
          roles: ['data'],
          'file:size': bytes,
          'file:checksum': `${SHA256_MULTIHASH}${sha256}`,
        };
        return [href, asset];
      }),
    ),
  };
}
