import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import { MODES, type ModeId, modeIdOf } from '../../../shards/modes.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock, ReleaseMode } from '../../../shards/units.ts';
import { type ByteText, inOnePiece } from '../../formats/byte-text.ts';
import { perFormat } from '../../formats/row-format.ts';
import type { Rows } from '../../formats/rows.ts';
import { GeoidFragment, type TypeText, textsOfTimes, typeTexts } from '../rows/fragments.ts';
import type { Page } from '../rows/pagination.ts';
import {
  type ArealQuery,
  type BlockRows,
  isFull,
  type MissingReason,
  missingReason,
} from './block-rows.ts';

/** The rows of a page with the nearest POI of each type. */
export class NearestAreaRows implements BlockRows<Uint16Array> {
  readonly #rows: Rows;
  readonly #release: Release;
  readonly #query: ArealQuery;
  readonly #after: Page['position'];
  readonly #limit: number;
  readonly #modeIds: readonly ModeId[];
  readonly #geoidText: GeoidFragment;
  readonly #typeText: TypeText;
  readonly #texts: ArealTexts;
  end: Page['position'] = [];
  hasMore = false;

  constructor(rows: Rows, release: Release, query: ArealQuery, { position, limit }: Page) {
    this.#rows = rows;
    this.#release = release;
    this.#query = query;
    this.#after = position;
    this.#limit = limit;
    this.#modeIds = release.manifest.modes.map(modeIdOf);
    this.#geoidText = new GeoidFragment(rows.format);
    this.#typeText = typeTexts(rows.format, query.labels);
    const columns = arealTexts(rows.format)[query.withMissing ? 'missing' : 'reached'];
    this.#texts = columns[query.withPopulation ? 'middle' : 'last'];
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
    const { format } = this.#rows;
    const { leafIds } = this.#release.taxonomy;
    const { modes, types, withPopulation, withMissing } = this.#query;
    const [afterGeoid, afterType, afterMode] = this.#after;
    const block = index.geoids[ordinal];
    const before = this.#rows.count;
    let lastType = 0;
    let lastMode = 0;
    const begin = `${format.begin(outline)}${this.#geoidText.of(block)},`;
    const population = { population: index.population(ordinal) };
    const end = withPopulation ? `,${format.members(population, ['population'])}${format.end}` : '';
    rows: for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const type = leafIds[leaf];
      if (types?.has(type) === false || (block === afterGeoid && type < afterType)) continue;
      const typeBegin = begin + this.#typeText(type);
      for (const mode of modes) {
        const tenths = times[mode * leafIds.length + leaf];
        if (tenths === 0 && !withMissing) continue;
        const modeId = this.#modeIds[mode];
        if (block === afterGeoid && type === afterType && modeId <= afterMode) continue;
        if (isFull(this.#rows, this.#limit)) {
          this.hasMore = true;
          break rows;
        }
        const { reached, missing } = this.#texts[modeId];
        const time = tenths > 0 ? reached[tenths] : missing[this.#reason(index, ordinal, mode)];
        this.#rows.add(typeBegin + time + end);
        lastType = type;
        lastMode = modeId;
      }
    }
    if (this.#rows.count > before) this.end = [block, lastType, lastMode];
  }

  #reason(index: BlockIndex, ordinal: CountyBlock, mode: ReleaseMode): MissingReason {
    return missingReason(index, ordinal, this.#release.manifest.modes[mode]);
  }
}

/** Members `mode_id`, `mode`, `travel_time` and `reason` of rows, by mode. */
type ArealTexts = Readonly<
  Record<
    ModeId,
    {
      /** Texts by tenths of a minute. */
      readonly reached: readonly ByteText[];
      readonly missing: Readonly<Record<MissingReason, ByteText>>;
    }
  >
>;

/**
 * Texts with and without the column of reasons, each for the middle of a row and, with the row
 * terminator, for its end.
 */
const arealTexts = perFormat((format) => {
  const texts = (columns: readonly string[], end: ByteText) =>
    Object.fromEntries(
      MODES.map(({ modeId: mode_id, mode }) => {
        const text = (members: object) =>
          inOnePiece(format.members({ mode_id, mode, ...members }, columns) + end);
        const missing = (reason: MissingReason) => text({ travel_time: null, reason });
        return [
          mode_id,
          {
            reached: textsOfTimes((travel_time) => text({ travel_time })),
            missing: { 'not-within-30': missing('not-within-30'), 'no-data': missing('no-data') },
          },
        ];
      }),
    ) as ArealTexts;
  const placed = (columns: readonly string[]) => ({
    middle: texts(columns, ''),
    last: texts(columns, format.end),
  });
  return {
    reached: placed(['mode_id', 'mode', 'travel_time']),
    missing: placed(['mode_id', 'mode', 'travel_time', 'reason']),
  };
});
