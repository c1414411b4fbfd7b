import { useMemo } from 'preact/hooks';
import type { LoadedBasket } from './blocks/use-basket.ts';
import type { Shown } from './drawing/draw-map.ts';
import type { Outlines } from './drawing/paint.ts';
import { type Comparison, comparisonOf } from './measures/comparison.ts';
import type { Catchment } from './paid/catchment-request.ts';
import { sidesOf } from './paid/reach-request.ts';
import { type PaidRequests, resultOf } from './paid/use-paid-requests.ts';
import type { Choice } from './state/choice.ts';
import type { MapState, Origin } from './state/map-state.ts';
import { MAP_VIEWS } from './views/map-views.ts';

/** Picture of a state. */
interface Picture {
  readonly shown: Shown;
  readonly outlines: Outlines;
  /** Blocks that A and B reach, once both are loaded. */
  readonly comparison: Comparison | null;
}

export function usePicture(
  state: MapState,
  choice: Choice,
  requests: PaidRequests,
  basket: LoadedBasket,
  catchment: Catchment | null,
): Picture {
  const { view, minutes, compared, basketBy, block } = state;
  const { mode, bandsUrl, otherMode } = choice;
  const { sides } = MAP_VIEWS[view];
  const [a, b] = sidesOf(state, choice);
  const reachA = resultOf(requests, sides > 0 ? a : null);
  const reachB = resultOf(requests, sides > 1 ? b : null);
  const comparison = useMemo(
    () => (reachA && reachB ? comparisonOf(reachA, reachB) : null),
    [reachA, reachB],
  );
  const inBasket = basket.state === 'here' ? basket.view : null;
  // Depends on the parts that a view shows, since every move of the map makes a new state and
  // choice.
  const shown = useMemo(
    () =>
      MAP_VIEWS[view].shown(state, choice, {
        a,
        b,
        reach: reachA,
        comparison,
        catchment,
        basket: inBasket,
      }),
    [
      view,
      catchment,
      basketBy,
      inBasket?.blocks,
      inBasket?.basket,
      a?.name,
      b?.name,
      reachA,
      comparison,
      compared,
      minutes,
      mode,
      otherMode,
      bandsUrl,
    ],
  );
  const outlines = useMemo(() => outlinesOf(state), [view, block, state.origin, state.otherOrigin]);
  return { shown, outlines, comparison };
}

function outlinesOf({ view, block, origin, otherOrigin }: MapState): Outlines {
  const { sides } = MAP_VIEWS[view];
  const blockOf = (one: Origin | null) => (typeof one === 'string' ? one : null);
  return {
    selected: block,
    a: sides > 0 ? blockOf(origin) : null,
    b: sides > 1 ? blockOf(otherOrigin) : null,
  };
}
