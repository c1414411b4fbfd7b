import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import type { Mode } from '../../../shards/modes.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Bytes, CountyBlock } from '../../../shards/units.ts';
import type { Rows } from '../../formats/rows.ts';
import type { SummaryFilter } from '../nearest/summary.ts';
import { unroutedReason } from '../origins/unrouted.ts';
import type { Page } from '../rows/pagination.ts';

/** Row filter for the blocks of an area. */
export interface ArealQuery extends SummaryFilter {
  readonly withPopulation: boolean;
  /** Whether pairs of type and mode without a time also get a row, with the reason. */
  readonly withMissing: boolean;
}

/** The rows of a page, added block by block. */
export interface BlockRows<Times> {
  /** Reads the times of `blocks` of a county, which are sorted ascending. */
  read(county: CountyManifest, index: BlockIndex, blocks: Uint32Array): Promise<readonly Times[]>;
  /** Adds the rows of a block, as far as there is room. */
  add(
    index: BlockIndex,
    ordinal: CountyBlock,
    times: Times,
    outline: PolygonGeometry | undefined,
  ): void;
  /** Position of the last row. */
  readonly end: Page['position'];
  /** Whether a row did not fit the page. */
  readonly hasMore: boolean;
}

/** Size at which a page ends, since outlines of remote blocks have thousands of vertices. */
const PAGE_BYTES: Bytes = 4 << 20;

/** Whether a page has no room for another row. */
export function isFull(rows: Rows, limit: number): boolean {
  return rows.count === limit || rows.bytes > PAGE_BYTES;
}

/** Reasons why there is no time: too far, or unknown. */
export const MISSING_REASONS = ['not-within-30', 'no-data'] as const;
export type MissingReason = (typeof MISSING_REASONS)[number];

/** Returns the reason why a block has no time by a mode. */
export function missingReason(index: BlockIndex, ordinal: CountyBlock, mode: Mode): MissingReason {
  if (index.isFullyRoutable(ordinal)) return 'not-within-30';
  return unroutedReason(index, ordinal, mode) === null ? 'not-within-30' : 'no-data';
}
