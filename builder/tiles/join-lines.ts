import { PathList, type TileLines } from './path-list.ts';

/** More than the world's side in units of the last zoom takes. */
const COORDINATE_BITS = 27;

/**
 * Joins lines into longer ones wherever exactly two of them end in a point, so that a label has
 * room along a street that was mapped in pieces. `keepsDirection`: only where one ends and the
 * other begins. Linear in the number of lines.
 */
export function joinLines(lines: TileLines, keepsDirection: boolean): TileLines {
  const { firstPoint, x, y } = lines;
  const count = firstPoint.length - 1;
  const ends = new Map<number, number[]>();
  // End 2l is where line l begins, 2l + 1 where it ends.
  const pointOf = (end: number) =>
    end % 2 === 0 ? firstPoint[end >> 1] : firstPoint[(end >> 1) + 1] - 1;
  for (let end = 0; end < count * 2; end++) {
    const at = x[pointOf(end)] * 2 ** COORDINATE_BITS + y[pointOf(end)];
    const there = ends.get(at);
    if (there) there.push(end);
    else ends.set(at, [end]);
  }
  /** The end that continues another; -1 if none does. */
  const next = new Int32Array(count * 2).fill(-1);
  for (const there of ends.values()) {
    if (there.length !== 2) continue;
    const [a, b] = there;
    if (a >> 1 === b >> 1 || (keepsDirection && a % 2 === b % 2)) continue;
    next[a] = b;
    next[b] = a;
  }
  const used = new Uint8Array(count);
  const out = new PathList();
  const follow = (start: number) => {
    for (let from = start; from !== -1 && used[from >> 1] === 0; from = next[from ^ 1]) {
      const line = from >> 1;
      used[line] = 1;
      const [first, last] = [firstPoint[line], firstPoint[line + 1] - 1];
      if (from % 2 === 0) for (let i = first; i <= last; i++) out.add(x[i], y[i]);
      else for (let i = last; i >= first; i--) out.add(x[i], y[i]);
    }
    out.end();
  };
  // From the ends of chains, forwards where possible; what remains are loops.
  for (const isLoop of [false, true]) {
    for (let end = 0; end < count * 2; end++) {
      if (used[end >> 1] === 1 || (!isLoop && next[end] !== -1)) continue;
      if (keepsDirection && end % 2 === 1) continue;
      follow(end);
    }
  }
  return out.rings();
}
