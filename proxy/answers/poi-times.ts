import type { Mode } from '../../shards/modes.ts';
import { modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestId, DestTypeId, Minutes, Tenths } from '../../shards/units.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { canonicalRequest, leavesAskedFor, modeLabels, modePositions } from './block-query.ts';
import type { PoiFilter, PoiTimeRow } from './poi-page.ts';

/** What the routes of POI times take beside their origin. */
export interface PoiTimesQuery {
  readonly mode?: readonly string[] | undefined;
  readonly type?: readonly (string | number)[] | undefined;
  readonly dest_id?: readonly (string | number)[] | undefined;
  readonly max_minutes?: Minutes | undefined;
}

/** That many minutes in whole tenths, no more. */
export function tenthsWithin(minutes: Minutes | undefined): Tenths {
  return Math.floor((minutes ?? 30) * 10 + 1e-9);
}

/** What a page of POI times is asked for, in one spelling, and as a filter of a row. */
export function planPoiTimes(
  release: Release,
  cursors: CursorSealer,
  route: string,
  origin: object,
  { cursor, limit, ...query }: PoiTimesQuery & { cursor?: string | undefined; limit: number },
): { canonical: string; bound: string; filter: PoiFilter } {
  const types = leavesAskedFor(release, query.type as DestTypeId[] | undefined);
  const modes = modePositions(release, query.mode as Mode[] | undefined);
  const maxTenths = tenthsWithin(query.max_minutes);
  const asked = {
    ...{ ...origin, mode: modeLabels(release, modes), type: types, dest_id: query.dest_id },
    max_tenths: maxTenths,
  };
  const bound = canonicalRequest(route, asked);
  const after = cursor === undefined ? [0, -1] : cursors.open(bound, cursor, 2);
  return {
    // The answer carries a cursor, so who seals it is part of its bytes.
    canonical: canonicalRequest(route, { ...asked, limit, after, sealer: cursors.sealer }),
    bound,
    filter: {
      modes,
      types: types && new Set(types),
      destIds: query.dest_id && new Set(query.dest_id as DestId[]),
      maxTenths,
      afterModeId: after[0],
      afterDestId: after[1],
    },
  };
}

/** The cursor after a page, if there is more. */
export function cursorAfter(
  cursors: CursorSealer,
  bound: string,
  results: readonly PoiTimeRow[],
  more: boolean,
): string | null {
  const last = results.at(-1);
  return more && last ? cursors.seal(bound, [modeIdOf(last.mode), last.dest_id]) : null;
}
