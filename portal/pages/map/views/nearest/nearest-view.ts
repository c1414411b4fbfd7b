import { BEYOND } from '../../../../../shards/bands/time-bands.ts';
import { type AreaBlocks, bodyOf } from '../../blocks/area-blocks.ts';
import { type Catalogue, type MapType, mapTitle } from '../../catalogue/catalogue.ts';
import { timingOf } from '../../catalogue/windows.ts';
import type { Shown } from '../../drawing/paint.ts';
import { nearestSwatches } from '../../panels/legend-swatches.ts';
import { summaryOf } from '../../panels/people-sentences.tsx';
import type { Choice } from '../../state/choice.ts';
import { bandWords, type Loaded, type MapRequest, type MapView, mapRequest } from '../map-view.ts';
import { NearestPanel, sayNear } from './nearest-panel.tsx';

export const nearestView: MapView = {
  name: 'Nearest',
  sides: 0,
  title: ({ choice: { mode, type } }) => mapTitle(mode, type.name),
  summary: ({ blocks, area, choice: { type } }) => summaryOf(blocks, area, sayNear(type.name)),
  legend: ({ catalogue, scheme }) => nearestSwatches(catalogue.baseMap, scheme),
  modes: ({ mode }) => [mode],
  shown: ({ catalogue, choice, blocks }) => shownNearest(catalogue, choice, choice.type, blocks),
  minutesOf({ state, choice: { mode, type }, blocks, profile }, geoid) {
    const exact =
      Number(state.block) === geoid
        ? (profile?.rows ?? []).filter(
            (row) => row.mode === mode && type.leaves.includes(row.dest_type_id),
          )
        : [];
    if (exact.length > 0) {
      return `${Math.min(...exact.map((row) => row.travel_time)).toFixed(1)} min`;
    }
    return bandWords(blocks, geoid);
  },
  Panel: NearestPanel,
  requests({ state: { block: geoid }, choice, area }) {
    const { mode, timing, type } = choice;
    const ofArea = area.value ? [coverageRequest(area.value, choice)] : [];
    const query = { mode: [mode], type: [type.id], ...timingOf([mode], timing) };
    if (geoid === null) return ofArea;
    const summary = { geoid, ...query };
    return [...ofArea, mapRequest('Minutes from the selected block', 'getBlockSummary', summary)];
  },
};

/** The blocks by minutes to the nearest POI of a type, or of any of its leaves. */
export function shownNearest(
  catalogue: Catalogue,
  { mode, service }: Pick<Choice, 'mode' | 'service'>,
  { id, leaves }: MapType,
  blocks: Loaded['blocks'],
): Shown {
  const over = { modes: [mode], pois: catalogue.poisOf(leaves, [mode]) };
  const bandsUrl = leaves.length === 1 ? catalogue.bandsUrl(service, leaves[0]) : undefined;
  if (bandsUrl !== undefined) return { of: 'bands', bandsUrl, ...over };
  const view = blocks.value;
  return {
    of: 'classes',
    name: `nearest ${service} ${id}`,
    blocks: view && {
      geoids: view.blocks.geoids,
      classes: view.of.map((band) => (band === BEYOND ? 0 : band)),
    },
    ...over,
  };
}

function coverageRequest(area: AreaBlocks, { mode, timing, type }: Choice): MapRequest {
  const of = { mode: [mode], type: [type.id], ...timingOf([mode], timing) };
  const body = { area: bodyOf(area), ...of };
  return mapRequest(`People of ${area.name} by minutes`, 'measureCoverage', body);
}
