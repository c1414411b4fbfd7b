/** Parses the items of an option, which commas separate; spaces around them do not count. */
export function commaList(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}
