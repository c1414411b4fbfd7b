import { PLANS } from '../../../../../proxy/plans.ts';
import { timingOf } from '../../catalogue/windows.ts';
import { reachOf } from '../../measures/reach.ts';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import type { PaidRequests } from '../../paid/use-paid-requests.ts';
import type { Choice } from '../../state/choice.ts';
import type { Catchment, CatchmentPage } from '../map-view.ts';

type Service = Pick<Choice, 'mode' | 'timing'>;

/** Maximum number of rows per page. */
export const PAGE_ROWS = 1000;

/**
 * Returns the catchment of a POI by a mode, the blocks within 30 minutes, as far as it is loaded.
 */
export function catchmentOf(requests: PaidRequests, poi: number, by: Service): Catchment {
  const pages: PaidRequest<CatchmentPage>[] = [];
  const rows: CatchmentPage['results'][number][] = [];
  let isLoaded = false;
  for (let cursor: string | undefined; ; ) {
    const page = pageOf(poi, by, cursor);
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

function pageOf(
  poi: number,
  { mode, timing }: Service,
  cursor?: string,
): PaidRequest<CatchmentPage> {
  const times = { mode: [mode], ...timingOf([mode], timing) };
  const query = { dest_id: poi, ...times, names: true, limit: PAGE_ROWS, cursor };
  return paidCall('listPoiCatchment', query, PAGE_ROWS * PLANS.charges.row);
}
