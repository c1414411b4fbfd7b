import type { BaseMap } from './base-map-style.ts';
import type { BasketInView } from './blocks/use-basket.ts';
import { mapTitle } from './catalogue.ts';
import type { Shown } from './drawing/draw-map.ts';
import type { Scheme } from './drawing/paint.ts';
import { furthestClasses, metClasses } from './measures/basket.ts';
import { type Comparison, differenceClasses, laterOf } from './measures/comparison.ts';
import { CATCHMENT_CLASS_MINUTES, type Reach, reachClasses } from './measures/reach.ts';
import type { Catchment } from './paid/catchment-request.ts';
import type { PaidRequest } from './paid/paid-request.ts';
import { basketRows } from './panels/basket-legend.ts';
import {
  catchmentSwatches,
  differenceSwatches,
  groundSwatches,
  nearestSwatches,
  reachSwatches,
} from './panels/legend-swatches.ts';
import { originName, reachTitle } from './panels/names.ts';
import type { Swatch } from './panels/swatches.tsx';
import type { Choice } from './state/choice.ts';
import { type MapState, minutesOf, type View } from './state/map-state.ts';

/** The parts of the picture that are loaded; null until then. */
export interface LoadedParts {
  /** The requests of A and B; a reach is A alone. */
  readonly a: PaidRequest<Reach> | null;
  readonly b: PaidRequest<Reach> | null;
  readonly reach: Reach | null;
  readonly comparison: Comparison | null;
  readonly catchment: Catchment | null;
  readonly basket: Pick<BasketInView, 'blocks' | 'basket'> | null;
}

/** A view of the map, apart from its panel. */
export interface MapView {
  readonly name: string;
  /** Whether it has an origin A, and an origin B. */
  readonly sides: 0 | 1 | 2;
  /** Title of pictures, of their files, and of the map for people who do not see it. */
  readonly title: (state: MapState, choice: Choice, poiName: string | null) => string;
  readonly legend: (
    state: MapState,
    choice: Choice,
    baseMap: BaseMap | null,
    scheme: Scheme,
  ) => readonly Swatch[];
  /** Modes of the times that it shows. */
  readonly modes: (choice: Choice) => readonly string[];
  /** The blocks that it colours. */
  readonly shown: (state: MapState, choice: Choice, loaded: LoadedParts) => Shown;
}

const NO_BLOCKS = { geoids: new Float64Array(), classes: new Uint8Array() };
const NO_ORIGIN = 'No block chosen';

/** The views, in their order on the page. */
export const MAP_VIEWS: Readonly<Record<View, MapView>> = {
  nearest: {
    name: 'Nearest',
    sides: 0,
    title: (_, { mode, type }) => mapTitle(mode, type.name),
    legend: (_, __, baseMap, scheme) => nearestSwatches(baseMap, scheme),
    modes: ({ mode }) => [mode],
    shown: (_, { mode, bandsUrl }) => ({ of: 'bands', bandsUrl, modes: [mode] }),
  },
  basket: {
    name: 'Basket',
    sides: 0,
    title: () => 'Blocks by a basket of criteria',
    legend: ({ basketBy }, { basket }, baseMap, scheme) => {
      const rows = basketRows(basketBy, basket.length, null, scheme);
      return [...rows.map(({ swatch }) => swatch), ...groundSwatches(baseMap, scheme)];
    },
    modes: ({ basket }) => basket.map((criterion) => criterion.mode),
    shown: ({ basketBy }, choice, { basket }) => ({
      of: 'classes',
      name: `basket ${basketBy} ${JSON.stringify(choice.basket)}`,
      modes: [],
      palette: 'classes',
      blocks: basket && {
        geoids: basket.blocks.geoids,
        classes: basketBy === 'met' ? metClasses(basket.basket) : furthestClasses(basket.basket),
      },
    }),
  },
  reach: {
    name: 'Reach',
    sides: 1,
    title: (state, { mode }, poiName) => {
      const { origin, direction } = state;
      if (origin === null) return NO_ORIGIN;
      return `${reachTitle(mode, direction, minutesOf(state))}: ${originName(origin, poiName)}`;
    },
    legend: (_, __, ___, scheme) => reachSwatches(scheme),
    modes: ({ mode }) => [mode],
    shown: (state, { mode }, { a, reach }) => ({
      of: 'classes',
      name: a?.name ?? 'reach',
      modes: [mode],
      palette: 'classes',
      blocks: reach && {
        geoids: reach.geoids,
        classes: reachClasses(reach.minutes, minutesOf(state)),
      },
    }),
  },
  compare: {
    name: 'Compare',
    sides: 2,
    title: (state) =>
      state.origin === null
        ? NO_ORIGIN
        : `A and B side by side, within ${minutesOf(state)} minutes`,
    legend: ({ compared }, _, __, scheme) =>
      compared === 'difference' ? differenceSwatches(scheme) : reachSwatches(scheme),
    modes: ({ mode, otherMode }) => [mode, otherMode],
    shown: (state, { mode, otherMode }, { a, b, comparison }) => ({
      of: 'classes',
      name: `${a?.name} ${b?.name} ${state.compared}`,
      modes: [mode, otherMode],
      palette: state.compared === 'difference' ? 'difference' : 'classes',
      blocks: comparison && {
        geoids: comparison.geoids,
        classes: comparedClasses(comparison, state.compared, minutesOf(state)),
      },
    }),
  },
  catchment: {
    name: 'Catchment',
    sides: 0,
    title: (state, { mode }, poiName) =>
      `${reachTitle(mode, 'to', minutesOf(state))}: ${poiName ?? 'no POI chosen'}`,
    legend: (_, __, ___, scheme) => catchmentSwatches(scheme),
    modes: ({ mode }) => [mode],
    shown: (state, { mode }, { catchment }) => {
      const reach = catchment?.reach ?? null;
      return {
        of: 'classes',
        name: `catchment ${catchment?.pages.at(-1)?.name}`,
        modes: [mode],
        palette: 'classes',
        blocks: reach && {
          geoids: reach.geoids,
          classes: reachClasses(reach.minutes, minutesOf(state), CATCHMENT_CLASS_MINUTES),
        },
      };
    },
  },
  sites: {
    name: 'Sites',
    sides: 0,
    title: () => 'Sites of your own',
    legend: (_, __, baseMap, scheme) => groundSwatches(baseMap, scheme),
    modes: ({ mode }) => [mode],
    shown: (_, { mode }) => ({
      of: 'classes',
      name: 'sites',
      modes: [mode],
      palette: 'classes',
      blocks: NO_BLOCKS,
    }),
  },
};

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
