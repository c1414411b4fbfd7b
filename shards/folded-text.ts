const MARKS = /\p{Mark}+/gu;

/** Normalizes text for comparison, ignoring case, accents and Unicode encoding form. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().trim();
}

/**
 * The optimal string alignment distance of two texts: the fewest insertions, deletions and
 * replacements of a character, and exchanges of adjacent ones, that turn one into the other, none
 * of them within another's (Damerau, 1964).
 */
export function editDistance(from: string, to: string): number {
  let [twoAbove, above]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isExchange = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const exchanged = isExchange ? twoAbove[j - 2] + 1 : replaced;
      row.push(Math.min(replaced, exchanged, above[j] + 1, row[j - 1] + 1));
    }
    [twoAbove, above] = [above, row];
  }
  return above[to.length];
}
