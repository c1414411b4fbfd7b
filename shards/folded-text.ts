const MARKS = /\p{Mark}+/gu;

/** Normalizes text for comparison, ignoring case, accents and Unicode encoding form. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().trim();
}

/** Rows of the table of distances, which calls share. */
let rows = Array.from({ length: 3 }, () => new Float64Array(64));

/**
 * The optimal string alignment distance of two texts: the fewest insertions, deletions and
 * replacements of a character, and exchanges of adjacent ones, that turn one into the other, none
 * of them within another's (Damerau, 1964).
 */
export function editDistance(from: string, to: string): number {
  const width = to.length + 1;
  if (rows[0].length < width) rows = rows.map(() => new Float64Array(2 * width));
  let [twoAbove, above, row] = rows;
  for (let j = 0; j < width; j++) above[j] = j;
  for (let i = 1; i <= from.length; i++) {
    row[0] = i;
    for (let j = 1; j < width; j++) {
      const isSame = from.charCodeAt(i - 1) === to.charCodeAt(j - 1);
      row[j] = Math.min(above[j - 1] + (isSame ? 0 : 1), above[j] + 1, row[j - 1] + 1);
      const isExchange =
        i > 1 &&
        j > 1 &&
        from.charCodeAt(i - 1) === to.charCodeAt(j - 2) &&
        from.charCodeAt(i - 2) === to.charCodeAt(j - 1);
      if (isExchange) row[j] = Math.min(row[j], twoAbove[j - 2] + 1);
    }
    [twoAbove, above, row] = [above, row, twoAbove];
  }
  return above[to.length];
}

/** Returns the first of the texts with the fewest edits from another; undefined if over `most`. */
export function closestText(texts: readonly string[], wanted: string, most: number) {
  return texts
    .filter(({ length }) => Math.abs(length - wanted.length) <= most)
    .map((text) => ({ text, edits: editDistance(text, wanted) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits)
    .at(0);
}
