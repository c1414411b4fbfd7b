import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Choice } from './choice.ts';
import type { MapState } from './map-state.ts';
import type { ChangeState } from './use-map-state.ts';

/** Data for all parts of the map. */
interface MapShared {
  readonly catalogue: Catalogue;
  readonly state: MapState;
  readonly choice: Choice;
  readonly change: ChangeState;
}

const Shared = createContext<MapShared | null>(null);

export const MapProvider = Shared.Provider;

/** Returns what `MapProvider` provides; fails outside it. */
export function useMap(): MapShared {
  return useContext(Shared)!;
}
