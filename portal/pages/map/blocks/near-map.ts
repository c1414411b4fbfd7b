import { useRef } from 'preact/hooks';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { useMap } from '../state/map-context.ts';
import type { MapPosition } from '../state/map-state.ts';
import { seenBox } from '../tiles/frame.ts';
import type { Box } from '../tiles/vector-tiles.ts';

/** The box that the map shows. `position`: null while it shows the whole release. */
export function boxInView(position: MapPosition | null, bounds: readonly number[]): Box {
  return position === null ? boxOf(bounds) : boxOnStage(position);
}

/** The box that the stage of the map shows; without a stage, that of the window. */
function boxOnStage(position: MapPosition): Box {
  const stage = document.querySelector('.still-picture, .map-canvas');
  const [width, height] = [stage?.clientWidth || innerWidth, stage?.clientHeight || innerHeight];
  return seenBox(position, width, height);
}

function boxOf([west, south, east, north]: readonly number[]): Box {
  // A map of the whole release shows some ground around it.
  const [x, y] = [(east - west) / 4, (north - south) / 4];
  return [west - x, south - y, east + x, north + y];
}

/** Width of the margin around a map in which the counties of blocks are looked up, in degrees. */
const AROUND_DEGREES = 1;

export function widened([west, south, east, north]: Box): Box {
  return [
    west - AROUND_DEGREES,
    south - AROUND_DEGREES,
    east + AROUND_DEGREES,
    north + AROUND_DEGREES,
  ];
}

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
