import type { BaseMap } from '../base-map-style.ts';
import type { Scheme } from '../drawing/paint.ts';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';
import { basketRows } from './basket-legend.ts';
import {
  catchmentSwatches,
  differenceSwatches,
  groundSwatches,
  nearestSwatches,
  reachSwatches,
} from './legend-swatches.ts';
import type { Swatch } from './swatches.tsx';

/** The legend of a state of the map. */
export function legendOf(
  { view, basketBy, compared }: MapState,
  { basket }: Choice,
  baseMap: BaseMap | null,
  scheme: Scheme,
): readonly Swatch[] {
  switch (view) {
    case 'nearest':
      return nearestSwatches(baseMap, scheme);
    case 'basket': {
      const rows = basketRows(basketBy, basket.length, null, scheme);
      return [...rows.map(({ swatch }) => swatch), ...groundSwatches(baseMap, scheme)];
    }
    case 'compare':
      return compared === 'difference' ? differenceSwatches(scheme) : reachSwatches(scheme);
    case 'catchment':
      return catchmentSwatches(scheme);
    case 'sites':
      return groundSwatches(baseMap, scheme);
    case 'reach':
      return reachSwatches(scheme);
  }
}
