import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import { type ModeId, modeIdOf } from '../../../shards/modes.ts';
import { MAX_NTH } from '../../../shards/nearest/nth-nearest.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock, DestTypeId, Tenths } from '../../../shards/units.ts';
import type { Rows } from '../../formats/rows.ts';
import { leavesOf, type NthFilter, type TypeTimes, typeTimesOf } from '../nearest/nearest-times.ts';
import type { Page } from '../rows/pagination.ts';
import { timeKey } from '../rows/row-columns.ts';
import {
  type AddArealRow,
  type ArealQuery,
  arealParts,
  isFull,
  missingReason,
  NO_REASON,
  reasonKey,
} from './block-rows.ts';

/** Times of blocks by mode and leaf type, given by their positions among those of a request. */
export interface AreaTimes<Times> {
  /** Reads the times of `blocks` of a county, which are sorted ascending. */
  read(county: CountyManifest, index: BlockIndex, blocks: Uint32Array): Promise<readonly Times[]>;
  /** The time to the n-th nearest POI; 0 if there is none. */
  tenths(times: Times, mode: number, leaf: number, nth: number): Tenths;
  /** The number of POIs; undefined if they are not counted. */
  count(times: Times, mode: number, leaf: number): number | undefined;
}

export function nearestTimes(release: Release, query: ArealQuery): AreaTimes<Uint16Array> {
  const { leafIds } = release.taxonomy;
  const columns = leavesOf(release, query).map((leaf) => leafIds.indexOf(leaf));
  return {
    read: (county, _index, blocks) => release.nearestRows(county, blocks),
    tenths: (times, mode, leaf) => times[query.modes[mode] * leafIds.length + columns[leaf]],
    count: () => undefined,
  };
}

export function nthTimes(release: Release, filter: NthFilter): AreaTimes<readonly TypeTimes[]> {
  const leaves = leavesOf(release, filter);
  return {
    async read(county, index, blocks) {
      const { matrix, table } = await release.pois(county);
      const routable = blocks.filter((block) => index.isRoutable(block));
      const rows = (await matrix.encodedRows([...routable])).values();
      const found: (readonly TypeTimes[])[] = [];
      for (const block of blocks) {
        const row = index.isRoutable(block) ? rows.next().value : undefined;
        found.push(row ? await typeTimesOf(release, row, table, leaves, filter) : []);
      }
      return found;
    },
    tenths: (times, mode, leaf, nth) => times[mode]?.lists[leaf * MAX_NTH + nth - 1] ?? 0,
    count: (times, mode, leaf) => times[mode]?.counts[leaf],
  };
}

const NEAREST_ONLY = [1];

export class AreaRows<Times> {
  readonly times: AreaTimes<Times>;
  readonly #rows: Rows;
  readonly #query: ArealQuery;
  readonly #nthFilter: NthFilter | null;
  readonly #page: Page;
  readonly #leaves: readonly DestTypeId[];
  /** By mode of the request. */
  readonly #modeIds: readonly ModeId[];
  readonly #timeKeys: readonly number[];
  readonly #reasonKeyOf: (index: BlockIndex, ordinal: CountyBlock, mode: number) => number;
  readonly #addRow: AddArealRow;
  end: Page['position'] = [];
  /** Whether a row did not fit the page. */
  hasMore = false;

  constructor(
    rows: Rows,
    release: Release,
    times: AreaTimes<Times>,
    { query, nthFilter, page }: { query: ArealQuery; nthFilter: NthFilter | null; page: Page },
  ) {
    const labels = query.modes.map((position) => release.services[position].mode);
    this.times = times;
    this.#rows = rows;
    this.#query = query;
    this.#nthFilter = nthFilter;
    this.#page = page;
    this.#leaves = leavesOf(release, query);
    this.#modeIds = labels.map(modeIdOf);
    this.#timeKeys = labels.map(timeKey);
    this.#reasonKeyOf = (index, ordinal, mode) =>
      reasonKey(missingReason(index, ordinal, labels[mode]));
    this.#addRow = rows.of(...arealParts(query, nthFilter));
  }

  /** Adds the rows of a block, as far as there is room. */
  add(
    index: BlockIndex,
    ordinal: CountyBlock,
    times: Times,
    outline: PolygonGeometry | undefined,
  ): void {
    const { withMissing } = this.#query;
    const { limit, position } = this.#page;
    const [afterGeoid, afterType, afterMode, afterNth = 1] = position;
    const nths = this.#nthFilter?.nths ?? NEAREST_ONLY;
    const block = index.geoids[ordinal];
    const population = index.population(ordinal);
    const before = this.#rows.count;
    let [lastType, lastMode, lastNth] = [0, 0, 0];
    rows: for (let leaf = 0; leaf < this.#leaves.length; leaf++) {
      const type = this.#leaves[leaf];
      if (block === afterGeoid && type < afterType) continue;
      const isResumed = block === afterGeoid && type === afterType;
      for (let mode = 0; mode < this.#modeIds.length; mode++) {
        const modeId = this.#modeIds[mode];
        for (const nth of nths) {
          const tenths = this.times.tenths(times, mode, leaf, nth);
          if (tenths === 0 && !withMissing) break;
          if (isResumed && (modeId < afterMode || (modeId === afterMode && nth <= afterNth)))
            continue;
          if (isFull(this.#rows, limit)) {
            this.hasMore = true;
            break rows;
          }
          const reason = tenths > 0 ? NO_REASON : this.#reasonKeyOf(index, ordinal, mode);
          const count = reason === NO_DATA ? null : this.times.count(times, mode, leaf);
          const time = this.#timeKeys[mode] + tenths;
          this.#addRow(outline, block, type, time, nth, count, reason, population);
          lastType = type;
          lastMode = modeId;
          lastNth = nth;
        }
      }
    }
    if (this.#rows.count === before) return;
    this.end = [block, lastType, lastMode, ...(this.#nthFilter ? [lastNth] : [])];
  }
}

const NO_DATA = reasonKey('no-data');
