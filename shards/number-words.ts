/** `1 county`, `2 counties`: digits and the right form of a noun. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}

const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** A whole number as prose has it: small ones as words. */
export function numberWord(number: number): string {
  return WORDS[number] ?? String(number);
}
