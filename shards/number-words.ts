const WORDS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** A whole number as prose has it: small ones as words. */
export function numberWord(number: number): string {
  return WORDS[number] ?? String(number);
}
