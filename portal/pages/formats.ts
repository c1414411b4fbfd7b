/** Makes a formatter when it is first needed, since each takes milliseconds to make. */
function lazily<Format>(make: () => Format): () => Format {
  let made: Format | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const numbers = lazily(() => new Intl.NumberFormat('en-US'));
const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const dates = lazily(() => new Intl.DateTimeFormat('en-US', date));
const utcDates = lazily(() => new Intl.DateTimeFormat('en-US', { ...date, timeZone: 'UTC' }));
const utcDays = lazily(
  () =>
    new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    }),
);
const moments = lazily(
  () =>
    new Intl.DateTimeFormat('en-US', {
      ...date,
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
);

export function count(value: number): string {
  return numbers().format(value);
}

/** `1 token`, `5,000 tokens`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Formats a share: `38%`, or `0.4%` below one per cent, so that few do not appear as none. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.05) return '<0.1%';
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)}%`;
}

/** A share as a percentage; an empty text of nothing. */
export function shareOf(part: number, whole: number): string {
  return whole === 0 ? '' : percent(part / whole);
}

export function dateOf(moment: string): string {
  return dates().format(new Date(moment));
}

/** Formats a timestamp as date and time in the reader’s time zone, with its name. */
export function momentOf(moment: string): string {
  return moments().format(new Date(moment));
}

/** Formats `2026-11-22` as `Sat, Nov 22`: a UTC day, regardless of the reader's time zone. */
export function dayOf(day: string): string {
  return utcDays().format(new Date(`${day}T00:00:00Z`));
}

export function dayMonthYear(day: string): string {
  return utcDates().format(new Date(`${day}T00:00:00Z`));
}

/** Units of lengths and areas: US customary, or metric. */
export type Units = 'us' | 'metric';

/** Units of length, the larger first, in metres. */
const LENGTHS = {
  us: [
    ['mi', 1609.344],
    ['ft', 0.3048],
  ],
  metric: [
    ['km', 1000],
    ['m', 1],
  ],
} as const;

/** Miles or kilometers: the name in words, and the length in metres. */
export function distanceUnit(units: Units): { readonly name: string; readonly metres: number } {
  const [[, metres]] = LENGTHS[units];
  return { name: units === 'us' ? 'miles' : 'kilometers', metres };
}

/** The longest round length up to `most` metres: 1, 2 or 5 times a power of ten of a unit. */
export function roundLength(most: number, units: Units) {
  const [large, small] = LENGTHS[units];
  const [name, metres] = most >= large[1] ? large : small;
  const power = 10 ** Math.floor(Math.log10(most / metres));
  const step = [5, 2, 1].find((one) => one * power * metres <= most) ?? 1;
  return { metres: step * power * metres, text: `${count(step * power)} ${name}` };
}
