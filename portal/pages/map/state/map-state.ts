import { useCallback, useEffect, useState } from 'preact/hooks';

export interface MapView {
  readonly zoom: number;
  readonly lat: number;
  readonly lon: number;
}

/** The state of a map, as in the fragment of its address. Null: not stated. */
export interface MapState {
  readonly mode: string | null;
  readonly type: number | null;
  readonly view: MapView | null;
  /** GEOID of the selected block. */
  readonly block: string | null;
}

const VERSION = '1';

/** Reads a fragment such as `#x=1&m=walk&t=101&map=12.5/36.1/-70.2&b=990010012003080`. */
export function readMapState(fragment: string): MapState {
  const members = new URLSearchParams(fragment.replace(/^#/, ''));
  const type = members.get('t') ?? '';
  const block = members.get('b') ?? '';
  return {
    mode: members.get('m'),
    type: /^\d{1,9}$/.test(type) ? Number(type) : null,
    view: readView(members.get('map') ?? ''),
    block: /^\d{15}$/.test(block) ? block : null,
  };
}

export function writeMapState({ mode, type, view, block }: MapState): string {
  const members = [`x=${VERSION}`];
  if (mode !== null) members.push(`m=${encodeURIComponent(mode)}`);
  if (type !== null) members.push(`t=${type}`);
  if (view !== null) {
    const { zoom, lat, lon } = view;
    members.push(`map=${+zoom.toFixed(4)}/${+lat.toFixed(6)}/${+lon.toFixed(6)}`);
  }
  if (block !== null) members.push(`b=${block}`);
  return `#${members.join('&')}`;
}

function readView(text: string): MapView | null {
  const numbers = text.split('/').map((part) => (part === '' ? Number.NaN : Number(part)));
  const [zoom, lat, lon] = numbers;
  const isView =
    numbers.length === 3 && zoom >= 0 && zoom <= 24 && Math.abs(lat) <= 85 && Math.abs(lon) <= 180;
  return isView ? { zoom, lat, lon } : null;
}

/** The state in the address of the page, and how to change parts of it. */
export function useMapState(): readonly [MapState, (part: Partial<MapState>) => void] {
  const [state, setState] = useState(() => readMapState(location.hash));
  useEffect(() => {
    const read = () => {
      // The link past the navigation has a fragment too.
      if (/[#&]x=/.test(location.hash)) setState(readMapState(location.hash));
    };
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const change = useCallback((part: Partial<MapState>) => {
    setState((before) => {
      const next = { ...before, ...part };
      history.replaceState(history.state, '', writeMapState(next));
      return next;
    });
  }, []);
  return [state, change];
}
