import { ArgumentError } from '../errors.ts';

/**
 * Parses an integer flag; throws an `ArgumentError` naming the flag if the value is not an integer
 * within bounds.
 */
export function integer(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ArgumentError(`${name}: "${text}" is not an integer from ${min} to ${max}`);
}
