import { decodeCheckedRow, ROW_CRC_BYTES, sealRow } from '../codec/checked-row.ts';
import { stemSum } from '../codec/object-name.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import {
  checkedSection,
  RowDirectory,
  readEnvelope,
  readHead,
  sectionOf,
  writeEnvelope,
} from '../store/envelope.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import type { Bytes } from '../units.ts';
import { MAX_COUNT } from './weight.ts';

export const WEIGHTS_KIND = 'WGHT';

/** Forms of a column: every block's count, only the blocks with a count, or every difference. */
const EVERY_BLOCK = 0;
const COUNTED_BLOCKS = 1;
const DIFFERENCES = 2;

/** The counts of a weight, by the ordinal of the block in its county's index. */
export interface WeightColumn {
  readonly weight: string;
  readonly counts: Uint32Array;
}

/**
 * Encodes the weights of a county, each as a row of its own. `stem`: of the object's name.
 *
 *     varint   form: 0 for the counts of every block, 1 for those of blocks that have a count, 2
 *              for the differences between blocks
 *     varints  the counts; or, per block with a count, the number of blocks without one that
 *              precede it, and its count; or the difference of each count from the one before
 *     4 bytes  checksum, see `checked-row.ts`; the row number is the position of the column
 *
 * The shortest form is used: most blocks have people, but few have jobs, and what is within reach
 * differs little between neighbours.
 */
export function encodeWeights(
  stem: string,
  blocks: number,
  columns: readonly WeightColumn[],
): Uint8Array {
  const sum = stemSum(stem);
  const names = new VarintWriter();
  const directory = new VarintWriter();
  const rows = new VarintWriter(1 << 12);
  const encoder = new TextEncoder();
  names.uint(blocks);
  names.uint(columns.length);
  columns.forEach(({ weight, counts }, position) => {
    if (counts.length !== blocks) {
      throw new RangeError(`${weight} has counts of ${counts.length} of ${blocks} blocks`);
    }
    const name = encoder.encode(weight);
    names.uint(name.length);
    names.bytes(name);
    const start = rows.length;
    rows.bytes(encodeCounts(counts));
    rows.take(ROW_CRC_BYTES);
    sealRow(sum, position, rows.view(), start);
    directory.uint(rows.length - start);
  });
  const sections = [
    { tag: 'NAME', bytes: names.view() },
    { tag: 'RDIR', bytes: directory.view() },
    { tag: 'ROWS', bytes: rows.view() },
  ];
  return writeEnvelope(WEIGHTS_KIND, sections, sum);
}

function encodeCounts(counts: Uint32Array): Uint8Array {
  const every = new VarintWriter(counts.length + 1);
  const counted = new VarintWriter(counts.length + 1);
  const differences = new VarintWriter(counts.length + 1);
  every.uint(EVERY_BLOCK);
  counted.uint(COUNTED_BLOCKS);
  differences.uint(DIFFERENCES);
  let [gap, before] = [0, 0];
  for (const count of counts) {
    every.uint(count);
    differences.int(count - before);
    before = count;
    if (count === 0) {
      gap++;
      continue;
    }
    counted.uint(gap);
    counted.uint(count);
    gap = 0;
  }
  const shorter = counted.length < every.length ? counted : every;
  return (differences.length < shorter.length ? differences : shorter).view();
}

/**
 * The stored weights of a county. Names are in memory; reading a weight's counts takes one range
 * read.
 */
export class WeightTable {
  /** Names of the columns, in the order of the manifest's weights. */
  readonly names: readonly string[];
  readonly blocks: number;
  readonly #source: RangeSource;
  readonly #ref: ObjectRef;
  readonly #directory: RowDirectory;

  private constructor(source: RangeSource, ref: ObjectRef, head: Uint8Array) {
    this.#source = source;
    this.#ref = ref;
    const envelope = readEnvelope(ref.name, head, ref.bytes, WEIGHTS_KIND);
    const names = new VarintReader(checkedSection(ref.name, envelope, 'NAME', head));
    const lengths = new VarintReader(checkedSection(ref.name, envelope, 'RDIR', head));
    const rows = sectionOf(ref.name, envelope, 'ROWS');
    const decoder = new TextDecoder();
    try {
      this.blocks = names.uint();
      const count = names.uint();
      if (count > names.left) throw new RangeError(`counts ${count} columns`);
      this.names = Array.from({ length: count }, () => decoder.decode(names.bytes(names.uint())));
      this.#directory = new RowDirectory(lengths, count, rows);
    } catch (error) {
      throw decodingError(ref.name, 'head', error);
    }
  }

  /** Reads the head of `ref`: one small read to learn its length, and one for the rest. */
  static async open(source: RangeSource, ref: ObjectRef): Promise<WeightTable> {
    return new WeightTable(source, ref, await readHead(source, ref, WEIGHTS_KIND));
  }

  /** Memory use, for a byte-bounded cache. */
  get byteLength(): Bytes {
    return this.names.length * 64;
  }

  /** The counts of the weight at a position in `names`, by block ordinal. One range read. */
  async counts(position: number): Promise<Uint32Array> {
    return (await this.countsOf(position, 1))[0];
  }

  /** The counts of `columns` adjacent weights from a position on. One range read. */
  async countsOf(first: number, columns: number): Promise<Uint32Array[]> {
    const start = this.#directory.startOf(first);
    const length = this.#directory.startOf(first + columns) - start;
    const bytes = await this.#source.readRange(this.#ref, start, length);
    return Array.from({ length: columns }, (_, i) => {
      const { offset, length } = this.#directory.rangeOf(first + i);
      const row = bytes.subarray(offset - start, offset - start + length);
      return decodeCheckedRow(this.#ref.name, first + i, row, (reader) =>
        decodeCounts(reader, this.blocks),
      );
    });
  }
}

/** Reads what `encodeCounts` wrote; throws a `RangeError` for anything else. */
function decodeCounts(reader: VarintReader, blocks: number): Uint32Array {
  const counts = new Uint32Array(blocks);
  const form = reader.uint();
  if (form > DIFFERENCES) throw new RangeError(`has form ${form}`);
  let [block, count] = [0, 0];
  while (!reader.done) {
    if (form === COUNTED_BLOCKS) block += reader.uint();
    count = form === DIFFERENCES ? count + reader.int() : reader.uint();
    if (block >= blocks) throw new RangeError(`counts block ${block} of ${blocks}`);
    if (count < 0 || count > MAX_COUNT) throw new RangeError(`has count ${count}`);
    counts[block++] = count;
  }
  if (form !== COUNTED_BLOCKS && block < blocks) throw new RangeError('ends early');
  return counts;
}
