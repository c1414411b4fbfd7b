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
