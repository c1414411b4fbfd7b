import type { Geometry } from 'geojson';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type RowGroup,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { messageOf } from '../../shards/error-facts.ts';
import type { BoundingBox, Degrees } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { checkProjJson, otherCoordinates } from './crs.ts';
import { requireKind } from './file-kind.ts';
import { unreadable } from './fingerprint.ts';
import type { FeatureRecord } from './geojson.ts';

const decompressors: Compressors = {
  ...compressors,
  // The package fails at an empty page, such as the dictionary of a column of nulls.
  LZ4_RAW: (bytes, length) =>
    length === 0 ? new Uint8Array() : compressors.LZ4_RAW!(bytes, length),
};

/**
 * Reads the rows of a GeoParquet file (versions 1.0 and 1.1, geometry as WKB in longitude and
 * latitude) that may lie within `area`, with only the requested columns. A row group whose
 * statistics place it elsewhere is skipped; memory depends on the largest one read. `onBytes`
 * receives the number of bytes read so far, estimated by rows; `onSkipped`, the number of rows of a
 * group that is skipped. Throws a `BuildError` for a file that is not GeoParquet, or incomplete.
 */
export async function* readGeoParquet(
  path: string,
  columns: readonly string[],
  area: BoundingBox,
  onBytes: (done: number) => void = () => {},
  onSkipped: (rows: number) => void = () => {},
): AsyncGenerator<FeatureRecord> {
  const file = await open(path);
  const metadata = await whole(path, parquetMetadataAsync(file));
  const geometryColumn = geometryColumnOf(path, metadata);
  const present = new Set(
    metadata.row_groups[0]?.columns.map((column) => column.meta_data?.path_in_schema[0]),
  );
  const wanted = [...columns.filter((name) => present.has(name)), geometryColumn.name];
  const rows = Number(metadata.num_rows);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    if (mayMeet(group, geometryColumn.bounds, area)) {
      const read = {
        file,
        metadata,
        columns: wanted,
        rowStart,
        rowEnd,
        compressors: decompressors,
      };
      const objects = await whole(path, parquetReadObjects(read));
      for (const [i, properties] of objects.entries()) {
        const geometry = properties[geometryColumn.name] as Geometry | null;
        yield {
          where: `${path}: row ${rowStart + i + 1}`,
          id: properties.id,
          properties,
          geometry,
        };
      }
    } else onSkipped(rowEnd - rowStart);
    rowStart = rowEnd;
    onBytes((file.byteLength * rowEnd) / Math.max(1, rows));
  }
}

async function open(path: string): Promise<AsyncBuffer> {
  await requireKind(path, 'parquet');
  try {
    return await asyncBufferFromFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function whole<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const problem = messageOf(error);
    throw new BuildError(`${path}: not a complete Parquet file (${problem}); download it again`);
  }
}

interface GeometryColumn {
  readonly name: string;
  readonly bounds: Bounds;
}

/** Paths in the schema of the columns with a row's bounds. */
type Bounds = Readonly<Record<'xmin' | 'ymin' | 'xmax' | 'ymax', string>>;

interface GeoMetadata {
  readonly primary_column?: string;
  readonly columns?: Readonly<
    Record<
      string,
      {
        readonly encoding?: string;
        readonly crs?: Parameters<typeof checkProjJson>[1] | null;
        readonly covering?: { readonly bbox: Readonly<Record<string, readonly string[]>> };
      }
    >
  >;
}

function geometryColumnOf(path: string, metadata: FileMetaData): GeometryColumn {
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
  const geo: GeoMetadata = text ? JSON.parse(text) : {};
  const name = geo.primary_column ?? 'geometry';
  const column = geo.columns?.[name];
  if (!column) {
    throw new BuildError(`${path}: Parquet without GeoParquet metadata; export it as GeoParquet`);
  }
  if (column.encoding !== 'WKB') {
    throw new BuildError(
      `${path}: its geometry is encoded as ${column.encoding}; export it with encoding WKB`,
    );
  }
  // Without the member, coordinates are in OGC:CRS84; null stands for an unknown system.
  if (column.crs === null) throw otherCoordinates(path, 'an unknown reference system (crs: null)');
  if (column.crs !== undefined) checkProjJson(path, column.crs);
  // Overture's files had the column before the standard could declare it.
  const bbox = column.covering?.bbox;
  const pathOf = (side: string) => (bbox?.[side] ?? ['bbox', side]).join('.');
  const bounds = {
    xmin: pathOf('xmin'),
    ymin: pathOf('ymin'),
    xmax: pathOf('xmax'),
    ymax: pathOf('ymax'),
  };
  return { name, bounds };
}

/**
 * Whether the bounds of a group's rows may meet an area; true if the file has no statistics of
 * them. `slack`: degrees by which the bounds may be wrong.
 */
export function mayMeet(
  group: RowGroup,
  { xmin, ymin, xmax, ymax }: Bounds,
  area: BoundingBox,
  slack: Degrees = 0,
): boolean {
  const statisticsOf = (column: string) =>
    group.columns.find((one) => one.meta_data?.path_in_schema.join('.') === column)?.meta_data
      ?.statistics;
  const least = (column: string) => statisticsOf(column)?.min_value ?? statisticsOf(column)?.min;
  const most = (column: string) => statisticsOf(column)?.max_value ?? statisticsOf(column)?.max;
  const isOver = (bound: unknown, limit: number) =>
    typeof bound === 'number' && bound > limit + slack;
  const isUnder = (bound: unknown, limit: number) =>
    typeof bound === 'number' && bound < limit - slack;
  return !(
    isOver(least(xmin), area.maxLon) ||
    isOver(least(ymin), area.maxLat) ||
    isUnder(most(xmax), area.minLon) ||
    isUnder(most(ymax), area.minLat)
  );
}
