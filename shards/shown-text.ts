/**
 * Characters that a name in a list must not have: control characters, including those that change
 * the direction of writing, and ends of lines.
 */
export const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const EVERY_UNSHOWN = new RegExp(UNSHOWN, 'gu');

/** Returns a text of others as one line for a terminal: what could act on it is replaced. */
export function asShown(text: string): string {
  return text.replaceAll(EVERY_UNSHOWN, '\uFFFD');
}

/** Characters of the longest name; longer ones are descriptions, or mistakes. */
const LONGEST_NAME = 100;

export function isShown(name: string): boolean {
  return name !== '' && name.length <= LONGEST_NAME && !UNSHOWN.test(name);
}
