import { byMode } from '../../../../shards/modes.ts';
import type { Direction, Origin } from '../state/map-state.ts';

/** Describes the time of a transit trip. */
export const PERCENTILE =
  'Weekday, 8 to 9 a.m., door to door. One departure in ten is at least this fast: the time of riders who know the timetable.';

/** Title of a reach: `Reachable within 30 minutes on foot`. */
export function reachTitle(mode: string, direction: Direction, minutes: number): string {
  const verb = direction === 'from' ? 'Reachable' : 'Who gets here';
  return `${verb} within ${minutes} minutes ${byMode(mode)}`;
}

/** GEOID, or latitude and longitude of an origin. */
export function originText(origin: Origin): string {
  return typeof origin === 'string' ? origin : `${origin.lat},${origin.lon}`;
}

/** Name of an origin: `block 990010012003080`, or a point, or the POI there. */
export function originName(origin: Origin, poiName: string | null): string {
  if (poiName !== null) return poiName;
  return typeof origin === 'string' ? `block ${origin}` : `point ${origin.lat}, ${origin.lon}`;
}
