import { useRef } from 'preact/hooks';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { useMap } from '../state/map-context.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import { boxInView } from './box-in-view.ts';

/** Something that is looked for near the map; `far`: it is not there, or not known to be. */
type Nearby<Found> = Loaded<Found, 'none' | 'far'>;

/**
 * Looks for something near the map, and again where the map moves to, until it is found. `what`:
 * null for nothing. `find` returns null if it is too far from a box.
 */
export function useNearby<What, Found>(
  what: What | null,
  find: (what: What, view: Box) => Promise<Found | null>,
): Nearby<Found> {
  const { catalogue, state } = useMap();
  const known = useRef<{ readonly what: What; readonly of: Found | null }>(null);
  const looked = useLoaded(async () => {
    if (what === null) return null;
    if (known.current?.what === what && known.current.of !== null) return known.current;
    const found = { what, of: await find(what, boxInView(state.position, catalogue.bounds)) };
    known.current = found;
    return found;
  }, [what, state.position, catalogue.bounds]);
  if (what === null) return { state: 'none', value: null };
  if (looked.state !== 'here') return looked;
  if (looked.value?.what !== what) return { state: 'loading', value: null };
  const { of } = looked.value;
  return of === null ? { state: 'far', value: null } : { state: 'here', value: of };
}
