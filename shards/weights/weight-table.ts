import { stemSum } from '../codec/object-name.ts';
import { type VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import { writeEnvelope } from '../store/envelope.ts';
import type { ObjectRef, RangeSource } from '../store/store.ts';
import { ObjectHead, RowsWriter, type StoredRows } from '../store/stored-rows.ts';
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
  const rows = new RowsWriter(sum);
  names.uint(blocks);
  names.uint(columns.length);
  for (const { weight, counts } of columns) {
    if (counts.length !== blocks) {
      throw new RangeError(`${weight} has counts of ${counts.length} of ${blocks} blocks`);
    }
    names.text(weight);
    rows.row.bytes(encodeCounts(counts));
    rows.end();
  }
  const sections = [{ tag: 'NAME', bytes: names.view() }, ...rows.sections()];
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
  readonly #rows: StoredRows;

  private constructor(head: ObjectHead) {
    const names = head.reader('NAME');
    try {
      this.blocks = names.uint();
      this.names = names.texts('columns');
      this.#rows = head.rows(this.names.length);
    } catch (error) {
      throw decodingError(head.ref.name, 'head', error);
    }
  }

  static async open(source: RangeSource, ref: ObjectRef): Promise<WeightTable> {
    return new WeightTable(await ObjectHead.read(source, ref, WEIGHTS_KIND));
  }

  get byteLength(): Bytes {
    return this.names.length * 64;
  }

  /** The counts of the weight at a position in `names`, by block ordinal. One range read. */
  async counts(position: number): Promise<Uint32Array> {
    return (await this.countsOf(position, 1))[0];
  }

  /** The counts of `columns` adjacent weights from a position on. One range read. */
  countsOf(first: number, columns: number): Promise<Uint32Array[]> {
    return this.#rows.decoded(first, first + columns, (reader) =>
      decodeCounts(reader, this.blocks),
    );
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
