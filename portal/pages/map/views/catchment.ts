import { CATCHMENT_CLASS_MINUTES, reachClasses } from '../measures/reach.ts';
import { PAGE_ROWS } from '../paid/catchment-request.ts';
import { CatchmentPanel } from '../panels/catchment-panel.tsx';
import { catchmentSwatches } from '../panels/legend-swatches.ts';
import { reachTitle } from '../panels/names.ts';
import { minutesOf } from '../state/map-state.ts';
import type { MapView } from './map-view.ts';

/** Blocks that reach a POI. */
export const catchmentView: MapView = {
  name: 'Catchment',
  sides: 0,
  title: (state, { mode }, poiName) =>
    `${reachTitle(mode, 'to', minutesOf(state))}: ${poiName ?? 'no POI chosen'}`,
  legend: (_, __, ___, scheme) => catchmentSwatches(scheme),
  modes: ({ mode }) => [mode],
  shown(state, { mode }, { catchment }) {
    const reach = catchment?.reach ?? null;
    return {
      of: 'classes',
      name: `catchment ${catchment?.pages.at(-1)?.name}`,
      modes: [mode],
      palette: 'classes',
      blocks: reach && {
        geoids: reach.geoids,
        classes: reachClasses(reach.minutes, minutesOf(state), CATCHMENT_CLASS_MINUTES),
      },
    };
  },
  Panel: CatchmentPanel,
  requests({ state: { poi }, choice: { mode } }) {
    if (poi === null) return [];
    return [
      {
        name: 'Catchment',
        path: `/v1/pois/${poi}/catchment?mode=${mode}&limit=${PAGE_ROWS}`,
        operation: 'listPoiCatchment',
        parameters: { dest_id: poi, mode: [mode], limit: PAGE_ROWS },
        rows: 'results',
      },
    ];
  },
};
