import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import { modeIdOf } from '../../../shards/modes.ts';
import { MAX_NTH } from '../../../shards/nearest/nth-nearest.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock, DestTypeId } from '../../../shards/units.ts';
import type { Rows } from '../../formats/rows.ts';
import { leavesOf, type NthFilter, type TypeTimes, typeTimesOf } from '../nearest/nth-times.ts';
import { isAfter, type Page } from '../rows/pagination.ts';
import { timeKey } from '../rows/row-columns.ts';
import {
  type AddArealRow,
  type ArealQuery,
  arealParts,
  type BlockRows,
  isFull,
  missingReason,
  NO_REASON,
  reasonKey,
} from './block-rows.ts';

/** A page with the n-th nearest POIs of each type. */
interface NthAreaPage {
  readonly query: ArealQuery;
  readonly nthFilter: NthFilter;
  readonly page: Page;
}

/** The rows of a page with the n-th nearest POIs of each type, or with counts of POIs. */
export class NthAreaRows implements BlockRows<readonly TypeTimes[]> {
  readonly #rows: Rows;
  readonly #release: Release;
  readonly #asked: NthAreaPage;
  readonly #addRow: AddArealRow;
  readonly #leaves: readonly DestTypeId[];
  end: Page['position'] = [];
  hasMore = false;

  constructor(rows: Rows, release: Release, asked: NthAreaPage) {
    this.#rows = rows;
    this.#release = release;
    this.#asked = asked;
    this.#addRow = rows.of(...arealParts(asked.query, asked.nthFilter));
    this.#leaves = leavesOf(release, asked.nthFilter);
  }

  async read(
    county: CountyManifest,
    index: BlockIndex,
    blocks: Uint32Array,
  ): Promise<(readonly TypeTimes[])[]> {
    const { nthFilter } = this.#asked;
    const { matrix, table } = await this.#release.pois(county);
    const routable = blocks.filter((block) => index.isRoutable(block));
    const rows = (await matrix.encodedRows([...routable])).values();
    const found: (readonly TypeTimes[])[] = [];
    for (const block of blocks) {
      const row = index.isRoutable(block) ? rows.next().value : undefined;
      found.push(row ? await typeTimesOf(this.#release, row, table, this.#leaves, nthFilter) : []);
    }
    return found;
  }

  add(
    index: BlockIndex,
    ordinal: CountyBlock,
    byMode: readonly TypeTimes[],
    outline: PolygonGeometry | undefined,
  ): void {
    const { query, nthFilter, page } = this.#asked;
    const { modes, nths } = nthFilter;
    const [afterGeoid, ...after] = page.position;
    const block = index.geoids[ordinal];
    const population = index.population(ordinal);
    for (const [leaf, type] of this.#leaves.entries()) {
      for (const [m, position] of modes.entries()) {
        const mode = this.#release.services[position].mode;
        for (const nth of nths ?? [1]) {
          const tenths = byMode[m]?.lists[leaf * MAX_NTH + nth - 1] ?? 0;
          if (tenths === 0 && !query.withMissing) break;
          const key = [type, modeIdOf(mode), nth];
          if (block === afterGeoid && !isAfter(key, after)) continue;
          if (isFull(this.#rows, page.limit)) {
            this.hasMore = true;
            return;
          }
          const reason = tenths > 0 ? undefined : missingReason(index, ordinal, mode);
          const count = reason === 'no-data' ? null : byMode[m].counts[leaf];
          const time = timeKey(mode) + tenths;
          const why = reason === undefined ? NO_REASON : reasonKey(reason);
          this.#addRow(outline, block, type, time, nth, count, why, population);
          this.end = [block, ...key];
        }
      }
    }
  }
}
