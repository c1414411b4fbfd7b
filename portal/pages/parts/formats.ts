const NUMBER = new Intl.NumberFormat('en-GB');
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const UTC_DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

export function count(value: number): string {
  return NUMBER.format(value);
}

/** `1 token`, `5,000 tokens`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A moment as its day, in the reader’s time zone. */
export function dateOf(moment: string): string {
  return DATE.format(new Date(moment));
}

export function momentOf(moment: string): string {
  return MOMENT.format(new Date(moment));
}

/** `Sat 22 Nov` of `2026-11-22`: a day of UTC, wherever the reader is. */
export function dayOf(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`));
}

/** `22 Nov 2026` of `2026-11-22`. */
export function dayMonthYear(day: string): string {
  return UTC_DATE.format(new Date(`${day}T00:00:00Z`));
}
