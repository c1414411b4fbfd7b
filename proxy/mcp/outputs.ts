import { z } from 'zod';
import { byMode } from '../../shards/modes.ts';

/** Numbers by two names, such as a type and minutes: shorter for a model than rows. */
export const table = z.record(z.string(), z.record(z.string(), z.number()));

/** Modes that an origin has no link for, and why: their times are unknown. */
export const unrouted = z.array(z.string());

export function unroutedTexts(
  modes: readonly { readonly mode: string; readonly reason: string }[] = [],
): string[] {
  return modes.map(({ mode, reason }) => `Unknown ${byMode(mode)}: ${reason}`);
}

/** `1234 (12.3 %)`; a part of nothing is unknown. */
export function share(part: number, total: number): string {
  return `${part} (${total === 0 ? 'n/a' : `${Number(((100 * part) / total).toFixed(1))} %`})`;
}
