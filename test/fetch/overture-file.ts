import { hash } from 'node:crypto';
import { asyncBufferFromFile, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import type { Mirror } from './mirror.ts';

/** An Overture place, with the fields that tests distinguish. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly lon: number;
  readonly lat: number;
}

/** A release as it is laid out on a mirror: the places of each of its files. */
export interface OvertureRelease {
  readonly label: string;
  readonly files: readonly (readonly Place[])[];
}

/** Path of a release's file on a mirror. */
export const placeFile = (label: string, file: number) =>
  `/release/${label}/theme=places/type=place/part-0000${file}-c000.zstd.parquet`;

/**
 * Serves a release of places with its STAC catalogue, as Overture does: a catalogue of releases, a
 * collection of places, and an item with the box of each file, and the addresses of its copies.
 */
export function putOverture(
  mirror: Mirror,
  { label, files }: OvertureRelease,
  options: FileOptions,
): void {
  const put = (path: string, content: object) => mirror.put(path, JSON.stringify(content));
  put('/catalog.json', {
    ...{ type: 'Catalog', id: 'Overture Releases', stac_version: '1.1.0', latest: label },
    links: [{ rel: 'child', href: `./${label}/catalog.json`, latest: true }],
  });
  put(`/${label}/places/place/collection.json`, {
    ...{ type: 'Collection', id: 'place', stac_version: '1.1.0' },
    links: [
      { rel: 'parent', href: '../catalog.json' },
      ...files.map((_, i) => ({ rel: 'item', href: `./0000${i}/0000${i}.json` })),
    ],
  });
  for (const [i, places] of files.entries()) {
    const path = placeFile(label, i);
    mirror.put(path, overtureFile(places, options));
    const edges = (axis: 'lon' | 'lat') => places.map((place) => Math.fround(place[axis]));
    const [lon, lat] = [edges('lon'), edges('lat')];
    const low = [Math.min(...lon), Math.min(...lat)];
    put(`/${label}/places/place/0000${i}/0000${i}.json`, {
      ...{ type: 'Feature', id: `0000${i}`, stac_version: '1.1.0', collection: 'place' },
      bbox: [...low, Math.max(...lon), Math.max(...lat)],
      assets: {
        'aws-s3': { href: `s3://overturemaps-us-west-2${path}` },
        aws: { href: `${mirror.url}${path}`, type: 'application/vnd.apache.parquet' },
      },
    });
  }
}

/** The ids of all places in some files. */
export async function placesIn(files: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of files) {
    const file = await asyncBufferFromFile(path);
    const rows = await parquetReadObjects({ file, columns: ['id'] });
    ids.push(...rows.map(({ id }) => String(id)));
  }
  return ids;
}

interface FileOptions {
  readonly rowsPerGroup: number;
  /** Whether row groups have the statistics by which they are skipped; by default they do. */
  readonly statistics?: boolean;
  /** Whether there are pages of a few rows, with an index of their contents. */
  readonly pageIndex?: boolean;
}

/** A GeoParquet file of places in the schema of Overture. */
export function overtureFile(places: readonly Place[], options: FileOptions): Uint8Array {
  const writer = new ByteWriter();
  const columns = {
    id: places.map(({ id }) => id),
    geometry: places.map(({ lon, lat }) => wkbPoint(lon, lat)),
    bbox: places.map(({ lon, lat }) => {
      const [x, y] = [Math.fround(lon), Math.fround(lat)];
      return { xmin: x, xmax: x, ymin: y, ymax: y };
    }),
    names: places.map(({ name }) => ({ primary: name })),
    categories: places.map(({ category }) => ({
      primary: category,
      alternate: ['shop', `${category}_2`],
    })),
    confidence: places.map(() => 0.75),
    addresses: places.map(({ id }) => [
      { freeform: `${id} Light St`, locality: 'Baltimore', postcode: '21230', region: 'MD' },
    ]),
    // Long, and without repetition, so that the column has a size.
    websites: places.map(({ id }) => [hash('sha256', id)]),
    brand: places.map(({ name }) => ({ names: { primary: `${name} Inc` } })),
  };
  parquetWrite({
    writer,
    schema: SCHEMA,
    columnData: Object.entries(columns).map(([name, data]) => ({
      name,
      data,
      columnIndex: options.pageIndex ?? false,
    })),
    ...(options.pageIndex ? { pageSize: 64 } : {}),
    rowGroupSize: options.rowsPerGroup,
    statistics: options.statistics ?? true,
    kvMetadata: [{ key: 'geo', value: JSON.stringify(GEO) }],
  });
  return new Uint8Array(writer.getBuffer());
}

/** The GeoParquet metadata: without it the geometry is just a column of bytes. */
const GEO = {
  version: '1.1.0',
  primary_column: 'geometry',
  columns: { geometry: { encoding: 'WKB', geometry_types: ['Point'] } },
};

const group = (name: string, children: number): SchemaElement => ({
  name,
  num_children: children,
  repetition_type: 'OPTIONAL',
});
const text = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'OPTIONAL',
});
const float = (name: string): SchemaElement => ({
  name,
  type: 'FLOAT',
  repetition_type: 'OPTIONAL',
});
const list = (name: string): SchemaElement[] => [
  { name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
];

const SCHEMA: SchemaElement[] = [
  { name: 'schema', num_children: 9 },
  text('id'),
  { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
  group('bbox', 4),
  ...['xmin', 'xmax', 'ymin', 'ymax'].map(float),
  group('names', 1),
  text('primary'),
  group('categories', 2),
  text('primary'),
  ...list('alternate'),
  text('element'),
  { name: 'confidence', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ...list('addresses'),
  group('element', 4),
  ...['freeform', 'locality', 'postcode', 'region'].map(text),
  ...list('websites'),
  text('element'),
  group('brand', 1),
  group('names', 1),
  text('primary'),
];

function wkbPoint(lon: number, lat: number): Uint8Array {
  const bytes = Buffer.alloc(21);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(1, 1);
  bytes.writeDoubleLE(lon, 5);
  bytes.writeDoubleLE(lat, 13);
  return bytes;
}
