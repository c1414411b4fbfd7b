import { mapTitle } from '../../catalogue/catalogue.ts';
import { nearestSwatches } from '../../panels/legend-swatches.ts';
import type { MapView } from '../map-view.ts';
import { NearestPanel } from './nearest-panel.tsx';

/** Minutes to the nearest POI of a type. */
export const nearestView: MapView = {
  name: 'Nearest',
  sides: 0,
  title: ({ choice: { mode, type } }) => mapTitle(mode, type.name),
  legend: ({ catalogue, scheme }) => nearestSwatches(catalogue.baseMap, scheme),
  modes: ({ mode }) => [mode],
  shown: ({ choice: { mode, bandsUrl } }) => ({ of: 'bands', bandsUrl, modes: [mode] }),
  Panel: NearestPanel,
  requests({ state: { block: geoid }, choice: { mode, type } }) {
    if (geoid === null) return [];
    return [
      {
        name: 'Minutes from the selected block',
        path: `/v1/blocks/${geoid}/summary?mode=${mode}&type=${type.id}`,
        operation: 'getBlockSummary',
        parameters: { geoid, mode: [mode], type: [type.id] },
        rows: 'results',
      },
    ];
  },
};
