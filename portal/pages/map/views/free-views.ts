import type { View } from '../state/map-state.ts';
import { accessView } from './access/access-view.ts';
import { basketView } from './basket/basket-view.ts';
import { changesView } from './changes/changes-view.ts';
import type { MapView } from './map-view.ts';
import { nearestView } from './nearest/nearest-view.tsx';

/** The views that are free and need no key, which maps in other pages show. */
export const FREE_VIEWS: Readonly<Partial<Record<View, MapView>>> = {
  nearest: nearestView,
  access: accessView,
  basket: basketView,
  changes: changesView,
};
