import { UNROUTED } from '../../../../../shards/bands/time-bands.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { countWords } from '../../blocks/block-bands.ts';
import { groundSwatches } from '../../panels/legend-swatches.ts';
import { summaryOf } from '../../panels/people-sentences.tsx';
import { PLACE_DIGITS } from '../../state/area.ts';
import type { MapRequest, MapView, Viewed } from '../map-view.ts';
import {
  accessChoice,
  accessRows,
  colourClass,
  countedLeaves,
  sayAccess,
  withinWords,
} from './access-legend.ts';

export const accessView: MapView = {
  name: 'Access',
  sides: 0,
  title({ state, choice }) {
    const asked = accessChoice(state, choice);
    return asked ? `${asked.weight.label} ${withinWords(asked.count)}` : 'Within reach';
  },
  summary: (of) => summaryOf(of.access, of.area, sayAccess(of)),
  legend(of) {
    const { catalogue, scheme } = of;
    const rows = accessRows(of, scheme);
    return [...rows.map(({ swatch }) => swatch), ...groundSwatches(catalogue.baseMap, scheme)];
  },
  modes: ({ mode }) => [mode],
  shown({ catalogue, state, choice, access }) {
    const view = access.state === 'here' ? access.view : null;
    const bounds = view?.of.bounds ?? [];
    return {
      of: 'classes',
      name: `access ${JSON.stringify(accessChoice(state, choice)?.count ?? null)} ${choice.service}`,
      modes: [choice.mode],
      pois: catalogue.poisOf(countedLeaves(catalogue, choice.counted), [choice.mode]),
      blocks: view && {
        geoids: view.blocks.geoids,
        classes: view.of.classes.map((one) => (one === UNROUTED ? 0 : colourClass(one, bounds))),
      },
    };
  },
  minutesOf({ state, choice, access }, geoid) {
    const asked = accessChoice(state, choice);
    if (asked === null || access.state !== 'here' || access.view.of.bounds === null) return null;
    const { blocks, of } = access.view;
    const at = blocks.geoids.indexOf(geoid);
    if (at === -1) return null;
    const words = countWords(of.classes[at], access.view.of.bounds);
    if (of.classes[at] === UNROUTED) return words;
    return `${words} ${asked.weight.unit} ${withinWords(asked.count)}`;
  },
  Panel: onRequest('the view', async () => (await import('./access-panel.tsx')).AccessPanel),
  requests: (of) => [exactRequest(of)].flatMap((one) => one ?? []),
};

/** The request for the exact counts of the chosen place, or of a county. */
function exactRequest({ state, choice, access, area }: Viewed): MapRequest | null {
  const asked = accessChoice(state, choice);
  if (asked === null) return null;
  const { mode, minutes, direction, of } = asked.count;
  const query = { of: [of], mode: [mode], minutes: [minutes], direction, ...asked.times };
  const chosen = area.state === 'here' ? area.of : null;
  if (typeof chosen?.area === 'string' && chosen.area.length === PLACE_DIGITS) {
    return {
      name: `Exact numbers of ${chosen.name}`,
      operation: 'getPlaceAccess',
      parameters: { geoid: chosen.area, ...query },
      rows: 'results',
    };
  }
  const blocks = chosen?.blocks ?? (access.state === 'here' ? access.view.blocks : null);
  const [fips] = blocks?.counties ?? [];
  if (fips === undefined) return null;
  return {
    name: `Exact numbers of county ${fips}`,
    operation: 'getCountyAccess',
    parameters: { fips, ...query },
    rows: 'results',
  };
}
