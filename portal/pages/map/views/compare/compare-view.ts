import { onRequest } from '../../../parts/failed-script.tsx';
import { byMode } from '../../catalogue/mode-words.ts';
import {
  type Comparison,
  comparisonOf,
  differenceClasses,
  laterOf,
} from '../../measures/comparison.ts';
import { reachClasses } from '../../measures/reach.ts';
import { resultOf } from '../../paid/paid-request.ts';
import { differenceSwatches, reachSwatches } from '../../panels/legend.tsx';
import { originName } from '../../panels/words.tsx';
import { MAX_MINUTES, type MapState } from '../../state/map-state.ts';
import { kept, type MapView, NO_ORIGIN, type Viewed } from '../map-view.ts';
import { blocksRequest, otherTrips, sidesOf } from '../reach/reach-view.ts';

export const compareView: MapView = {
  name: 'Compare',
  sides: 2,
  title({ state, choice: { mode, otherMode, minutes }, poiName }) {
    const { origin, otherOrigin } = state;
    if (origin === null) return NO_ORIGIN;
    const b = otherOrigin === null ? 'the same' : originName(otherOrigin, null);
    const sides = `A, ${originName(origin, poiName)} ${byMode(mode)}, and B, ${b} ${byMode(otherMode)}`;
    return `${sides}, within ${minutes} minutes`;
  },
  legend: ({ state, choice, scheme }) =>
    state.compared === 'difference'
      ? differenceSwatches(scheme)
      : reachSwatches(scheme, choice.minutes),
  modes: ({ mode, otherMode }) => [mode, otherMode],
  shown(viewed) {
    const { catalogue, state, choice } = viewed;
    const modes = [choice.mode, choice.otherMode];
    const comparison = comparisonIn(viewed);
    return {
      of: 'classes',
      name: [...sidesOf(viewed).map((side) => side?.name), state.compared].join(' '),
      modes,
      pois: catalogue.poisOf([], modes),
      palette: state.compared === 'difference' ? 'difference' : 'classes',
      blocks: comparison && {
        geoids: comparison.geoids,
        classes: comparedClasses(comparison, state.compared, choice.minutes),
      },
    };
  },
  minutesOf(viewed, geoid) {
    const comparison = comparisonIn(viewed);
    const at = comparison?.geoids.indexOf(geoid) ?? -1;
    if (comparison === null || at === -1) return null;
    const words = (minutes: number) => (minutes <= MAX_MINUTES ? minutes : `over ${MAX_MINUTES}`);
    return `A ${words(comparison.a[at])}, B ${words(comparison.b[at])} min`;
  },
  Panel: onRequest('the view', async () => (await import('./compare-panel.tsx')).ComparePanel),
  requests({ state, choice }) {
    const { origin, otherOrigin } = state;
    if (origin === null) return [];
    return [
      blocksRequest('Reach of A', state, origin, choice),
      blocksRequest('Reach of B', state, otherOrigin ?? origin, otherTrips(choice)),
    ];
  },
};

function reachesIn(viewed: Viewed) {
  return sidesOf(viewed).map((side) => resultOf(viewed.requests, side));
}

/** Null until A and B are paid for. */
export const comparisonIn = kept(reachesIn, (viewed) => {
  const [a, b] = reachesIn(viewed);
  return a && b && comparisonOf(a, b);
});

function comparedClasses(
  comparison: Comparison,
  compared: MapState['compared'],
  minutes: number,
): Uint8Array {
  switch (compared) {
    case 'difference':
      return differenceClasses(comparison, minutes);
    case 'both':
      return reachClasses(laterOf(comparison), minutes);
    case 'a':
      return reachClasses(comparison.a, minutes);
    case 'b':
      return reachClasses(comparison.b, minutes);
  }
}
