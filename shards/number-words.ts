/** `1 county`, `2 counties`: a count with the right form of the noun. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}

const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** A whole number as it is written in prose: small ones as words. */
export function numberWord(number: number): string {
  return WORDS[number] ?? String(number);
}
