import { toMicro } from '../../shards/units.ts';
import { type MapKind, text } from '../base-map/map-kind.ts';
import { LINE, MapShapes } from '../base-map/map-shapes.ts';
import { WORLD_BITS, worldX, worldY } from '../geo/web-mercator.ts';
import type { Feed } from '../gtfs/feed.ts';
import type { Shapes } from '../gtfs/shapes.ts';
import type { TripRun } from '../gtfs/trips.ts';

/** The lowest zoom with lines of transit. */
export const MIN_LINE_ZOOM = 10;

/** Points are rounded to 16 units of the world, half a metre, the grid of the finest tiles. */
const GRID_BITS = 4;

/**
 * Returns the routes of some runs as features of a map, a feature each: along their shapes, or else
 * straight from stop to stop. A stretch on which a route runs several times, by other trips or
 * back, is there once. Its key is the rank of the route among those of the feed, whatever runs.
 */
export function routeLines(feed: Feed, runs: readonly TripRun[], shapes: Shapes | null): MapShapes {
  const lines = new MapShapes();
  const paths = pathsByRoute(feed, runs, shapes);
  const routes = new Set(Array.from(feed.trips.values(), ({ route }) => route));
  for (const [rank, route] of [...routes].sort().entries()) {
    const path = paths.get(route);
    if (path === undefined) continue;
    const before = lines.x.length;
    const drawn = new Set<string>();
    for (const points of path.values()) addNewStretches(points, drawn, lines);
    if (lines.x.length === before) continue;
    lines.endFeature(rank, lines.kinds.numberOf(kindOf(feed, route)), LINE, MIN_LINE_ZOOM);
  }
  return lines;
}

interface Points {
  readonly lon: ArrayLike<number>;
  readonly lat: ArrayLike<number>;
}

/** The ways that the runs of each route take, each once. */
function pathsByRoute(feed: Feed, runs: readonly TripRun[], shapes: Shapes | null) {
  const byRoute = new Map<string, Map<string, Points>>();
  for (const { route, shape, calls } of runs) {
    const paths = byRoute.get(route) ?? new Map<string, Points>();
    byRoute.set(route, paths);
    const drawn = shapes?.pointsOf(shape);
    const key = drawn ? shape : calls.map(({ stop }) => stop).join('\0');
    if (paths.has(key)) continue;
    const stops = drawn ? [] : calls.map(({ stop }) => feed.stops.get(stop)!);
    paths.set(key, drawn ?? { lon: stops.map(({ lon }) => lon), lat: stops.map(({ lat }) => lat) });
  }
  return byRoute;
}

/** A longer stretch crosses the antimeridian, where maps end. */
const HALF_WORLD = 2 ** (WORLD_BITS - 1);

/** Adds the stretches of a way that are not `drawn` yet, as parts of the open feature. */
function addNewStretches({ lon, lat }: Points, drawn: Set<string>, lines: MapShapes): void {
  let [x, y] = [0, 0];
  let isOpen = false;
  for (let i = 0; i < lon.length; i++) {
    const [nextX, nextY] = [onGrid(worldX(toMicro(lon[i]))), onGrid(worldY(toMicro(lat[i])))];
    if (i > 0 && (nextX !== x || nextY !== y)) {
      const isForward = x < nextX || (x === nextX && y < nextY);
      const key = isForward ? `${x} ${y} ${nextX} ${nextY}` : `${nextX} ${nextY} ${x} ${y}`;
      if (!drawn.has(key) && Math.abs(nextX - x) <= HALF_WORLD) {
        drawn.add(key);
        if (!isOpen) lines.point(x, y);
        lines.point(nextX, nextY);
        isOpen = true;
      } else if (isOpen) {
        lines.endPart();
        isOpen = false;
      }
    }
    [x, y] = [nextX, nextY];
  }
  if (isOpen) lines.endPart();
}

function onGrid(at: number): number {
  return ((at + 2 ** (GRID_BITS - 1)) >> GRID_BITS) << GRID_BITS;
}

function kindOf({ agency, routeNames, routeColours, railways }: Feed, route: string): MapKind {
  return {
    layer: 'lines',
    minZoom: MIN_LINE_ZOOM,
    properties: [
      ...text('name', routeNames.get(route) ?? route),
      ...text('agency', agency),
      ...text('color', routeColours.get(route)),
      ...text('rail', railways.get(route)),
    ],
  };
}
