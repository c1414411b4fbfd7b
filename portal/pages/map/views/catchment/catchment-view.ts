import { PLANS } from '../../../../../proxy/plans.ts';
import type { DataOf } from '../../../../client/src/index.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import {
  CATCHMENT_CLASS_MINUTES,
  minutesTo,
  type Reach,
  reachClasses,
  reachOf,
} from '../../measures/reach.ts';
import { type PaidRequest, paidCall, resultOf } from '../../paid/paid-request.ts';
import { reachSwatches } from '../../panels/legend.tsx';
import { catchmentTitle, reachTitle } from '../../panels/words.tsx';
import type { Choice } from '../../state/choice.ts';
import { kept, type MapView, mapRequest, type Viewed } from '../map-view.ts';

export const catchmentView: MapView = {
  name: 'Catchment',
  sides: 0,
  title: ({ choice, poiName }) =>
    poiName === null
      ? catchmentTitle(choice.mode, choice.minutes)
      : `${reachTitle(choice.mode, 'to', choice.minutes)}: ${poiName}`,
  legend: ({ scheme, choice }) => reachSwatches(scheme, choice.minutes, CATCHMENT_CLASS_MINUTES),
  modes: ({ mode }) => [mode],
  shown(viewed) {
    const { catalogue, choice } = viewed;
    const catchment = catchmentIn(viewed);
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
  minutesOf(viewed, geoid) {
    const reach = catchmentIn(viewed)?.reach;
    const minutes = reach && minutesTo(reach, geoid);
    return typeof minutes === 'number' ? `${minutes.toFixed(1)} min` : null;
  },
  Panel: onRequest('the view', async () => (await import('./catchment-panel.tsx')).CatchmentPanel),
  requests({ state: { poi }, choice: { mode, times } }) {
    if (poi === null) return [];
    const query = { mode: [mode], limit: PAGE_ROWS, ...times };
    return [mapRequest('Catchment', 'listPoiCatchment', { dest_id: poi, ...query })];
  },
};

/** The pages of a catchment, each of which is paid for separately. */
export interface Catchment {
  /** All blocks of the loaded pages; null if none is loaded. */
  readonly reach: Reach | null;
  /** The loaded pages, and the next; a catchment of few blocks has one page. */
  readonly pages: readonly PaidRequest<CatchmentPage>[];
  /** The POI, named as in the rows; null without rows. */
  readonly poi: { readonly dest_id: number; readonly name: string } | null;
}

type CatchmentPage = DataOf<'listPoiCatchment'>;

/** Maximum number of rows per page. */
const PAGE_ROWS = 1000;

/** The catchment of the chosen POI, as far as it is loaded; null without a POI. */
export const catchmentIn = kept(
  ({ requests, state, choice }: Pick<Viewed, 'requests' | 'state' | 'choice'>) => [
    requests,
    state.poi,
    choice.service,
  ],
  ({ requests, state: { poi }, choice }): Catchment | null => {
    if (poi === null) return null;
    const pages: PaidRequest<CatchmentPage>[] = [];
    const loaded: CatchmentPage[] = [];
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page = pageOf(poi, choice, cursor);
      pages.push(page);
      const value = resultOf(requests, page);
      if (value === null) break;
      loaded.push(value);
      cursor = value.next_cursor;
    }
    const rows = loaded.flatMap(({ results }) => results);
    const blocks = rows.map(({ geoid, travel_time }) => ({ geoid, minutes: travel_time }));
    const name = rows[0]?.name;
    return {
      reach: loaded.length > 0 ? reachOf(blocks) : null,
      pages,
      poi: name === undefined ? null : { dest_id: poi, name },
    };
  },
);

function pageOf(poi: number, { mode, times }: Choice, cursor?: string) {
  const query = { dest_id: poi, mode: [mode], ...times, names: true, limit: PAGE_ROWS, cursor };
  return paidCall('listPoiCatchment', query, PAGE_ROWS * PLANS.charges.row);
}
