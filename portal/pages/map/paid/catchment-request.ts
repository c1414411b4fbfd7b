import { PLANS } from '../../../../proxy/plans.ts';
import type { DataOf, Mode } from '../../../client/src/index.ts';
import { type Reach, reachOf } from '../measures/reach.ts';
import type { PaidRequest } from './paid-request.ts';
import type { PaidRequests } from './use-paid-requests.ts';

type CatchmentPage = DataOf<'listPoiCatchment'>;

/** Maximum number of rows per page. */
export const PAGE_ROWS = 1000;

/** The pages of a catchment, each of which is paid for separately. */
export interface Catchment {
  /** All blocks of the loaded pages; null if none is loaded. */
  readonly reach: Reach | null;
  /** The loaded pages, and the next; a catchment of few blocks has one page. */
  readonly pages: readonly PaidRequest<CatchmentPage>[];
  /** The POI, named as in the rows; null without rows. */
  readonly poi: { readonly dest_id: number; readonly name: string } | null;
}

/**
 * Returns the catchment of a POI by a mode, the blocks within 30 minutes, as far as it is loaded.
 */
export function catchmentOf(requests: PaidRequests, poi: number, mode: Mode): Catchment {
  const pages: PaidRequest<CatchmentPage>[] = [];
  const rows: CatchmentPage['results'][number][] = [];
  let isLoaded = false;
  for (let cursor: string | undefined; ; ) {
    const page = pageOf(poi, mode, pages.length, cursor);
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
  mode: Mode,
  number: number,
  cursor: string | undefined,
): PaidRequest<CatchmentPage> {
  const query = { dest_id: poi, mode: [mode], names: true, limit: PAGE_ROWS, cursor };
  return {
    name: `catchment ${poi} ${mode} ${number}`,
    price: PAGE_ROWS * PLANS.charges.row,
    run: (client, pay, signal) => pay(client.listPoiCatchment(query, { signal })),
  };
}
