import { Zstd } from '@hpcc-js/wasm-zstd';
import type { ColumnChunk, KeyValue, SchemaElement } from 'hyparquet';
import { ByteWriter, geojsonToWkb, ParquetWriter } from 'hyparquet-writer';
import { runToCompletion } from '../concurrency/run-to-completion.ts';
import { geometryOf, type Polygons } from '../geometry/geo-json.ts';
import type { BoundingBox } from '../units.ts';
import { IndexedColumn } from './indexed-column.ts';
import {
  type ByteSink,
  type Column,
  type ColumnType,
  GEOPARQUET_VERSIONS,
  type GeoParquetVersion,
  type IndexedGroup,
  type RowGroup,
  storedColumns,
  type TableFile,
} from './table.ts';

/** Higher levels take several times as long and save a few percent. */
const ZSTD_LEVEL = 3;

/**
 * Writes a table as Parquet, row group by row group, compressed with Zstandard. The encoder is
 * WebAssembly, since Node 20 has none, and since one encoder gives the same bytes on every version
 * of Node.
 */
export class ParquetFile implements TableFile {
  readonly #columns: readonly Column[];
  readonly #positions: readonly number[];
  readonly #version: GeoParquetVersion;
  readonly #out: SinkWriter;
  readonly #writer: ParquetWriter;
  readonly #indexed: readonly IndexedColumn[];

  private constructor(
    columns: readonly Column[],
    metadata: Readonly<Record<string, string>>,
    out: ByteSink,
    version: GeoParquetVersion,
    zstd: Zstd,
  ) {
    const compress = (bytes: Uint8Array) => zstd.compress(bytes, ZSTD_LEVEL);
    this.#columns = storedColumns(columns, version);
    this.#positions = this.#columns.map((column) => columns.indexOf(column));
    this.#version = version;
    const elements = this.#columns.map((column) => elementsOf(column, version));
    this.#out = new SinkWriter(out);
    this.#writer = new ParquetWriter({
      writer: this.#out,
      schema: [{ name: 'schema', num_children: elements.length }, ...elements.flat()],
      codec: 'ZSTD',
      compressors: { ZSTD: compress },
      kvMetadata: Object.entries(metadata).map(([key, value]): KeyValue => ({ key, value })),
      createdBy: 'travel-time-access',
    });
    this.#indexed = elements.map(([element]) => new IndexedColumn(element, compress));
  }

  /**
   * Opens a file for writing. `metadata` is its key-value metadata, `version` that of GeoParquet.
   */
  static async open(
    columns: readonly Column[],
    metadata: Readonly<Record<string, string>>,
    out: ByteSink,
    version: GeoParquetVersion = GEOPARQUET_VERSIONS[0],
  ): Promise<ParquetFile> {
    return new ParquetFile(columns, metadata, out, version, await Zstd.load());
  }

  append(group: RowGroup): void {
    if ('indexed' in group) runToCompletion(this.appendSteps(group));
    else if (group.rows > 0) this.#appendValues(group.rows, group.values);
  }

  *appendSteps({ rows, indexed }: IndexedGroup): Generator<undefined, void, undefined> {
    if (rows === 0) return;
    const start = this.#out.offset;
    const columns: ColumnChunk[] = [];
    for (const [c, values] of indexed.entries()) {
      columns.push(this.#indexed[c].write(this.#out, values));
      yield;
    }
    this.#writer.num_rows += BigInt(rows);
    this.#writer.row_groups.push({
      columns,
      num_rows: BigInt(rows),
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + meta_data!.total_uncompressed_size,
        0n,
      ),
      total_compressed_size: BigInt(this.#out.offset - start),
    });
    this.#out.flush();
  }

  finish(): void {
    this.#writer.finish();
  }

  #appendValues(rows: number, values: readonly (readonly unknown[])[]): void {
    const columnData = this.#columns.map(({ name, type }, c) => ({
      name,
      data: values[this.#positions[c]].map((value) =>
        value === null ? null : storedValue(value, type, this.#version),
      ),
    }));
    this.#writer.write({ columnData, rowGroupSize: rows });
  }
}

class SinkWriter extends ByteWriter {
  readonly #sink: ByteSink;

  constructor(sink: ByteSink) {
    super(1 << 16);
    this.#sink = sink;
  }

  flush(): void {
    this.#sink.append(this.getBytes().slice());
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }
}

function elementsOf(
  { name, type, nullable = false }: Column,
  version: GeoParquetVersion,
): SchemaElement[] {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'polygons': {
      const native = version === '1.1' ? {} : ({ logical_type: { type: 'GEOMETRY' } } as const);
      return [{ name, repetition_type, type: 'BYTE_ARRAY', ...native }];
    }
    case 'int32s':
      return [
        { name, repetition_type, num_children: 1, ...typed('LIST') },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'REQUIRED', type: 'INT32' },
      ];
    case 'box':
      return [
        { name, repetition_type, num_children: 4 },
        ...['xmin', 'ymin', 'xmax', 'ymax'].map(
          (edge): SchemaElement => ({ name: edge, repetition_type: 'REQUIRED', type: 'DOUBLE' }),
        ),
      ];
    default:
      return [{ name, repetition_type, ...PRIMITIVES[type] }];
  }
}

function typed(type: 'LIST') {
  return { converted_type: type, logical_type: { type } } as const;
}

const PRIMITIVES: Readonly<
  Record<
    Exclude<ColumnType, 'int32s' | 'box' | 'polygons'>,
    Omit<SchemaElement, 'name' | 'repetition_type'>
  >
> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  double: { type: 'DOUBLE' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  // The library writes the logical types of integers in a form that others cannot read.
  uint8: { type: 'INT32', converted_type: 'UINT_8' },
  uint32: { type: 'INT32', converted_type: 'UINT_32' },
  boolean: { type: 'BOOLEAN' },
};

function storedValue(value: unknown, type: ColumnType, version: GeoParquetVersion): unknown {
  if (type === 'int64') return BigInt(value as number);
  if (type === 'polygons') {
    const geometry = geometryOf(value as Polygons);
    return version === '1.1' ? geojsonToWkb(geometry) : geometry;
  }
  if (type === 'box') {
    const { minLon, minLat, maxLon, maxLat } = value as BoundingBox;
    return { xmin: minLon, ymin: minLat, xmax: maxLon, ymax: maxLat };
  }
  return value;
}
