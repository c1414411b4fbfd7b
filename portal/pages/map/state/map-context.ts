import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type Choice, choiceOf } from './choice.ts';
import { type MapState, type ReadState, readMapState, writeMapState } from './map-state.ts';

interface MapShared {
  readonly catalogue: Catalogue;
  readonly state: MapState;
  readonly choice: Choice;
  readonly change: ChangeState;
}

type ChangeState = (part: Partial<MapState>) => void;

const Shared = createContext<MapShared | null>(null);

export const MapProvider = Shared.Provider;

/** Returns what `MapProvider` provides; fails outside it. */
export function useMap(): MapShared {
  return useContext(Shared)!;
}

/**
 * Returns what to provide to a map, by the address of the page, and sentences on the parts of the
 * address that could not be used.
 */
export function useMapShared(catalogue: Catalogue) {
  const [{ state, faults }, change] = useMapState();
  const choice = useMemo(() => choiceOf(catalogue, state), [catalogue, state]);
  const shared = useMemo(() => ({ catalogue, state, choice, change }), [choice, state]);
  return { shared, faults: [...faults, ...choice.faults] };
}

/**
 * Pause before the address changes: browsers limit how often it may, and a slider would exceed
 * that.
 */
const PAUSE_MS = 150;

/** The state in the address of the page, and how to change parts of it. */
function useMapState(): readonly [ReadState, ChangeState] {
  const [read, setRead] = useState(() => readMapState(location.hash));
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
      return { state, faults: before.faults };
    });
  }, []);
  return [read, change];
}
