import { onRequest } from '../../../parts/failed-script.tsx';
import { chosenOr } from '../../blocks/area-blocks.ts';
import { mapTitle } from '../../catalogue/catalogue.ts';
import { UNROUTED_CLASS } from '../../measures/block-classes.ts';
import { NOT_KNOWN } from '../../measures/changes.ts';
import { groundSwatches } from '../../panels/legend-swatches.ts';
import { summaryOf } from '../../panels/people-sentences.tsx';
import type { MapView } from '../map-view.ts';
import { changeRows, changeWords, sayChanges } from './changes-legend.ts';
import { changesBody } from './changes-request.ts';

export const changesView: MapView = {
  name: 'Changes',
  sides: 0,
  title({ state: { before, after }, choice: { mode, type } }) {
    const title = mapTitle(mode, type.name);
    return before === null ? title : `${title}: changes from ${before} to ${after}`;
  },
  summary: ({ changes, area, choice: { type } }) => summaryOf(changes, area, sayChanges(type.name)),
  legend({ changes, catalogue, scheme }) {
    const rows = changeRows(changes, scheme);
    return [...rows.map(({ swatch }) => swatch), ...groundSwatches(catalogue.baseMap, scheme)];
  },
  modes: ({ mode }) => [mode],
  shown({ catalogue, state: { before, after }, choice: { mode, service, type }, changes }) {
    const view = changes.state === 'here' ? changes.view : null;
    return {
      of: 'classes',
      name: `changes ${before} ${after} ${service} ${type.id}`,
      // Stripes are on the blocks that are not known in one of the releases.
      modes: [],
      pois: catalogue.poisOf(type.leaves, [mode]),
      palette: 'difference',
      blocks: view && {
        geoids: view.blocks.geoids,
        classes: view.of.classes.map((one) => (one === NOT_KNOWN ? UNROUTED_CLASS : one)),
      },
    };
  },
  minutesOf({ changes }, geoid) {
    if (changes.state !== 'here') return null;
    const { blocks, of } = changes.view;
    const at = blocks.geoids.indexOf(geoid);
    return at === -1 ? null : changeWords(of.before[at], of.after[at]);
  },
  Panel: onRequest('the view', async () => (await import('./changes-panel.tsx')).ChangesPanel),
  requests({ state, choice, changes, area }) {
    const counties = changes.state === 'here' ? changes.view.blocks.counties : [];
    const summed = chosenOr(area, counties[0]);
    const body = summed && changesBody(summed.body, state, choice);
    if (body === null) return [];
    return [
      {
        name: `Exact changes in ${summed!.name}`,
        operation: 'measureChanges',
        parameters: { ...body },
        rows: 'results',
      },
    ];
  },
};
