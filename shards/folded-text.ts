const MARKS = /\p{Mark}+/gu;

/** Text for comparing: without case, accents, or how they are encoded. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().trim();
}
