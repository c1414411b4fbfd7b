const MARKS = /\p{Mark}+/gu;

/** Normalizes text for comparison, ignoring case, accents and Unicode encoding form. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().trim();
}
