import type { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import type { ModeRow } from '../../shards/matrix/row-codec.ts';
import { MAX_NTH } from '../../shards/nearest/nth-nearest.ts';
import type { Bytes } from '../../shards/units.ts';

interface NthShape {
  readonly blocks: number;
  readonly modes: number;
  readonly types: number;
}

/**
 * Times from the blocks of a county to the n-th nearest POI of each type by each mode, collected
 * block by block and written column by column, ordered by n, then type.
 */
export class NthColumns {
  readonly #shape: NthShape;
  /**
   * Times by n, type, mode and block: column-major, so that a chunk of blocks fills whole cache
   * lines.
   */
  readonly #times: Uint16Array;

  constructor(shape: NthShape) {
    this.#shape = shape;
    this.#times = new Uint16Array(bytesOfColumns(shape) / 2);
  }

  /**
   * Adds the lists of consecutive blocks, ordered by block, mode, type and n, as `insertNth` fills
   * them.
   */
  add(firstBlock: number, lists: Uint16Array): void {
    const { blocks, modes, types } = this.#shape;
    const perBlock = modes * types * MAX_NTH;
    const count = lists.length / perBlock;
    for (let mode = 0; mode < modes; mode++) {
      for (let type = 0; type < types; type++) {
        const list = (mode * types + type) * MAX_NTH;
        for (let n = 0; n < MAX_NTH; n++) {
          const column = (n * types + type) * modes + mode;
          const to = column * blocks + firstBlock;
          for (let i = 0; i < count; i++) this.#times[to + i] = lists[i * perBlock + list + n];
        }
      }
    }
  }

  writeTo(writer: MatrixWriter): void {
    const { modes, types } = this.#shape;
    for (let row = 0; row < MAX_NTH * types; row++) {
      writer.row(Array.from({ length: modes }, (_, mode) => this.#reached(row * modes + mode)));
    }
  }

  #reached(column: number): ModeRow {
    const { blocks } = this.#shape;
    const all = this.#times.subarray(column * blocks, (column + 1) * blocks);
    const targets = new Uint32Array(blocks);
    const times = new Uint16Array(blocks);
    let count = 0;
    for (let block = 0; block < blocks; block++) {
      if (all[block] === 0) continue;
      targets[count] = block;
      times[count++] = all[block];
    }
    return { targets: targets.subarray(0, count), times: times.subarray(0, count) };
  }
}

export function bytesOfColumns({ blocks, modes, types }: NthShape): Bytes {
  return blocks * modes * types * MAX_NTH * 2;
}
