import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import { type ModeId, modeIdOf } from '../../../shards/modes.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock, ReleaseMode } from '../../../shards/units.ts';
import type { Rows } from '../../formats/rows.ts';
import type { Page } from '../rows/pagination.ts';
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

/** The rows of a page with the nearest POI of each type. */
export class NearestAreaRows implements BlockRows<Uint16Array> {
  readonly #rows: Rows;
  readonly #release: Release;
  readonly #query: ArealQuery;
  readonly #after: Page['position'];
  readonly #limit: number;
  readonly #modeIds: readonly ModeId[];
  /** By mode of the release. */
  readonly #timeKeys: readonly number[];
  readonly #addRow: AddArealRow;
  end: Page['position'] = [];
  hasMore = false;

  constructor(rows: Rows, release: Release, query: ArealQuery, { position, limit }: Page) {
    this.#rows = rows;
    this.#release = release;
    this.#query = query;
    this.#after = position;
    this.#limit = limit;
    this.#modeIds = release.services.map(({ mode }) => modeIdOf(mode));
    this.#timeKeys = release.services.map(({ mode }) => timeKey(mode));
    this.#addRow = rows.of(...arealParts(query, null));
  }

  read(county: CountyManifest, _index: BlockIndex, blocks: Uint32Array): Promise<Uint16Array[]> {
    return this.#release.nearestRows(county, blocks);
  }

  add(
    index: BlockIndex,
    ordinal: CountyBlock,
    times: Uint16Array,
    outline: PolygonGeometry | undefined,
  ): void {
    const { leafIds } = this.#release.taxonomy;
    const { modes, types, withMissing } = this.#query;
    const [afterGeoid, afterType, afterMode] = this.#after;
    const block = index.geoids[ordinal];
    const before = this.#rows.count;
    let lastType = 0;
    let lastMode = 0;
    const population = index.population(ordinal);
    rows: for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const type = leafIds[leaf];
      if (types?.has(type) === false || (block === afterGeoid && type < afterType)) continue;
      for (const mode of modes) {
        const tenths = times[mode * leafIds.length + leaf];
        if (tenths === 0 && !withMissing) continue;
        const modeId = this.#modeIds[mode];
        if (block === afterGeoid && type === afterType && modeId <= afterMode) continue;
        if (isFull(this.#rows, this.#limit)) {
          this.hasMore = true;
          break rows;
        }
        const reason = tenths > 0 ? NO_REASON : this.#reasonKey(index, ordinal, mode);
        const time = this.#timeKeys[mode] + tenths;
        this.#addRow(outline, block, type, time, undefined, undefined, reason, population);
        lastType = type;
        lastMode = modeId;
      }
    }
    if (this.#rows.count > before) this.end = [block, lastType, lastMode];
  }

  #reasonKey(index: BlockIndex, ordinal: CountyBlock, mode: ReleaseMode): number {
    return reasonKey(missingReason(index, ordinal, this.#release.services[mode].mode));
  }
}
