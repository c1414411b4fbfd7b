import { onRequest } from '../../../parts/failed-script.tsx';
import { timingOf } from '../../catalogue/windows.ts';
import { CATCHMENT_CLASS_MINUTES, minutesTo, reachClasses } from '../../measures/reach.ts';
import { catchmentSwatches } from '../../panels/legend-swatches.ts';
import { catchmentTitle, reachTitle } from '../../panels/words.tsx';
import { minutesOf } from '../../state/map-state.ts';
import type { MapView } from '../map-view.ts';
import { PAGE_ROWS } from './catchment-request.ts';

export const catchmentView: MapView = {
  name: 'Catchment',
  sides: 0,
  title: ({ state, choice, poiName }) =>
    poiName === null
      ? catchmentTitle(choice.mode, minutesOf(state))
      : `${reachTitle(choice.mode, 'to', minutesOf(state))}: ${poiName}`,
  legend: ({ scheme }) => catchmentSwatches(scheme),
  modes: ({ mode }) => [mode],
  shown({ catalogue, state, choice, catchment }) {
    const reach = catchment?.reach ?? null;
    return {
      of: 'classes',
      name: `catchment ${catchment?.pages.at(-1)?.name}`,
      modes: [choice.mode],
      pois: catalogue.poisOf(choice.type.leaves, [choice.mode]),
      blocks: reach && {
        geoids: reach.geoids,
        classes: reachClasses(reach.minutes, minutesOf(state), CATCHMENT_CLASS_MINUTES),
      },
    };
  },
  minutesOf({ catchment }, geoid) {
    const minutes = catchment?.reach && minutesTo(catchment.reach, geoid);
    return typeof minutes === 'number' ? `${minutes.toFixed(1)} min` : null;
  },
  Panel: onRequest('the view', async () => (await import('./catchment-panel.tsx')).CatchmentPanel),
  requests({ state: { poi }, choice: { mode, timing } }) {
    if (poi === null) return [];
    const query = { mode: [mode], limit: PAGE_ROWS, ...timingOf([mode], timing) };
    return [
      {
        name: 'Catchment',
        operation: 'listPoiCatchment',
        parameters: { dest_id: poi, ...query },
        rows: 'results',
      },
    ];
  },
};
