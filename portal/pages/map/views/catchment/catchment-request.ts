import { PLANS } from '../../../../../proxy/plans.ts';
import type { Mode } from '../../../../client/src/index.ts';
import { reachOf } from '../../measures/reach.ts';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import type { PaidRequests } from '../../paid/use-paid-requests.ts';
import type { Catchment, CatchmentPage } from '../map-view.ts';

/** Maximum number of rows per page. */
export const PAGE_ROWS = 1000;

/**
 * Returns the catchment of a POI by a mode, the blocks within 30 minutes, as far as it is loaded.
 */
export function catchmentOf(requests: PaidRequests, poi: number, mode: Mode): Catchment {
  const pages: PaidRequest<CatchmentPage>[] = [];
  const rows: CatchmentPage['results'][number][] = [];
  let isLoaded = false;
  for (let cursor: string | undefined; ; ) {
    const page = pageOf(poi, mode, cursor);
    pages.push(page);
    const outcome = requests.outcomeOf<CatchmentPage>(page.name);
    if (outcome.state !== 'done') break;
    isLoaded = true;
    rows.push(...outcome.value.results);
    if (outcome.value.next_cursor === null) break;
    cursor = outcome.value.next_cursor;
  }
  const blocks = rows.map(({ geoid, travel_time }) => ({ geoid, minutes: travel_time }));
  const name = rows[0]?.name;
  return {
    reach: isLoaded ? reachOf(blocks) : null,
    pages,
    poi: name === undefined ? null : { dest_id: poi, name },
  };
}

function pageOf(poi: number, mode: Mode, cursor?: string): PaidRequest<CatchmentPage> {
  const query = { dest_id: poi, mode: [mode], names: true, limit: PAGE_ROWS, cursor };
  return paidCall('listPoiCatchment', query, PAGE_ROWS * PLANS.charges.row);
}
