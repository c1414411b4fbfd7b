import { BEYOND } from '../../../../../shards/bands/time-bands.ts';
import { type AreaBlocks, bodyOf } from '../../blocks/area-blocks.ts';
import { type Catalogue, type MapType, mapTitle } from '../../catalogue/catalogue.ts';
import { timingOf } from '../../catalogue/windows.ts';
import type { Shown } from '../../drawing/paint.ts';
import { nearestSwatches } from '../../panels/legend-swatches.ts';
import { summaryOf } from '../../panels/people-sentences.tsx';
import type { Choice } from '../../state/choice.ts';
import { bandWords, type Loaded, type MapRequest, type MapView } from '../map-view.ts';
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
    const ofArea = area.state === 'here' ? [coverageRequest(area.of, choice)] : [];
    const query = { mode: [mode], type: [type.id], ...timingOf([mode], timing) };
    if (geoid === null) return ofArea;
    return [
      ...ofArea,
      {
        name: 'Minutes from the selected block',
        operation: 'getBlockSummary',
        parameters: { geoid, ...query },
        rows: 'results',
      },
    ];
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
  const view = blocks.state === 'here' ? blocks.view : null;
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
  return {
    name: `People of ${area.name} by minutes`,
    operation: 'measureCoverage',
    parameters: { area: bodyOf(area), mode: [mode], type: [type.id], ...timingOf([mode], timing) },
    rows: 'results',
  };
}
