import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { geoidFromNumber } from '../../../shards/geoid.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import { modeIdOf } from '../../../shards/modes.ts';
import { MAX_NTH } from '../../../shards/nearest/nth-nearest.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock, DestTypeId } from '../../../shards/units.ts';
import type { Rows } from '../../formats/rows.ts';
import { leavesOf, type NthFilter, type TypeTimes, typeTimesOf } from '../nearest/nth-times.ts';
import { isAfter, type Page } from '../rows/pagination.ts';
import { type ArealQuery, type BlockRows, isFull, missingReason } from './block-rows.ts';

/** A page with the n-th nearest POIs of each type. */
interface NthAreaPage {
  readonly query: ArealQuery;
  readonly nthFilter: NthFilter;
  /** Columns of the rows. */
  readonly columns: readonly string[];
  readonly page: Page;
}

/** The rows of a page with the n-th nearest POIs of each type, or with counts of POIs. */
export class NthAreaRows implements BlockRows<readonly TypeTimes[]> {
  readonly #rows: Rows;
  readonly #release: Release;
  readonly #asked: NthAreaPage;
  readonly #leaves: readonly DestTypeId[];
  readonly #waiters: Waiters;
  end: Page['position'] = [];
  hasMore = false;

  constructor(rows: Rows, release: Release, asked: NthAreaPage, waiters: Waiters) {
    this.#rows = rows;
    this.#release = release;
    this.#asked = asked;
    this.#leaves = leavesOf(release, asked.nthFilter);
    this.#waiters = waiters;
  }

  async read(
    county: CountyManifest,
    index: BlockIndex,
    blocks: Uint32Array,
  ): Promise<(readonly TypeTimes[])[]> {
    const { nthFilter } = this.#asked;
    const { matrix, table } = await this.#release.pois(county, this.#waiters);
    const routable = blocks.filter((block) => index.isRoutable(block));
    const rows = (await matrix.encodedRows([...routable])).values();
    const found: (readonly TypeTimes[])[] = [];
    for (const block of blocks) {
      const row = index.isRoutable(block) ? rows.next().value : undefined;
      found.push(row ? await typeTimesOf(row, table, this.#leaves, nthFilter, this.#waiters) : []);
    }
    return found;
  }

  add(
    index: BlockIndex,
    ordinal: CountyBlock,
    byMode: readonly TypeTimes[],
    outline: PolygonGeometry | undefined,
  ): void {
    const { format } = this.#rows;
    const { query, nthFilter, columns, page } = this.#asked;
    const { labels, withMissing, withPopulation } = query;
    const { modes, nths, countTenths } = nthFilter;
    const [afterGeoid, ...after] = page.position;
    const block = index.geoids[ordinal];
    const begin = format.begin(outline);
    for (const [leaf, type] of this.#leaves.entries()) {
      for (const [m, position] of modes.entries()) {
        const mode = this.#release.manifest.modes[position];
        for (const nth of nths ?? [1]) {
          const tenths = byMode[m]?.lists[leaf * MAX_NTH + nth - 1] ?? 0;
          if (tenths === 0 && !withMissing) break;
          const key = [type, modeIdOf(mode), nth];
          if (block === afterGeoid && !isAfter(key, after)) continue;
          if (isFull(this.#rows, page.limit)) {
            this.hasMore = true;
            return;
          }
          const reason = tenths > 0 ? undefined : missingReason(index, ordinal, mode);
          const members = {
            geoid: geoidFromNumber(block),
            dest_type_id: type,
            ...(labels !== null && { dest_type: labels.labelOf(type) }),
            mode_id: modeIdOf(mode),
            mode,
            travel_time: tenths > 0 ? tenths / 10 : null,
            ...(nths !== null && { nth }),
            ...(countTenths !== null && {
              count: reason === 'no-data' ? null : byMode[m].counts[leaf],
            }),
            ...(reason && { reason }),
            ...(withPopulation && { population: index.population(ordinal) }),
          };
          this.#rows.add(begin + format.members(members, columns) + format.end);
          this.end = [block, ...key];
        }
      }
    }
  }
}
