import type { Seconds } from '../../shards/units.ts';
import { type Tags, valuesOf } from '../osm/tags.ts';
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
    const interval = durationIn(tags, 'interval');
    const waiting = interval === null ? ROUTING.ferryWait : interval / 2;
    return { waiting, moving: durationIn(tags, 'duration') };
  }
  if (tags.get('highway') !== 'elevator') return null;
  return { waiting: 0, moving: durationIn(tags, 'duration') ?? ROUTING.elevatorTime };
}

/** Returns the durations of a way with a `WayTime` that cannot be read, as `key=value`. */
export function unreadDurations(tags: Tags): string[] {
  return ['duration', 'interval']
    .filter((key) => tags.has(key) && durationIn(tags, key) === null)
    .map((key) => `${key}=${tags.get(key)}`);
}

export function isFerry(tags: Tags): boolean {
  return tags.get('route') === 'ferry' && !tags.has('highway');
}

/** Returns the longest duration of a tag's values; null if none is valid. */
function durationIn(tags: Tags, key: string): Seconds | null {
  const durations = valuesOf(tags.get(key) ?? '').flatMap((text) => durationOf(text) ?? []);
  return durations.length > 0 ? Math.max(...durations) : null;
}

/** Matches the number of a unit as a group, with a point or a comma. */
const number = (group: string) => `(?<${group}>\\d{1,4}(?:[.,]\\d+)?)`;
const DURATIONS = [
  // Hours, minutes and seconds: `1:30`, `00:12:30`.
  /^(?<h>\d{1,3}):(?<m>\d{1,4})(?::(?<s>\d{2}))?$/,
  // ISO 8601: `PT1H30M`.
  new RegExp(
    `^p(?:${number('d')}d)?(?:t(?:${number('h')}h)?(?:${number('m')}m)?(?:${number('s')}s)?)?$`,
  ),
  // Minutes: `20`; after hours too: `1h30`. In `1.30`, the point may mean a colon.
  new RegExp(`^(?:${number('h')} ?h ?)?(?<m>\\d{1,4})$`),
  // Numbers with units: `20 min`, `1 hour 30 minutes`, `90 s`.
  new RegExp(
    `^(?:${number('h')} ?h(?:ours?|rs?)?)? ?(?:${number('m')} ?m(?:in(?:ute)?s?)?\\.?)? ?(?:${number('s')} ?s(?:ec(?:ond)?s?)?)?$`,
  ),
];

/**
 * Parses a duration of OpenStreetMap: whole minutes, a clock time, ISO 8601, or numbers with units.
 * Null if it is invalid or zero.
 */
function durationOf(text: string): Seconds | null {
  const plain = text.trim().toLowerCase();
  const parts = DURATIONS.map((form) => form.exec(plain)).find(Boolean)?.groups;
  if (!parts) return null;
  const amount = (unit: string) => Number(parts[unit]?.replace(',', '.') ?? 0);
  const duration = ((amount('d') * 24 + amount('h')) * 60 + amount('m')) * 60 + amount('s');
  return duration > 0 ? duration : null;
}
