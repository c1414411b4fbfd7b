import type { ComponentType } from 'preact';
import type { BaseMap } from '../base-map-style.ts';
import type { BasketInView } from '../blocks/use-basket.ts';
import type { Shown } from '../drawing/draw-map.ts';
import type { Scheme } from '../drawing/paint.ts';
import type { Comparison } from '../measures/comparison.ts';
import type { Reach } from '../measures/reach.ts';
import type { Catchment } from '../paid/catchment-request.ts';
import type { PaidRequest } from '../paid/paid-request.ts';
import type { Swatch } from '../panels/swatches.tsx';
import type { ViewProps } from '../panels/view-props.ts';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';
import type { MapRequest } from './map-request.ts';

/** The loaded parts of the picture; null until they are loaded. */
interface LoadedParts {
  /** The requests of A and B; a reach has A only. */
  readonly a: PaidRequest<Reach> | null;
  readonly b: PaidRequest<Reach> | null;
  readonly reach: Reach | null;
  readonly comparison: Comparison | null;
  readonly catchment: Catchment | null;
  readonly basket: Pick<BasketInView, 'blocks' | 'basket'> | null;
}

/** A view of the map. */
export interface MapView {
  readonly name: string;
  /** Number of origins: none, A only, or A and B. */
  readonly sides: 0 | 1 | 2;
  /** Title of pictures, of their files, and of the map for screen readers. */
  readonly title: (state: MapState, choice: Choice, poiName: string | null) => string;
  readonly legend: (
    state: MapState,
    choice: Choice,
    baseMap: BaseMap | null,
    scheme: Scheme,
  ) => readonly Swatch[];
  /** Modes of the times that the view shows. */
  readonly modes: (choice: Choice) => readonly string[];
  /** Returns the colouring of the blocks. */
  readonly shown: (state: MapState, choice: Choice, loaded: LoadedParts) => Shown;
  /** The panel beside the map. */
  readonly Panel: ComponentType<ViewProps>;
  /** The requests whose responses the map and its panel show. */
  readonly requests: (props: ViewProps) => readonly MapRequest[];
}

export const NO_ORIGIN = 'No block chosen';
