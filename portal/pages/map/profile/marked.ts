import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PoiTime } from '../../../client/src/index.ts';

/** The marker that is pointed at, and what panels do with markers. */
interface Marked {
  /** Marker pointed at, on the map or in a panel. */
  readonly pointed: string | null;
  readonly onPointed: (id: string | null) => void;
  readonly onCatchment: (poi: Pick<PoiTime, 'dest_id' | 'name' | 'lat' | 'lon'>) => void;
}

const Shared = createContext<Marked | null>(null);

export const MarkedProvider = Shared.Provider;

/** Returns what `MarkedProvider` provides; fails outside it. */
export function useMarked(): Marked {
  return useContext(Shared)!;
}
