import type { ColumnChunk, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import { type Dictionary, type IndexedValues, NULL_INDEX } from './table.ts';

type Compressor = (bytes: Uint8Array) => Uint8Array;

/** Rows that a run must have on average for runs to be shorter than packed indexes. */
const ROWS_PER_RUN = 8;
/** Packed indexes come in groups of this many. */
const PACKED = 8;

/**
 * Writes the column chunk of a row group whose values are given as indexes into a dictionary: a
 * page of the values that occur, in the dictionary's order, and a page of indexes into that page,
 * run-length encoded or packed. The library builds the dictionary of a column by hashing every
 * value, which takes most of the time with hundreds of millions of rows.
 *
 * Packed indexes take whole bytes each, more than necessary, so that a sequence that repeats from
 * row to row has the same bytes, which the compressor detects.
 */
export class IndexedColumn {
  readonly #element: SchemaElement;
  readonly #compress: Compressor;
  /** The dictionary of the last row group; a file has one dictionary per column. */
  #encoded: EncodedDictionary | null = null;

  constructor(element: SchemaElement, compress: Compressor) {
    this.#element = element;
    this.#compress = compress;
  }

  write(writer: ByteWriter, { dictionary, indexes }: IndexedValues): ColumnChunk {
    if (this.#encoded?.dictionary !== dictionary) {
      this.#encoded = new EncodedDictionary(dictionary, this.#element);
    }
    const { used, bytes, newIndexes } = this.#encoded.subset(indexes);
    const start = writer.offset;
    const dictionaryPage = this.#compress(bytes);
    writePageHeader(writer, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: bytes.length,
      compressed_page_size: dictionaryPage.length,
      dictionary_page_header: { num_values: used.length, encoding: 'PLAIN' },
    });
    let uncompressed = writer.offset - start + bytes.length;
    writer.appendBytes(dictionaryPage);

    const pageStart = writer.offset;
    const levels = this.#element.repetition_type === 'OPTIONAL' ? encodeLevels(indexes) : NONE;
    const page = encodeIndexes(newIndexes, used.length);
    const nulls = indexes.length - newIndexes.length;
    const dataPage = this.#compress(page);
    writePageHeader(writer, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.length + page.length,
      compressed_page_size: levels.length + dataPage.length,
      data_page_header_v2: {
        num_values: indexes.length,
        num_nulls: nulls,
        num_rows: indexes.length,
        encoding: 'RLE_DICTIONARY',
        definition_levels_byte_length: levels.length,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    uncompressed += writer.offset - pageStart + levels.length + page.length;
    writer.appendBytes(levels);
    writer.appendBytes(dataPage);
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: this.#element.type!,
        encodings: ['PLAIN', 'RLE_DICTIONARY'],
        path_in_schema: [this.#element.name],
        codec: 'ZSTD',
        num_values: BigInt(indexes.length),
        total_compressed_size: BigInt(writer.offset - start),
        total_uncompressed_size: BigInt(uncompressed),
        data_page_offset: BigInt(pageStart),
        dictionary_page_offset: BigInt(start),
        statistics: { ...extremesOf(used, dictionary, this.#element), null_count: BigInt(nulls) },
      },
    };
  }
}

/** A dictionary whose values are encoded as in a page. */
class EncodedDictionary {
  readonly dictionary: Dictionary;
  readonly #bytes: Uint8Array;
  /** Offset of each value in the bytes, and the end of the last value. */
  readonly #starts: Uint32Array;
  /**
   * For each value, one more than its index in the current row group, or 0 if it does not occur.
   */
  readonly #newIndex: Uint32Array;

  constructor(dictionary: Dictionary, element: SchemaElement) {
    this.dictionary = dictionary;
    this.#starts = new Uint32Array(dictionary.length + 1);
    this.#newIndex = new Uint32Array(dictionary.length);
    const writer = new ByteWriter();
    dictionary.forEach((value, i) => {
      writePlain(writer, [physical(value, element)], element.type!, undefined);
      this.#starts[i + 1] = writer.offset;
    });
    this.#bytes = writer.getBytes();
  }

  /**
   * Returns the positions of the values that occur, ascending; the bytes of these values; and,
   * without nulls, the index of each row's value among them.
   */
  subset(indexes: Uint32Array) {
    const newIndex = this.#newIndex.fill(0);
    // `NULL_INDEX` is beyond the end of the array, where writes have no effect.
    for (let i = 0; i < indexes.length; i++) newIndex[indexes[i]] = 1;
    // Numbers the values that occur.
    let [count, size] = [0, 0];
    for (let value = 0; value < newIndex.length; value++) {
      if (newIndex[value] === 0) continue;
      newIndex[value] = ++count;
      size += this.#starts[value + 1] - this.#starts[value];
    }
    const used = new Uint32Array(count);
    const bytes = new Uint8Array(size);
    let at = 0;
    for (let value = 0; value < newIndex.length; value++) {
      if (newIndex[value] === 0) continue;
      used[newIndex[value] - 1] = value;
      for (let i = this.#starts[value]; i < this.#starts[value + 1]; i++, at++) {
        bytes[at] = this.#bytes[i];
      }
    }
    const newIndexes = new Uint32Array(indexes.length);
    let known = 0;
    for (let i = 0; i < indexes.length; i++) {
      if (indexes[i] !== NULL_INDEX) newIndexes[known++] = newIndex[indexes[i]] - 1;
    }
    return { used, bytes, newIndexes: newIndexes.subarray(0, known) };
  }
}

function physical(value: string | number, { type }: SchemaElement): string | number | bigint {
  return type === 'INT64' ? BigInt(value) : value;
}

const NONE = new Uint8Array();

/** Encodes definition levels as run lengths: 1 where there is a value, 0 where there is none. */
function encodeLevels(indexes: Uint32Array): Uint8Array {
  const levels = new ByteWriter();
  for (let i = 0, end = 0; i < indexes.length; i = end) {
    const isNull = indexes[i] === NULL_INDEX;
    while (end < indexes.length && (indexes[end] === NULL_INDEX) === isNull) end++;
    levels.appendVarInt((end - i) * 2);
    levels.appendUint8(Number(!isNull));
  }
  return levels.getBytes();
}

/**
 * Encodes a page of indexes below `count`: their width in bits, then either runs or packed groups
 * of the hybrid encoding.
 */
function encodeIndexes(indexes: Uint32Array, count: number): Uint8Array {
  const bytes = count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4;
  let runs = 0;
  for (let i = 0; i < indexes.length; i++) if (i === 0 || indexes[i] !== indexes[i - 1]) runs++;
  const inRuns = runs * ROWS_PER_RUN <= indexes.length;
  const page = new ByteWriter(inRuns ? runs * (bytes + 5) + 1 : indexes.length * bytes + 64);
  page.appendUint8(bytes * 8);
  if (inRuns) {
    for (let i = 0, end = 0; i < indexes.length; i = end) {
      while (end < indexes.length && indexes[end] === indexes[i]) end++;
      page.appendVarInt((end - i) * 2);
      page.appendBytes(littleEndian(indexes.subarray(i, i + 1), bytes, 1));
    }
  } else {
    const groups = Math.ceil(indexes.length / PACKED);
    page.appendVarInt(groups * 2 + 1);
    page.appendBytes(littleEndian(indexes, bytes, groups * PACKED));
  }
  return page.getBytes();
}

/**
 * Encodes values as little-endian integers of `bytes` bytes, padded with zeros to `length` values.
 */
function littleEndian(values: Uint32Array, bytes: number, length: number): Uint8Array {
  const out = new Uint8Array(length * bytes);
  if (bytes === 1) out.set(values);
  else {
    for (let i = 0, at = 0; i < values.length; i++) {
      for (let value = values[i], b = 0; b < bytes; b++, value >>>= 8) out[at++] = value;
    }
  }
  return out;
}

const BEYOND_ASCII = /[^ -~]/;

/**
 * Returns the least and greatest value that occurs, for statistics. Returns neither for texts
 * beyond ASCII, whose code units are not in the order of their bytes.
 */
function extremesOf(used: Uint32Array, dictionary: Dictionary, element: SchemaElement) {
  if (used.length === 0) return {};
  let [min, max] = [dictionary[used[0]], dictionary[used[0]]];
  for (const index of used) {
    const value = dictionary[index];
    if (typeof value === 'string' && BEYOND_ASCII.test(value)) return {};
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min_value: physical(min, element), max_value: physical(max, element) };
}
