/** Digits of a code, and of one that is mailed while too many short ones are tried. */
export const CODE_DIGITS = 6;
export const LONG_CODE_DIGITS = 12;

/** Start of long codes and of no short one, so that a form knows how many digits follow. */
export const LONG_CODE_START = '99';

/** The digits of the code that begins with this text. */
export function digitsOfCode(start: string): number {
  return start.startsWith(LONG_CODE_START) ? LONG_CODE_DIGITS : CODE_DIGITS;
}
