import { z } from 'zod';
import { PERCENTILES } from '../../shards/departure-windows.ts';
import { byMode } from '../../shards/modes.ts';
import { counted, withCommas } from '../../shards/number-words.ts';

/** Numbers by two names, such as a type and minutes: shorter for a model than rows. */
export const table = z.record(z.string(), z.record(z.string(), z.number()));

/** Modes that an origin has no link for, and why: their times are unknown. */
export const unrouted = z.array(z.string());

export function unroutedTexts(
  modes: readonly { readonly mode: string; readonly reason: string }[] = [],
): string[] {
  return modes.map(({ mode, reason }) => `Unknown ${byMode(mode)}: ${reason}`);
}

/** Which departures transit times are of: they are shorter than those of most trips. */
export const TRANSIT_TIMES = `Transit times are the ${PERCENTILES[0]}th percentile of departures on a weekday from 8:00 to 9:00: most departures take longer.`;

/** The same for the text of a result, if it has times by transit. */
export function transitNotes(modes: readonly string[]): string[] {
  return modes.includes('transit') ? [TRANSIT_TIMES] : [];
}

/** `1,234 people`; unknown without a count. */
export function population(people: number | null): string {
  return people === null ? 'unknown population' : counted(people, 'person', 'people');
}

/** `1,234 (12.3 %)`; a part of nothing is unknown. */
export function share(part: number, total: number): string {
  return `${withCommas(part)} (${total === 0 ? 'n/a' : `${Number(((100 * part) / total).toFixed(1))} %`})`;
}
