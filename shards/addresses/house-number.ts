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
  const [, low, high] = /^(\d{1,6})\s*-\s*(\d{1,6})$/.exec(text.trim()) ?? [];
  const parts = low !== undefined && isRange(low, high) ? [low, high] : text.split(/[;,]/);
  return parts.map(parseHouseNumber).filter((number) => number !== null);
}

/** Whether a hyphenated number may stand for several houses: `12-14`, but not `37-52` of Queens. */
function isRange(low: string, high: string): boolean {
  const length = Number(high) - Number(low);
  const isOneSide = length % 2 === 0;
  return length > 0 && length < 100 && (isOneSide || high.length !== 2);
}

/** A house number as people write it, and what else it may mean. */
interface WrittenNumber {
  readonly number: HouseNumber;
  readonly otherwise: HouseNumber | null;
}

/**
 * Reads a house number as people write it; null for other text. `12-14` is first 12, the first of
 * several houses, and otherwise 1214; `37-10`, which is no range, is first 3710, and otherwise 37.
 */
export function readHouseNumber(text: string): WrittenNumber | null {
  const [, low, high, suffix = ''] = /^(\d{1,6})[-–](\d{1,6})([a-z]?)$/i.exec(text.trim()) ?? [];
  if (low === undefined) {
    const number = parseHouseNumber(text);
    return number && { number, otherwise: null };
  }
  const first = { number: Number(low), suffix: suffix.toLowerCase() };
  const joined = parseHouseNumber(`${low}-${high}${suffix}`);
  return joined === null || isRange(low, high)
    ? { number: first, otherwise: joined }
    : { number: joined, otherwise: first };
}
