import type { Degrees } from '../../shards/units.ts';

const DECIMAL = /^[+-]?\d+(\.\d*)?$/;

/**
 * Reads a coordinate of an internal point, such as `+39.3041` or a number; null for anything that
 * is not a decimal number between -`most` and `most`.
 */
export function coordinateOf(field: unknown, most: Degrees): Degrees | null {
  const text = String(field);
  if (typeof field !== 'number' && !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Math.abs(value) <= most ? value : null;
}
