/**
 * Beginnings that spreadsheets take for those of a formula. Other text is unchanged, so that ids
 * can be joined.
 */
const FORMULA = /^[=+\-@\t\r]/;
/** Separators, quotes and line ends; also byte order marks and outer spaces, which readers trim. */
const QUOTED = /[",\r\n\ufeff]|^ | $/;

/** Writes text as a field of CSV (RFC 4180) that is read as the same text. */
export function csvField(text: string): string {
  return QUOTED.test(text) ? quoted(text) : text;
}

/**
 * Writes a value as a field of CSV for people: text that a spreadsheet would run as a formula
 * begins with an apostrophe, and null and undefined are empty.
 */
export function csvCell(value: unknown): string {
  if (typeof value === 'string' && FORMULA.test(value)) return quoted(`'${value}`);
  return value === null || value === undefined ? '' : csvField(String(value));
}

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
