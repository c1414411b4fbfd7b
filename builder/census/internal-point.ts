import type { Degrees } from '../../shards/units.ts';
import { decimalOf } from '../inputs/decimal.ts';

/**
 * Reads a coordinate of an internal point, such as `+39.3041` or a number; null for anything that
 * is not a decimal number between -`most` and `most`.
 */
export function coordinateOf(field: unknown, most: Degrees): Degrees | null {
  const value = typeof field === 'number' ? field : decimalOf(String(field));
  return Math.abs(value) <= most ? value : null;
}
