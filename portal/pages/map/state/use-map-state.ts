import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type MapState, type ReadState, readMapState, writeMapState } from './map-state.ts';

/**
 * Pause before the address changes: browsers limit how often it may, and a slider would exceed
 * that.
 */
const PAUSE_MS = 150;

export type ChangeState = (part: Partial<MapState>) => void;

/** The state in the address of the page, and how to change parts of it. */
export function useMapState(): readonly [ReadState, ChangeState] {
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
