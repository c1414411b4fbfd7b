import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import {
  encodeRow,
  MINUTES,
  type ModeRow,
  TENTHS,
  type TimeUnit,
} from '../../shards/matrix/row-codec.ts';
import type { BlockOrdinal, Millis } from '../../shards/units.ts';
import { VarintWriter } from '../../shards/varint.ts';
import { BLOCK_LIMIT, DESTINATION_LIMIT, OriginSearch } from './origin-search.ts';
import { toMinutes, toTenths } from './round.ts';
import type { SearchWorld } from './search-world.ts';

/** Some consecutive blocks of a county to search from. */
export interface ChunkRequest {
  /** Block ordinals in the world, `to` exclusive. */
  readonly from: BlockOrdinal;
  readonly to: BlockOrdinal;
  /** The row of block `from` in the county's objects. */
  readonly firstRow: number;
  readonly windowStart: Millis;
  /**
   * Where each destination and block of the world stands in the county's dictionaries; -1: not
   * there.
   */
  readonly destinationOrdinals: Int32Array;
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
  readonly #pois: RowsOut;
  readonly #reach: RowsOut;

  constructor(world: SearchWorld) {
    this.#world = world;
    this.#search = new OriginSearch(world);
    const modes = this.#search.times.length;
    this.#pois = new RowsOut(world.destinations, modes, DESTINATION_LIMIT, TENTHS, toTenths);
    this.#reach = new RowsOut(world.blocks, modes, BLOCK_LIMIT, MINUTES, toMinutes);
  }

  run(request: ChunkRequest): ChunkResult {
    const { from, to, firstRow, windowStart, destinationOrdinals, blockOrdinals } = request;
    const { destinations, leafCount } = this.#world;
    const modes = this.#search.times.length;
    const count = to - from;
    const nearest = new Uint16Array(count * modes * leafCount);
    const pois = this.#pois;
    const reach = this.#reach;
    pois.begin(count);
    reach.begin(count);
    for (let i = 0; i < count; i++) {
      this.#search.run(from + i, windowStart);
      const { times } = this.#search;
      this.#nearestOf(nearest.subarray(i * modes * leafCount, (i + 1) * modes * leafCount));
      pois.row(firstRow + i, times, 0, destinationOrdinals);
      reach.row(firstRow + i, times, destinations, blockOrdinals);
    }
    return {
      pois: pois.finish(),
      reach: reach.finish(),
      nearest,
      poiRows: pois.entries,
      reachRows: reach.entries,
    };
  }

  /** The least time to each leaf's destinations, by mode, for the block just searched. */
  #nearestOf(cells: Uint16Array): void {
    const { destinations, firstLeaf, leaves, leafCount } = this.#world;
    this.#search.times.forEach((times, mode) => {
      const base = mode * leafCount;
      for (let one = 0; one < destinations; one++) {
        if (times[one] > DESTINATION_LIMIT) continue;
        const tenths = toTenths(times[one]);
        for (let i = firstLeaf[one]; i < firstLeaf[one + 1]; i++) {
          const cell = base + leaves[i];
          if (cells[cell] === 0 || tenths < cells[cell]) cells[cell] = tenths;
        }
      }
    });
  }
}

/** Encodes the rows of a chunk. Its memory is kept from one chunk to the next. */
class RowsOut {
  readonly #limit: Millis;
  readonly #unit: TimeUnit;
  readonly #toUnit: (time: Millis) => number;
  /** Per mode, room for every target. */
  readonly #room: readonly ModeRow[];
  readonly #bytes = new VarintWriter(1 << 20);
  #lengths = new Uint32Array(0);
  #count = 0;
  entries = 0;

  constructor(
    targets: number,
    modes: number,
    limit: Millis,
    unit: TimeUnit,
    toUnit: (time: Millis) => number,
  ) {
    this.#limit = limit;
    this.#unit = unit;
    this.#toUnit = toUnit;
    this.#room = Array.from({ length: modes }, () => ({
      targets: new Uint32Array(targets),
      times: new Uint16Array(targets),
    }));
  }

  /** Forgets the chunk before. */
  begin(rows: number): void {
    this.#bytes.reset();
    this.#lengths = new Uint32Array(rows);
    this.#count = 0;
    this.entries = 0;
  }

  /** A row of what of the targets from `start` on was reached, by mode. */
  row(ordinal: number, times: readonly Int32Array[], start: number, ordinals: Int32Array): void {
    const modes = times.map((t, mode) => this.#pick(this.#room[mode], t, start, ordinals));
    this.#lengths[this.#count++] = encodeRow(this.#bytes, ordinal, modes, this.#unit);
  }

  finish(): EncodedRows {
    return { bytes: this.#bytes.view().slice(), lengths: this.#lengths };
  }

  /** The reached targets from `start` on: their ordinals, and times in the unit. */
  #pick(room: ModeRow, times: Int32Array, start: number, ordinals: Int32Array): ModeRow {
    const { targets, times: rounded } = room;
    const limit = this.#limit;
    const toUnit = this.#toUnit;
    let count = 0;
    for (let i = 0; i < targets.length; i++) {
      const time = times[start + i];
      if (time > limit || ordinals[i] < 0) continue;
      targets[count] = ordinals[i];
      rounded[count++] = toUnit(time);
    }
    this.entries += count;
    return { targets: targets.subarray(0, count), times: rounded.subarray(0, count) };
  }
}
