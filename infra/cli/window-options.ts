import type { PlanRequest } from '../../builder/build-request.ts';
import {
  BASE_WINDOW,
  clockTime,
  type DepartureWindow,
  isPercentile,
  WINDOW_DAYS,
  WINDOW_NAME,
  type WindowDay,
} from '../../shards/services.ts';
import { ArgumentError } from '../errors.ts';
import { commaList } from './comma-list.ts';

/** Windows that may be asked for by name alone. */
const KNOWN: readonly DepartureWindow[] = [
  BASE_WINDOW,
  { name: 'midday', opens: 12 * 60, departures: 60, day: 'weekday' },
  { name: 'pm', opens: 17 * 60, departures: 60, day: 'weekday' },
  { name: 'evening', opens: 21 * 60, departures: 60, day: 'weekday' },
  { name: 'saturday', opens: 11 * 60, departures: 60, day: 'saturday' },
  { name: 'sunday', opens: 11 * 60, departures: 60, day: 'sunday' },
];
export const KNOWN_WINDOWS = KNOWN.map(
  ({ name, opens, day }) => `${name} (${clockTime(opens)}${day === name ? '' : `, ${day}`})`,
).join(', ');

const MAX_DEPARTURES = 60;
const MINUTES_PER_DAY = 24 * 60;
const OWN = /^([^=]+)=(\d{1,2}):([0-5]\d)\+(\d{1,3})@(\w+)$/;

/** Parses `--windows`: the windows besides `am`. Throws an `ArgumentError` for any other text. */
export function parseWindows(list: string | undefined): DepartureWindow[] {
  const windows = commaList(list ?? '')
    .filter((text) => text !== '')
    .map(parseWindow);
  const names = windows.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new ArgumentError(`--windows: ${twice} is listed twice`);
  return windows.filter(({ name }) => name !== BASE_WINDOW.name);
}

function parseWindow(text: string): DepartureWindow {
  const known = KNOWN.find(({ name }) => name === text);
  if (known) return known;
  const fault = (what: string) => new ArgumentError(`--windows: "${text}" ${what}`);
  const parts = OWN.exec(text);
  if (!parts) {
    throw fault(
      `is not a window: give ${KNOWN.map(({ name }) => name).join(', ')}, or your own, such as early=06:30+60@weekday`,
    );
  }
  const [, name, hours, minutes, departures, day] = parts;
  const window = {
    name,
    opens: 60 * Number(hours) + Number(minutes),
    departures: Number(departures),
    day: day as WindowDay,
  };
  if (!WINDOW_NAME.test(name)) {
    throw fault('needs a name of up to 24 lower-case letters, digits and underscores');
  }
  if (name === BASE_WINDOW.name) throw fault('cannot be another window: choose another name');
  if (!WINDOW_DAYS.includes(window.day)) throw fault(`needs a day: ${WINDOW_DAYS.join(', ')}`);
  if (window.departures < 1 || window.departures > MAX_DEPARTURES) {
    throw fault(`needs 1 to ${MAX_DEPARTURES} minutes after the plus sign`);
  }
  if (window.opens + window.departures > MINUTES_PER_DAY) throw fault('does not end by midnight');
  return window;
}

/**
 * Parses `--percentiles`: `10,50` for all windows, or `am:10,50` for one of them. Throws an
 * `ArgumentError` for any other text.
 */
export function parsePercentiles(
  lists: readonly string[] | undefined,
  windows: readonly DepartureWindow[],
): NonNullable<PlanRequest['percentiles']> {
  const names = [BASE_WINDOW, ...windows].map(({ name }) => name);
  const chosen: Record<string, number[]> = {};
  for (const text of lists ?? []) {
    const [list, window] = text.split(':').toReversed();
    if (window !== undefined && !names.includes(window)) {
      throw new ArgumentError(
        `--percentiles: "${window}" is not a window of this build (${names.join(', ')}); --windows adds one`,
      );
    }
    const percentiles = commaList(list).map(Number);
    if (!percentiles.every(isPercentile)) {
      throw new ArgumentError(
        `--percentiles: "${text}" is not a list of whole numbers from 1 to 99`,
      );
    }
    for (const name of window === undefined ? names : [window]) {
      chosen[name] = [...(chosen[name] ?? []), ...percentiles];
    }
  }
  return chosen;
}
