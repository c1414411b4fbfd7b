import { classWords } from '../../blocks/block-bands.ts';
import { mapTitle } from '../../catalogue/catalogue.ts';
import { nearestSwatches } from '../../panels/legend-swatches.ts';
import type { MapView } from '../map-view.ts';
import { NearestPanel, sentenceOf } from './nearest-panel.tsx';

/** Minutes to the nearest POI of a type. */
export const nearestView: MapView = {
  name: 'Nearest',
  sides: 0,
  title: ({ choice: { mode, type } }) => mapTitle(mode, type.name),
  summary: ({ blocks }) => (blocks.state === 'here' ? sentenceOf(blocks) : null),
  legend: ({ catalogue, scheme }) => nearestSwatches(catalogue.baseMap, scheme),
  modes: ({ mode }) => [mode],
  shown: ({ choice: { mode, bandsUrl } }) => ({ of: 'bands', bandsUrl, modes: [mode] }),
  minutesOf({ state, choice: { mode, type }, blocks, profile }, geoid) {
    const exact =
      Number(state.block) === geoid &&
      profile?.rows.find((row) => row.mode === mode && row.dest_type_id === type.id);
    if (exact) return `${exact.travel_time.toFixed(1)} min`;
    if (blocks.state !== 'here') return null;
    const { geoids, classes } = blocks.view.coloured;
    const at = geoids.indexOf(geoid);
    return at === -1 ? null : classWords(classes[at]);
  },
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
