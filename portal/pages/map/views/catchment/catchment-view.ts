import { PLANS } from '../../../../../proxy/plans.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { CATCHMENT_CLASS_MINUTES, minutesTo, reachClasses, reachOf } from '../../measures/reach.ts';
import { type PaidRequest, paidCall } from '../../paid/paid-request.ts';
import type { PaidRequests } from '../../paid/use-paid-requests.ts';
import { reachSwatches } from '../../panels/legend.tsx';
import { catchmentTitle, reachTitle } from '../../panels/words.tsx';
import type { Choice } from '../../state/choice.ts';
import { type Catchment, type CatchmentPage, type MapView, mapRequest } from '../map-view.ts';

export const catchmentView: MapView = {
  name: 'Catchment',
  sides: 0,
  title: ({ choice, poiName }) =>
    poiName === null
      ? catchmentTitle(choice.mode, choice.minutes)
      : `${reachTitle(choice.mode, 'to', choice.minutes)}: ${poiName}`,
  legend: ({ scheme, choice }) => reachSwatches(scheme, choice.minutes, CATCHMENT_CLASS_MINUTES),
  modes: ({ mode }) => [mode],
  shown({ catalogue, choice, catchment }) {
    const reach = catchment?.reach ?? null;
    return {
      of: 'classes',
      name: `catchment ${catchment?.pages.at(-1)?.name}`,
      modes: [choice.mode],
      pois: catalogue.poisOf(choice.type.leaves, [choice.mode]),
      blocks: reach && {
        geoids: reach.geoids,
        classes: reachClasses(reach.minutes, choice.minutes, CATCHMENT_CLASS_MINUTES),
      },
    };
  },
  minutesOf({ catchment }, geoid) {
    const minutes = catchment?.reach && minutesTo(catchment.reach, geoid);
    return typeof minutes === 'number' ? `${minutes.toFixed(1)} min` : null;
  },
  Panel: onRequest('the view', async () => (await import('./catchment-panel.tsx')).CatchmentPanel),
  requests({ state: { poi }, choice: { mode, times } }) {
    if (poi === null) return [];
    const query = { mode: [mode], limit: PAGE_ROWS, ...times };
    return [mapRequest('Catchment', 'listPoiCatchment', { dest_id: poi, ...query })];
  },
};

type Service = Pick<Choice, 'mode' | 'times'>;

/** Maximum number of rows per page. */
const PAGE_ROWS = 1000;

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
  { mode, times }: Service,
  cursor?: string,
): PaidRequest<CatchmentPage> {
  const query = { dest_id: poi, mode: [mode], ...times, names: true, limit: PAGE_ROWS, cursor };
  return paidCall('listPoiCatchment', query, PAGE_ROWS * PLANS.charges.row);
}
