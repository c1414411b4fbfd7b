import type { SchemaElement } from 'hyparquet';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';

/** An Overture place, with the fields that tests distinguish. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly lon: number;
  readonly lat: number;
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
  { name: 'schema', num_children: 8 },
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
