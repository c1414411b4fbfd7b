import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type Choice, choiceOf } from './choice.ts';
import { type MapState, type ReadState, readMapState, writeMapState } from './map-state.ts';

export interface Release {
  readonly catalogue: Catalogue;
  /** Reloads it, since another release may be in force. */
  readonly reload: () => Promise<void>;
}

interface MapShared extends Release {
  readonly state: MapState;
  readonly choice: Choice;
  readonly change: ChangeState;
  /** Sentences on the parts of the address that could not be used. */
  readonly faults: readonly string[];
}

type ChangeState = (part: Partial<MapState>) => void;

const Shared = createContext<MapShared | null>(null);

export const MapProvider = Shared.Provider;

/** Returns what `MapProvider` provides; fails outside it. */
export function useMap(): MapShared {
  return useContext(Shared)!;
}

/** Returns what to provide to a map of a release, by the address of the page. */
export function useMapShared({ catalogue, reload }: Release): MapShared {
  const [{ state, faults }, change] = useMapState();
  return useMemo(() => {
    const choice = choiceOf(catalogue, state);
    return { catalogue, reload, state, choice, change, faults: [...faults, ...choice.faults] };
  }, [catalogue, state]);
}

/**
 * Pause before the address changes: browsers limit how often it may, and a slider would exceed
 * that.
 */
const PAUSE_MS = 150;

/** The last state, which an address may hold in part only: more sites than fit into one. */
let last: MapState | null = null;

/** The state in the address of the page, and how to change parts of it. */
function useMapState(): readonly [ReadState, ChangeState] {
  const [read, setRead] = useState(() =>
    last !== null && location.hash === writeMapState(last)
      ? { state: last, faults: [] }
      : readMapState(location.hash),
  );
  const timer = useRef(0);
  useEffect(() => {
    const follow = () => {
      // The link that skips the navigation has a fragment too.
      if (/[#&]x=/.test(location.hash)) setRead(readMapState(location.hash));
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
      clearTimeout(timer.current);
    };
  }, []);
  const change = useCallback((part: Partial<MapState>) => {
    setRead((before) => {
      const state = { ...before.state, ...part };
      clearTimeout(timer.current);
      timer.current = window.setTimeout(
        () => history.replaceState(history.state, '', writeMapState(state)),
        PAUSE_MS,
      );
      last = state;
      return { state, faults: before.faults };
    });
  }, []);
  return [read, change];
}
