import type { Degrees } from '../../shards/units.ts';

const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
/** A digit other than 0 before the exponent. */
const NOT_ZERO = /^[-+.0]*[1-9]/;

/**
 * Reads a decimal number, such as `7`, `+39.3041` or `1e-5`; `NaN` for anything else, also for what
 * only JavaScript takes for a number, such as `0x10`, or is nearer to 0 than any number but 0, such
 * as `1e-400`.
 */
export function decimalOf(text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return value === 0 && NOT_ZERO.test(text) ? Number.NaN : value;
}

const PLAIN = /^[+-]?\d+(\.\d*)?$/;

/**
 * Reads a coordinate of an internal point, such as `+39.3041` or a number; null for anything that
 * is not a decimal number between -`most` and `most`, without an exponent.
 */
export function coordinateOf(field: unknown, most: Degrees): Degrees | null {
  const value = typeof field === 'number' || PLAIN.test(String(field)) ? Number(field) : Number.NaN;
  return Math.abs(value) <= most ? value : null;
}
