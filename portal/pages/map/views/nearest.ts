import { mapTitle } from '../catalogue.ts';
import { nearestSwatches } from '../panels/legend-swatches.ts';
import { NearestPanel } from '../panels/nearest-panel.tsx';
import type { MapView } from './map-view.ts';

/** Minutes to the nearest POI of a type. */
export const nearestView: MapView = {
  name: 'Nearest',
  sides: 0,
  title: (_, { mode, type }) => mapTitle(mode, type.name),
  legend: (_, __, baseMap, scheme) => nearestSwatches(baseMap, scheme),
  modes: ({ mode }) => [mode],
  shown: (_, { mode, bandsUrl }) => ({ of: 'bands', bandsUrl, modes: [mode] }),
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
