import type { Seconds } from '../../shards/units.ts';
import type { Tags } from '../osm/tags.ts';
import { ROUTING } from '../routing-parameters.ts';

/** The travel time of a way that is not walked, such as a ferry or an elevator. */
export interface WayTime {
  /** Wait before departure. */
  readonly waiting: Seconds;
  /** Time from one end to the other; null if only the length of the way is known. */
  readonly moving: Seconds | null;
}

/** Returns the time of a ferry or an elevator by its tags; null for a way that is walked. */
export function wayTime(tags: Tags): WayTime | null {
  if (isFerry(tags)) {
    const interval = durationOf(tags.get('interval'));
    const waiting = interval === null ? ROUTING.ferryWait : interval / 2;
    return { waiting, moving: durationOf(tags.get('duration')) };
  }
  if (tags.get('highway') !== 'elevator') return null;
  return { waiting: 0, moving: durationOf(tags.get('duration')) ?? ROUTING.elevatorTime };
}

export function isFerry(tags: Tags): boolean {
  return tags.get('route') === 'ferry' && !tags.has('highway');
}

/**
 * Parses a duration of OpenStreetMap: minutes, or hours, minutes and optionally seconds separated
 * by colons. Null if it is invalid or zero.
 */
function durationOf(text: string | undefined): Seconds | null {
  const match = /^(?:(\d{1,3}):)?(\d{1,4})(?::(\d{2}))?$/.exec(text?.trim() ?? '');
  if (!match || (match[3] !== undefined && match[1] === undefined)) return null;
  const [hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const duration = (hours * 60 + minutes) * 60 + seconds;
  return duration > 0 ? duration : null;
}
