import { useMemo } from 'preact/hooks';
import type { LoadedBasket } from './blocks/use-basket.ts';
import type { Shown } from './drawing/draw-map.ts';
import type { Outlines } from './drawing/paint.ts';
import { furthestClasses, metClasses } from './measures/basket.ts';
import {
  type Comparison,
  comparisonOf,
  differenceClasses,
  laterOf,
} from './measures/comparison.ts';
import { CATCHMENT_CLASS_MINUTES, type Reach, reachClasses } from './measures/reach.ts';
import type { Catchment } from './paid/catchment-request.ts';
import type { PaidRequest } from './paid/paid-request.ts';
import { reachRequest } from './paid/reach-request.ts';
import { type PaidRequests, resultOf } from './paid/use-paid-requests.ts';
import type { Choice } from './state/choice.ts';
import type { MapState, Origin } from './state/map-state.ts';

/** Picture of a state. */
export interface Picture {
  readonly shown: Shown;
  readonly outlines: Outlines;
  /** Blocks that A and B reach, once both are loaded. */
  readonly comparison: Comparison | null;
}

const NO_BLOCKS = { geoids: new Float64Array(), classes: new Uint8Array() };

export function usePicture(
  state: MapState,
  choice: Choice,
  requests: PaidRequests,
  basket: LoadedBasket,
  catchment: Catchment | null,
): Picture {
  const { view, minutes, compared, block } = state;
  const { mode, bandsUrl, otherMode } = choice;
  const [a, b] = sidesOf(state, choice);
  const reachA = resultOf(requests, a);
  const reachB = resultOf(requests, view === 'compare' ? b : null);
  const comparison = useMemo(
    () => (reachA && reachB ? comparisonOf(reachA, reachB) : null),
    [reachA, reachB],
  );
  const { basketBy } = state;
  const caught = catchment?.reach ?? null;
  const inBasket = basket.state === 'here' ? basket.view : null;
  const [basketBlocks, met] = [inBasket?.blocks, inBasket?.basket];
  const shown = useMemo((): Shown => {
    if (view === 'basket') {
      return {
        of: 'classes',
        name: `basket ${basketBy} ${JSON.stringify(choice.basket)}`,
        modes: [],
        palette: 'classes',
        blocks:
          basketBlocks && met
            ? {
                geoids: basketBlocks.geoids,
                classes: basketBy === 'met' ? metClasses(met) : furthestClasses(met),
              }
            : null,
      };
    }
    if (view === 'catchment') {
      return {
        of: 'classes',
        name: `catchment ${catchment?.pages.at(-1)?.name}`,
        modes: [mode],
        palette: 'classes',
        blocks: caught && {
          geoids: caught.geoids,
          classes: reachClasses(caught.minutes, minutes, CATCHMENT_CLASS_MINUTES),
        },
      };
    }
    if (view === 'sites')
      return { of: 'classes', name: 'sites', modes: [mode], palette: 'classes', blocks: NO_BLOCKS };
    if (view === 'reach') {
      return {
        of: 'classes',
        name: a?.name ?? 'reach',
        modes: [mode],
        palette: 'classes',
        blocks: reachA && {
          geoids: reachA.geoids,
          classes: reachClasses(reachA.minutes, minutes),
        },
      };
    }
    if (view === 'compare') {
      return {
        of: 'classes',
        name: `${a?.name} ${b?.name} ${compared}`,
        modes: [mode, otherMode],
        palette: compared === 'difference' ? 'difference' : 'classes',
        blocks: comparison && {
          geoids: comparison.geoids,
          classes: comparedClasses(comparison, compared, minutes),
        },
      };
    }
    return { of: 'bands', bandsUrl, modes: [mode] };
  }, [
    view,
    caught,
    basketBy,
    basketBlocks,
    met,
    a?.name,
    b?.name,
    reachA,
    comparison,
    compared,
    minutes,
    mode,
    otherMode,
    bandsUrl,
  ]);
  const outlines = useMemo(() => outlinesOf(state), [view, block, state.origin, state.otherOrigin]);
  return { shown, outlines, comparison };
}

/** The paid requests of A and B; a reach is A alone. */
export function sidesOf(
  { origin, otherOrigin, direction, view }: MapState,
  { mode, otherMode }: Choice,
): readonly [PaidRequest<Reach> | null, PaidRequest<Reach> | null] {
  if (view !== 'reach' && view !== 'compare') return [null, null];
  const of = (one: Origin | null, by: Choice['mode']) =>
    one === null ? null : reachRequest(one, by, direction);
  return [of(origin, mode), of(otherOrigin ?? origin, otherMode)];
}

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

function outlinesOf({ view, block, origin, otherOrigin }: MapState): Outlines {
  const has = view === 'reach' || view === 'compare';
  const blockOf = (one: Origin | null) => (has && typeof one === 'string' ? one : null);
  return {
    selected: block,
    a: blockOf(origin),
    b: view === 'compare' ? blockOf(otherOrigin) : null,
  };
}
