/** A house number: its number, and what follows it, such as `b` or `1/2`. */
export interface HouseNumber {
  readonly number: number;
  readonly suffix: string;
}

/** The largest house number; larger ones are mistakes. */
const MAX_NUMBER = 999_999;

/**
 * Parses a house number; null for other text. Both parts of a hyphenated number count, as in
 * Queens: `45-07` is 4507.
 */
export function parseHouseNumber(text: string): HouseNumber | null {
  const parts = /^(\d{1,6})(?:-(\d{2}))?(?:[\s-]*([a-z]|1\/2))?$/i.exec(text.trim());
  if (parts === null) return null;
  const [, first, second, suffix = ''] = parts;
  const number = Number(`${first}${second ?? ''}`);
  return number > MAX_NUMBER ? null : { number, suffix: suffix.toLowerCase() };
}

/**
 * Parses the numbers of an `addr:housenumber`: a list has several, and `2101-2105` both of its
 * ends.
 */
export function parseHouseNumbers(text: string): HouseNumber[] {
  const range = /^(\d{1,6})\s*-\s*(\d{1,6})$/.exec(text.trim());
  const [low, high] = [Number(range?.[1]), Number(range?.[2])];
  const isRange = high > low && high - low < 100;
  const parts = isRange ? [range![1], range![2]] : text.split(/[;,]/);
  return parts.map(parseHouseNumber).filter((number) => number !== null);
}
