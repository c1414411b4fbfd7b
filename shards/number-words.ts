/** `1 county`, `2,000 counties`: a count with the right form of the noun. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${withCommas(value)} ${value === 1 ? one : many}`;
}

/** Formats a number with thousands separators, without loading locale data. */
export function withCommas(value: number): string {
  return String(value).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','));
}

const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Formats a whole number for prose: numbers up to twelve as words. */
export function numberWord(number: number): string {
  return WORDS[number] ?? String(number);
}
