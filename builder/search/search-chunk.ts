import { stemSum } from '../../shards/codec/object-name.ts';
import { VarintWriter } from '../../shards/codec/varint.ts';
import type { EncodedRows } from '../../shards/matrix/matrix-writer.ts';
import { toMinutes, toTenths } from '../../shards/matrix/rounded-times.ts';
import {
  encodeRow,
  MINUTES,
  type ModeBases,
  type ModeRow,
  TENTHS,
  type TimeUnit,
} from '../../shards/matrix/row-codec.ts';
import { insertNth, MAX_NTH } from '../../shards/nearest/nth-nearest.ts';
import type { StopWalks } from '../../shards/transit/transit-table.ts';
import type { BlockOrdinal, CountyFips, Millis } from '../../shards/units.ts';
import { OriginSearch } from './origin-search.ts';
import type { Reached } from './reached.ts';
import type { SearchRegion } from './search-region.ts';

/** Some consecutive blocks of a county to search from. */
export interface ChunkRequest {
  readonly county: CountyFips;
  /** Block ordinals in the region, `to` exclusive. */
  readonly from: BlockOrdinal;
  readonly to: BlockOrdinal;
  /** The row of block `from` in the county's objects. */
  readonly firstRow: number;
  /** When each window of departures opens there. */
  readonly windowStarts: readonly Millis[];
  /**
   * The ordinal of each destination and block in the dictionaries of the county, indexed by its
   * ordinal in the region; -1 if it is not there.
   */
  readonly destinationOrdinals: Int32Array;
  readonly blockOrdinals: Int32Array;
}

/** Search results of a chunk, encoded for the county's objects. */
export interface ChunkResult {
  readonly pois: EncodedRows;
  readonly reach: EncodedRows;
  /** Cells of the `nearest` object, row by row. */
  readonly nearest: Uint16Array;
  /** Times to the nearest POIs of each type, as lists of `insertNth`, by block, mode and type. */
  readonly nth: Uint16Array;
  /** Walks from each block to stops of the region, by riders. */
  readonly access: readonly AccessLists[];
  readonly poiRows: number;
  readonly reachRows: number;
}

/** Walks from some blocks to stops: `counts[i]` of them from the `i`th block. */
export interface AccessLists {
  readonly counts: Int32Array;
  readonly stops: Int32Array;
  readonly times: Int32Array;
}

/** Searches and encodes chunks. One instance serves one thread. */
export class ChunkSearch {
  readonly #region: SearchRegion;
  readonly #search: OriginSearch;
  readonly #pois: RowEncoder;
  readonly #reach: RowEncoder;

  constructor(region: SearchRegion) {
    this.#region = region;
    this.#search = new OriginSearch(region);
    const modes = this.#search.reached.length;
    this.#pois = new RowEncoder(region.destinationCount, modes, region.bases, TENTHS, toTenths);
    this.#reach = new RowEncoder(region.blockCount, modes, region.bases, MINUTES, toMinutes);
  }

  run(request: ChunkRequest): ChunkResult {
    const { county, from, to, firstRow, windowStarts, destinationOrdinals, blockOrdinals } =
      request;
    const { destinationCount, leafCount, typeCount } = this.#region;
    const { reached } = this.#search;
    const modes = reached.length;
    const count = to - from;
    const nearest = new Uint16Array(count * modes * leafCount);
    const lists = modes * typeCount * MAX_NTH;
    const nth = new Uint16Array(count * lists);
    const pois = this.#pois;
    const reach = this.#reach;
    pois.begin(`pois/${county}`, count);
    reach.begin(`reach-from/${county}`, count);
    const blocks = Array.from({ length: count }, (_, i) => from + i);
    const access = this.#region.riders.map((): StopWalks[] => []);
    this.#search.run(blocks, windowStarts, (block) => {
      const i = block - from;
      this.#nearestOf(nearest.subarray(i * modes * leafCount, (i + 1) * modes * leafCount));
      this.#nthOf(nth.subarray(i * lists, (i + 1) * lists));
      for (const [r, walks] of this.#search.access.entries()) access[r].push(walks);
      pois.row(firstRow + i, reached, poisOf, 0, destinationOrdinals);
      reach.row(firstRow + i, reached, blocksOf, destinationCount, blockOrdinals);
    });
    return {
      pois: pois.finish(),
      reach: reach.finish(),
      nearest,
      nth,
      access: access.map(listsOf),
      poiRows: pois.entries,
      reachRows: reach.entries,
    };
  }

  /** Writes the shortest time to each leaf's destinations, by mode, for the block just searched. */
  #nearestOf(cells: Uint16Array): void {
    const { firstLeaf, leaves, leafCount } = this.#region;
    this.#search.reached.forEach(({ times, targets, destinationCount }, mode) => {
      const base = mode * leafCount;
      for (let at = 0; at < destinationCount; at++) {
        const one = targets[at];
        const tenths = toTenths(times[one]);
        for (let i = firstLeaf[one]; i < firstLeaf[one + 1]; i++) {
          const cell = base + leaves[i];
          if (cells[cell] === 0 || tenths < cells[cell]) cells[cell] = tenths;
        }
      }
    });
  }

  /**
   * Writes the shortest times to each type's destinations, by mode, for the block just searched.
   */
  #nthOf(lists: Uint16Array): void {
    const { firstType, types, typeCount } = this.#region;
    this.#search.reached.forEach(({ times, targets, destinationCount }, mode) => {
      for (let at = 0; at < destinationCount; at++) {
        const one = targets[at];
        const tenths = toTenths(times[one]);
        for (let i = firstType[one]; i < firstType[one + 1]; i++) {
          insertNth(lists, mode * typeCount + types[i], tenths);
        }
      }
    });
  }
}

function listsOf(access: readonly StopWalks[]): AccessLists {
  const counts = Int32Array.from(access, ({ stops }) => stops.length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const [stops, times] = [new Int32Array(total), new Int32Array(total)];
  let at = 0;
  for (const walks of access) {
    stops.set(walks.stops, at);
    times.set(walks.times, at);
    at += walks.stops.length;
  }
  return { counts, stops, times };
}

/** Encodes the rows of a chunk. Its memory is reused for the next chunk. */
class RowEncoder {
  readonly #bases: ModeBases;
  readonly #unit: TimeUnit;
  readonly #toUnit: (time: Millis) => number;
  /** Per mode, with space for every target. */
  readonly #buffers: readonly ModeRow[];
  readonly #bytes = new VarintWriter(1 << 20);
  #sum = 0;
  #lengths = new Uint32Array(0);
  #count = 0;
  entries = 0;

  constructor(
    targets: number,
    modes: number,
    bases: ModeBases,
    unit: TimeUnit,
    toUnit: (time: Millis) => number,
  ) {
    this.#bases = bases;
    this.#unit = unit;
    this.#toUnit = toUnit;
    this.#buffers = Array.from({ length: modes }, () => ({
      targets: new Uint32Array(targets),
      times: new Uint16Array(targets),
    }));
  }

  /** Clears the previous chunk. `stem`: of the name of the object that the next one is for. */
  begin(stem: string, rows: number): void {
    this.#sum = stemSum(stem);
    this.#bytes.reset();
    this.#lengths = new Uint32Array(rows);
    this.#count = 0;
    this.entries = 0;
  }

  /**
   * Writes a row of the targets of one kind, as reached by each mode. `start` is the number of the
   * first target of that kind.
   */
  row(
    ordinal: number,
    reached: readonly Reached[],
    some: (of: Reached) => Uint32Array,
    start: number,
    ordinals: Int32Array,
  ): void {
    const modes = reached.map((one, mode) =>
      this.#pick(this.#buffers[mode], some(one), one.times, start, ordinals),
    );
    this.#lengths[this.#count++] = encodeRow(
      this.#bytes,
      this.#sum,
      ordinal,
      modes,
      this.#unit,
      this.#bases,
    );
  }

  finish(): EncodedRows {
    return { bytes: this.#bytes.view().slice(), lengths: this.#lengths };
  }

  /**
   * Picks the targets of `some`, which ascend, that have an ordinal, with their times in the unit.
   */
  #pick(
    room: ModeRow,
    some: Uint32Array,
    allTimes: Int32Array,
    start: number,
    ordinals: Int32Array,
  ): ModeRow {
    const { targets, times } = room;
    const toUnit = this.#toUnit;
    let count = 0;
    for (let i = 0; i < some.length; i++) {
      const ordinal = ordinals[some[i] - start];
      if (ordinal < 0) continue;
      targets[count] = ordinal;
      times[count++] = toUnit(allTimes[some[i]]);
    }
    this.entries += count;
    return { targets: targets.subarray(0, count), times: times.subarray(0, count) };
  }
}

const poisOf = ({ targets, destinationCount }: Reached) => targets.subarray(0, destinationCount);
const blocksOf = ({ targets, destinationCount, count }: Reached) =>
  targets.subarray(destinationCount, count);
