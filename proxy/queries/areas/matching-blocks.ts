import { ordinalIn, rankIn } from '../../../shards/arrays/sorted.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock } from '../../../shards/units.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { allColumns } from '../../formats/columns.ts';
import type { QueryContext } from '../../services.ts';
import { blocksNear, type LocatedNearPoint } from '../origins/near-points.ts';
import { nextCursor, type Page } from '../rows/pagination.ts';
import { GEOID, rowSchema } from '../rows/row-columns.ts';
import { type Criterion, criteriaBits } from './basket.ts';
import { BLOCK_POPULATION } from './block-rows.ts';
import type { CountyBlocks } from './drawn-blocks.ts';

interface MatchQuery {
  readonly parts: readonly CountyBlocks[];
  readonly criteria: readonly Criterion[];
  readonly near: readonly LocatedNearPoint[];
}

export const matchedBlock = rowSchema(GEOID, BLOCK_POPULATION).meta({ id: 'MatchedBlock' });

/**
 * Renders the page of blocks that meet all conditions, ordered by GEOID. The position of a page is
 * its last GEOID. A page ends with the first row that `balance` cannot pay for, so that a refusal
 * takes no further work.
 */
export async function queryMatches(
  release: Release,
  { cursors, format }: QueryContext,
  { parts, criteria, near }: MatchQuery,
  page: Page,
  balance: number,
): Promise<QueryResult> {
  const limit = Math.min(page.limit, balance + 1);
  const [after] = page.position;
  const results = format.rows(allColumns([GEOID, BLOCK_POPULATION]));
  const add = results.of(GEOID, BLOCK_POPULATION);
  const all = (1 << criteria.length) - 1;
  const nearby = await blocksNear(release, near);
  let last = after;
  let hasMore = false;
  search: for (const part of parts) {
    const open = blocksAfter(part, after);
    if (open.length === 0) continue;
    const { met } = await criteriaBits(release, part, criteria);
    for (const ordinal of open) {
      const geoid = part.index.geoids[ordinal];
      if (met[ordinal] !== all || (nearby && ordinalIn(nearby, geoid) === -1)) continue;
      hasMore = results.count === limit;
      if (hasMore) break search;
      add(geoid, part.index.population(ordinal));
      last = geoid;
    }
  }
  const next_cursor = nextCursor(cursors, page, hasMore ? [last] : null);
  return rowsResponse({ results, next_cursor }, results.count);
}

function blocksAfter({ index, ordinals }: CountyBlocks, geoid: number): Uint32Array {
  const first: CountyBlock = rankIn(index.geoids, geoid + 1);
  return ordinals.subarray(rankIn(ordinals, first));
}
