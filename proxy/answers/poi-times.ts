import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestId, DestTypeId, Minutes, Tenths } from '../../shards/units.ts';
import { BOUNDS } from '../bounds.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { Rows } from '../formats/rows.ts';
import type { Making } from '../services.ts';
import type { LocatedBlock } from './located-block.ts';
import { leavesAskedFor, modeLabels, modePositions } from './modes-and-types.ts';
import { nextCursor, type PagedRequest, pagedRequest } from './paged-request.ts';
import { type PoiFilter, poisOf } from './poi-page.ts';
import { ROW_BEGINS } from './row-page.ts';
import { besideUnrouted, unroutedModes } from './unrouted.ts';

/** What the routes of POI times take beside their origin. */
export interface PoiTimesQuery {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly DestTypeId[] | undefined;
  readonly dest_id?: readonly DestId[] | undefined;
  readonly max_minutes?: Minutes | undefined;
}

/** That many minutes in whole tenths, no more. */
export function tenthsWithin(minutes: Minutes | undefined): Tenths {
  return Math.floor((minutes ?? BOUNDS.maxMinutes.max) * 10 + 1e-9);
}

/** The rows that a request asks for, and how a canonical request spells them. */
export function askedPois(
  release: Release,
  query: PoiTimesQuery,
  part: 'query' | 'body' = 'query',
): { filter: PoiFilter; spelled: Readonly<Record<string, unknown>> } {
  const types = leavesAskedFor(release, query.type, part);
  const modes = modePositions(release, query.mode, part);
  const { dest_id } = query;
  const maxTenths = tenthsWithin(query.max_minutes);
  return {
    filter: {
      modes,
      types: types && new Set(types),
      destIds: dest_id && new Set(dest_id),
      maxTenths,
    },
    spelled: { mode: modeLabels(release, modes), type: types, dest_id, max_tenths: maxTenths },
  };
}

/** A page of POI times, but for its block. */
export interface PoiTimesPlan extends PagedRequest {
  readonly filter: PoiFilter;
}

/** `origin`: what says which block it is. */
export function planPoiTimes(
  release: Release,
  cursors: CursorSealer,
  route: string,
  origin: object,
  { cursor, limit, ...query }: PoiTimesQuery & { cursor?: string | undefined; limit: number },
): PoiTimesPlan {
  const { filter, spelled } = askedPois(release, query);
  const asked = { ...origin, ...spelled };
  return { ...pagedRequest(cursors, route, asked, { limit, cursor }, ROW_BEGINS), filter };
}

/** A page of a block's POI times. `beside`: what the answer says before the rows. */
export async function answerPoiTimes(
  { cursors, askers, format }: Making,
  { filter, page }: PoiTimesPlan,
  block: LocatedBlock,
  beside: object,
): Promise<Answer> {
  const found = await poisOf(block, filter, page, askers);
  const results = new Rows(format);
  await found.addTo(results, askers);
  const next_cursor = nextCursor(cursors, page, found.end);
  const unrouted = besideUnrouted(unroutedModes(block, filter.modes));
  return rowsAnswer({ ...beside, results, next_cursor, ...unrouted }, found.count);
}
