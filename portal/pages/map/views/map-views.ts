import type { View } from '../state/map-state.ts';
import { accessView } from './access/access-view.ts';
import { basketView } from './basket/basket-view.ts';
import { catchmentView } from './catchment/catchment-view.ts';
import { changesView } from './changes/changes-view.ts';
import { compareView } from './compare/compare-view.ts';
import type { MapView } from './map-view.ts';
import { nearestView } from './nearest/nearest-view.tsx';
import { reachView } from './reach/reach-view.ts';
import { sitesView } from './sites/sites-view.ts';

/** The views by their names in addresses. */
export const MAP_VIEWS: Readonly<Record<View, MapView>> = {
  nearest: nearestView,
  access: accessView,
  basket: basketView,
  reach: reachView,
  compare: compareView,
  catchment: catchmentView,
  sites: sitesView,
  changes: changesView,
};
