import { z } from 'zod';
import { PERCENTILES } from '../../shards/departure-windows.ts';
import { byMode } from '../../shards/modes.ts';
import { counted, withCommas } from '../../shards/number-words.ts';

/** Numbers keyed by two names, such as a type and minutes: shorter for a model than rows. */
export const table = z.record(z.string(), z.record(z.string(), z.number()));

/** Modes that an origin has no link for, and why; times by these modes are unknown. */
export const unrouted = z.array(z.string());

export function unroutedTexts(
  modes: readonly { readonly mode: string; readonly reason: string }[] = [],
): string[] {
  return modes.map(({ mode, reason }) => `Unknown ${byMode(mode)}: ${reason}`);
}

/** States which departures transit times refer to, since most departures take longer. */
export const TRANSIT_TIMES = `Transit times are the ${PERCENTILES[0]}th percentile of departures on a weekday from 8:00 to 9:00: most departures take longer.`;

/** Returns `TRANSIT_TIMES` for the text of a result, if it has times by transit. */
export function transitNotes(modes: readonly string[]): string[] {
  return modes.includes('transit') ? [TRANSIT_TIMES] : [];
}

/** Formats a population: `1,234 people`, or as unknown if null. */
export function population(people: number | null): string {
  return people === null ? 'unknown population' : counted(people, 'person', 'people');
}

/** Formats a part of a total: `1,234 (12.3 %)`; the percentage is `n/a` if the total is 0. */
export function share(part: number, total: number): string {
  return `${withCommas(part)} (${total === 0 ? 'n/a' : `${Number(((100 * part) / total).toFixed(1))} %`})`;
}
