import { onRequest } from '../../../parts/failed-script.tsx';
import { timingOf } from '../../catalogue/windows.ts';
import { minutesTo, reachClasses } from '../../measures/reach.ts';
import { reachSwatches } from '../../panels/legend-swatches.ts';
import { originName, reachTitle } from '../../panels/words.tsx';
import type { Choice } from '../../state/choice.ts';
import { MAX_MINUTES, type MapState, minutesOf, type Origin } from '../../state/map-state.ts';
import { type MapRequest, type MapView, NO_ORIGIN } from '../map-view.ts';
import { accessCall } from './reach-request.ts';

export const reachView: MapView = {
  name: 'Reach',
  sides: 1,
  title({ state, choice, poiName }) {
    const { origin, direction } = state;
    if (origin === null) return NO_ORIGIN;
    return `${reachTitle(choice.mode, direction, minutesOf(state))}: ${originName(origin, poiName)}`;
  },
  legend: ({ scheme, state }) => reachSwatches(scheme, minutesOf(state)),
  modes: ({ mode }) => [mode],
  shown: ({ catalogue, state, choice: { mode }, a, reach }) => ({
    of: 'classes',
    name: a?.name ?? 'reach',
    modes: [mode],
    pois: catalogue.poisOf([], [mode]),
    blocks: reach && {
      geoids: reach.geoids,
      classes: reachClasses(reach.minutes, minutesOf(state)),
    },
  }),
  minutesOf({ reach }, geoid) {
    if (reach === null) return null;
    const minutes = minutesTo(reach, geoid);
    return minutes === undefined ? `over ${MAX_MINUTES} min` : `${minutes} min`;
  },
  Panel: onRequest('the view', async () => (await import('./reach-panel.tsx')).ReachPanel),
  requests({ state, choice }) {
    if (state.origin === null) return [];
    const reach = blocksRequest('Reach', state, state.origin, choice);
    return [reach, ...accessRequests(state, state.origin, choice)];
  },
};

export function blocksRequest(
  name: string,
  { direction, minutes }: MapState,
  origin: Origin,
  { mode, timing }: Pick<Choice, 'mode' | 'timing'>,
): MapRequest {
  const from = typeof origin === 'string' ? { block: origin } : origin;
  const times = { mode, ...timingOf([mode], timing) };
  const parameters = { ...from, ...times, direction, minutes, format: 'blocks' };
  return { name, operation: 'getIsochrone', parameters, rows: 'blocks' };
}

/** The request for the weight within reach; none if the release has people only. */
function accessRequests({ direction }: MapState, origin: Origin, choice: Choice): MapRequest[] {
  const { weight } = choice;
  if (weight === null) return [];
  const call = accessCall(origin, choice, direction, weight.weight);
  return [{ name: `${weight.label} within reach`, ...call, rows: 'results' }];
}
