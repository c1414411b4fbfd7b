/** `1 county`, `2,000 counties`: a count with the right form of the noun. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${withCommas(value)} ${value === 1 ? one : many}`;
}

export function withCommas(value: number): string {
  return String(value).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','));
}

/** Formats a number of bytes: `1.2 MB`, `3,400 MB`. */
export function megabytes(bytes: number): string {
  const amount = bytes / 1e6;
  if (bytes > 0 && amount < 0.1) return 'under 0.1 MB';
  return `${amount < 10 ? amount.toFixed(1).replace('.0', '') : withCommas(Math.round(amount))} MB`;
}

const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Formats a whole number for prose: numbers up to twelve as words. */
export function numberWord(number: number): string {
  return WORDS[number] ?? String(number);
}
