import type { View } from '../state/map-state.ts';
import { basketView } from './basket.ts';
import { catchmentView } from './catchment.ts';
import { compareView } from './compare.ts';
import type { MapView } from './map-view.ts';
import { nearestView } from './nearest.ts';
import { reachView } from './reach.ts';
import { sitesView } from './sites.ts';

/** The views by their names in addresses. */
export const MAP_VIEWS: Readonly<Record<View, MapView>> = {
  nearest: nearestView,
  basket: basketView,
  reach: reachView,
  compare: compareView,
  catchment: catchmentView,
  sites: sitesView,
};
