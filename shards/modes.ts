/** Travel modes in the order of their ids. There is no drive mode. */
export const MODES = [
  { modeId: 1, mode: 'walk', description: 'On foot along streets and paths.' },
  {
    modeId: 2,
    mode: 'bike',
    description:
      'By bicycle on streets a careful adult would ride, walking the bike past the rest.',
  },
  {
    modeId: 3,
    mode: 'transit',
    description:
      'By scheduled public transit, door to door: the walk to the stop, the wait, the ride, transfers, and the walk at the end.',
  },
] as const;

export type Mode = (typeof MODES)[number]['mode'];
export type ModeId = (typeof MODES)[number]['modeId'];

/** Modes that are searched on the street network alone. */
export type StreetMode = 'walk' | 'bike';

export const MODE_LABELS: readonly Mode[] = MODES.map((m) => m.mode);

const WORDS: Readonly<Record<string, string>> = {
  walk: 'on foot',
  bike: 'by bike',
  transit: 'by transit',
};

/** A mode in a sentence: `on foot`, `by bike`, `by transit`. */
export function byMode(mode: string): string {
  return WORDS[mode] ?? `by ${mode}`;
}

const ID_BY_LABEL = new Map<Mode, ModeId>(MODES.map((m) => [m.mode, m.modeId]));

export function modeIdOf(mode: Mode): ModeId {
  return ID_BY_LABEL.get(mode)!;
}

/** Names of the departure windows that releases hold transit times for. */
export const DEPARTURE_WINDOWS = ['am'] as const;

/** Minutes of the local day at which the window `am` opens, and its departures, a minute apart. */
export const AM_WINDOW = { opens: 8 * 60, departures: 60 } as const;

/** The time of day of a departure of the window, as `HH:MM`. */
export function departureTime(departure: number): string {
  const minutes = AM_WINDOW.opens + departure;
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** Percentiles of the door-to-door times of a window that releases hold. */
export const PERCENTILES = [10] as const;
