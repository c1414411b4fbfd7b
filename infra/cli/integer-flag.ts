import { UsageError } from '../errors.ts';

/** An integer in a flag; a `UsageError` that names the flag if it is none within bounds. */
export function integer(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${name}: "${text}" is not an integer from ${min} to ${max}`);
}
