import {
  type AsyncBuffer,
  type ColumnChunk,
  type FileMetaData,
  parquetMetadataAsync,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { mayMeet } from '../inputs/geoparquet.ts';
import { writeFileWhole } from '../inputs/whole-file.ts';
import { unwritable } from './fetch-folder.ts';
import type { Http } from './http.ts';

interface RemoteFile {
  readonly url: string;
  readonly bytes: Bytes;
  readonly etag: string;
}

const MAGIC = Buffer.from('PAR1');
/** Paths of the columns with the bounds of a row. */
const BOUNDS = { xmin: 'bbox.xmin', ymin: 'bbox.ymin', xmax: 'bbox.xmax', ymax: 'bbox.ymax' };
/** Chunks with a smaller gap between them are read together. */
const GAP: Bytes = 64 * 2 ** 10;
/** Maximum size of what is read together. */
const MOST: Bytes = 64 * 2 ** 20;
/**
 * Degrees by which boxes are widened: more than the error, at 180°, of the 32-bit floats in the
 * files.
 */
const FLOAT_SLACK = 1e-4;

/**
 * Copies some top-level columns of a Parquet file's row groups that may meet a box, by the
 * statistics of its `bbox` column, as they are encoded, so no row is decoded. The file gets its
 * name only once it is complete. Returns the number of rows. Throws a `BuildError` that names the
 * URL if it is not such a file.
 */
export async function copyRowGroups(
  http: Http,
  { url, bytes, etag }: RemoteFile,
  target: string,
  boxes: readonly BoundingBox[],
  columns: readonly string[],
  required: readonly string[],
): Promise<number> {
  const source: AsyncBuffer = {
    byteLength: bytes,
    slice: (from, to = bytes) => http.range(url, from, to, etag),
  };
  const metadata = await metadataOf(url, source, required);
  const groups = metadata.row_groups.filter((group) =>
    boxes.some((box) => mayMeet(group, BOUNDS, box, FLOAT_SLACK)),
  );
  let rows = 0n;
  await writeFileWhole(target, async function* () {
    yield MAGIC;
    let end = MAGIC.length;
    const copied: RowGroup[] = [];
    for (const { columns: all, num_rows } of groups) {
      const chunks = all.filter((chunk) => columns.includes(columnOf(chunk)));
      const placed = yield* copyChunks(source, chunks, end);
      end = placed.end;
      rows += num_rows;
      copied.push({
        columns: placed.chunks,
        total_byte_size: sizeOf(chunks, 'total_uncompressed_size'),
        total_compressed_size: sizeOf(chunks, 'total_compressed_size'),
        num_rows,
      });
    }
    const footer = new ByteWriter();
    const schema = schemaOf(metadata.schema, columns);
    writeMetadata(footer, { ...metadata, schema, row_groups: copied, num_rows: rows });
    yield Buffer.concat([footer.getBytes(), MAGIC]);
  }).catch((error) => {
    throw error instanceof BuildError ? error : unwritable(target, error);
  });
  return Number(rows);
}

async function metadataOf(
  url: string,
  source: AsyncBuffer,
  required: readonly string[],
): Promise<FileMetaData> {
  let metadata: FileMetaData;
  try {
    metadata = await parquetMetadataAsync(source, { geoparquet: false });
  } catch (error) {
    if (error instanceof BuildError || !(error instanceof Error)) throw error;
    throw new BuildError(
      `${url}: cannot be read as Parquet (${error.message}); is this an Overture release?`,
      { cause: error },
    );
  }
  const present = new Set(metadata.row_groups[0]?.columns.map(columnOf));
  const missing = required.find((column) => !present.has(column));
  if (missing !== undefined) throw new BuildError(`${url}: has no column ${missing}`);
  return metadata;
}

function columnOf({ meta_data }: ColumnChunk): string {
  return meta_data?.path_in_schema[0] ?? '';
}

/** Yields the bytes of chunks in their order, and returns the chunks at offsets from `start`. */
async function* copyChunks(
  source: AsyncBuffer,
  chunks: readonly ColumnChunk[],
  start: Bytes,
): AsyncGenerator<Uint8Array, { chunks: ColumnChunk[]; end: Bytes }> {
  let end = start;
  const copied: ColumnChunk[] = [];
  for (const run of runsOf(chunks)) {
    const from = rangeOf(run[0]).from;
    const read = await source.slice(from, rangeOf(run.at(-1)!).to);
    for (const chunk of run) {
      const range = rangeOf(chunk);
      const shift = BigInt(end - range.from);
      yield new Uint8Array(read, range.from - from, range.to - range.from);
      end += range.to - range.from;
      const { dictionary_page_offset, data_page_offset, ...facts } = chunk.meta_data!;
      copied.push({
        file_offset: 0n,
        meta_data: {
          ...facts,
          data_page_offset: data_page_offset + shift,
          dictionary_page_offset:
            dictionary_page_offset === undefined ? undefined : dictionary_page_offset + shift,
          index_page_offset: undefined,
          bloom_filter_offset: undefined,
          bloom_filter_length: undefined,
        },
      });
    }
  }
  return { chunks: copied, end };
}

/** Groups chunks that are near each other, in the order of the file. */
function runsOf(chunks: readonly ColumnChunk[]): ColumnChunk[][] {
  const runs: ColumnChunk[][] = [];
  for (const chunk of chunks) {
    const { from, to } = rangeOf(chunk);
    const run = runs.at(-1);
    const isNear =
      run !== undefined &&
      from >= rangeOf(run.at(-1)!).to &&
      from - rangeOf(run.at(-1)!).to <= GAP &&
      to - rangeOf(run[0]).from <= MOST;
    if (isNear) run.push(chunk);
    else runs.push([chunk]);
  }
  return runs;
}

function rangeOf({ meta_data }: ColumnChunk): { from: Bytes; to: Bytes } {
  const { dictionary_page_offset, data_page_offset, total_compressed_size } = meta_data!;
  // Some writers state a dictionary offset of 0 for a chunk without one.
  const from = Number(dictionary_page_offset || data_page_offset);
  return { from, to: from + Number(total_compressed_size) };
}

function sizeOf(
  chunks: readonly ColumnChunk[],
  which: 'total_uncompressed_size' | 'total_compressed_size',
): bigint {
  return chunks.reduce((sum, { meta_data }) => sum + meta_data![which], 0n);
}

/** The schema of some of the top-level columns; elements are listed depth first. */
function schemaOf(schema: readonly SchemaElement[], columns: readonly string[]): SchemaElement[] {
  const kept: SchemaElement[] = [];
  let at = 1;
  const endOf = (from: number): number => {
    let end = from + 1;
    for (let i = 0; i < (schema[from].num_children ?? 0); i++) end = endOf(end);
    return end;
  };
  let count = 0;
  while (at < schema.length) {
    const end = endOf(at);
    if (columns.includes(schema[at].name)) {
      kept.push(...schema.slice(at, end));
      count++;
    }
    at = end;
  }
  return [{ ...schema[0], num_children: count }, ...kept];
}
