/**
 * The Levenshtein distance of two texts: the fewest insertions, deletions and replacements of a
 * character that turn one into the other (Wagner and Fischer, 1974).
 */
export function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, above[j] + 1, row[j - 1] + 1));
    }
    above = row;
  }
  return above[to.length];
}
