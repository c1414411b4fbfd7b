import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import { encodeRow, MINUTES, type ModeRow, TENTHS } from '../../shards/matrix/row-codec.ts';
import type { Millis } from '../../shards/units.ts';
import { VarintWriter } from '../../shards/varint.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import { OriginSearch } from './origin-search.ts';
import { toMinutes, toTenths } from './round.ts';
import type { SearchWorld } from './search-world.ts';

const PLACE_LIMIT: Millis = ROUTING.maxMinutes * MILLIS_PER_MINUTE;
const BLOCK_LIMIT: Millis = ROUTING.maxReachMinutes * MILLIS_PER_MINUTE;

/** Some consecutive blocks of a county to search from. */
export interface ChunkRequest {
  /** Block ordinals in the world, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** The row of block `from` in the county's objects. */
  readonly firstRow: number;
  readonly windowStart: Millis;
  /** Where each place and block of the world stands in the county's dictionaries; -1: not there. */
  readonly placeOrdinals: Int32Array;
  readonly blockOrdinals: Int32Array;
}

/** What was found from them, encoded as the county's objects keep it. */
export interface ChunkResult {
  readonly pois: EncodedRows;
  readonly reach: EncodedRows;
  /** Cells of the `nearest` object, row by row. */
  readonly nearest: Uint16Array;
  readonly poiRows: number;
  readonly reachRows: number;
}

/** Searches and encodes chunks. One instance serves one thread. */
export class ChunkSearch {
  readonly #world: SearchWorld;
  readonly #search: OriginSearch;
  readonly #bytes = new VarintWriter(1 << 20);

  constructor(world: SearchWorld) {
    this.#world = world;
    this.#search = new OriginSearch(world);
  }

  run(request: ChunkRequest): ChunkResult {
    const { from, to, firstRow, windowStart, placeOrdinals, blockOrdinals } = request;
    const { places, blocks, leafCount } = this.#world;
    const modes = this.#search.times.length;
    const count = to - from;
    const nearest = new Uint16Array(count * modes * leafCount);
    const pois = new RowsOut(count);
    const reach = new RowsOut(count);
    for (let i = 0; i < count; i++) {
      this.#search.run(from + i, windowStart);
      this.#nearestOf(nearest.subarray(i * modes * leafCount, (i + 1) * modes * leafCount));
      const { times } = this.#search;
      pois.row(
        this.#bytes,
        firstRow + i,
        times.map((t) => pick(t, 0, places, PLACE_LIMIT, placeOrdinals, toTenths)),
        TENTHS,
      );
      reach.row(
        this.#bytes,
        firstRow + i,
        times.map((t) => pick(t, places, places + blocks, BLOCK_LIMIT, blockOrdinals, toMinutes)),
        MINUTES,
      );
    }
    return {
      pois: pois.finish(),
      reach: reach.finish(),
      nearest,
      poiRows: pois.entries,
      reachRows: reach.entries,
    };
  }

  /** The least time to each leaf's places, by mode, for the block just searched. */
  #nearestOf(cells: Uint16Array): void {
    const { places, firstLeaf, leaves, leafCount } = this.#world;
    this.#search.times.forEach((times, mode) => {
      const base = mode * leafCount;
      for (let place = 0; place < places; place++) {
        if (times[place] > PLACE_LIMIT) continue;
        const tenths = toTenths(times[place]);
        for (let i = firstLeaf[place]; i < firstLeaf[place + 1]; i++) {
          const cell = base + leaves[i];
          if (cells[cell] === 0 || tenths < cells[cell]) cells[cell] = tenths;
        }
      }
    });
  }
}

/** Gathers the encoded rows of a chunk. */
class RowsOut {
  readonly #lengths: Uint32Array;
  readonly #pieces: Uint8Array[] = [];
  #count = 0;
  entries = 0;

  constructor(count: number) {
    this.#lengths = new Uint32Array(count);
  }

  row(bytes: VarintWriter, ordinal: number, modes: ModeRow[], unit: typeof TENTHS): void {
    bytes.reset();
    this.#lengths[this.#count++] = encodeRow(bytes, ordinal, modes, unit);
    this.#pieces.push(bytes.view().slice());
    for (const { targets } of modes) this.entries += targets.length;
  }

  finish(): EncodedRows {
    const bytes = new Uint8Array(this.#pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return { bytes, lengths: this.#lengths };
  }
}

/** The reached targets from `start` to `end` as a row: their ordinals, and times in its unit. */
function pick(
  times: Int32Array,
  start: number,
  end: number,
  limit: Millis,
  ordinals: Int32Array,
  toUnit: (time: Millis) => number,
): ModeRow {
  let count = 0;
  for (let t = start; t < end; t++) if (times[t] <= limit && ordinals[t - start] >= 0) count++;
  const row = { targets: new Uint32Array(count), times: new Uint16Array(count) };
  let at = 0;
  for (let t = start; t < end; t++) {
    if (times[t] > limit || ordinals[t - start] < 0) continue;
    row.targets[at] = ordinals[t - start];
    row.times[at++] = toUnit(times[t]);
  }
  return row;
}
