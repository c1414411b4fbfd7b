import { addTo } from '../../shards/arrays/group-by.ts';
import { PathList, type TileLines } from './path-list.ts';

/** Bits per coordinate; more than the world's side takes in units of the last zoom. */
const COORDINATE_BITS = 27;

/**
 * Joins lines into longer ones wherever exactly two lines end in a point, so that a label has room
 * along a street that was mapped in pieces. With `keepsDirection`, lines are joined only where one
 * ends and the other begins. Takes time linear in the number of lines.
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
    addTo(ends, at, end);
  }
  /** Per end, the end of another line that continues it; -1 if there is none. */
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
  // Starts at the ends of chains, forwards where possible; the lines that remain are loops.
  for (const isLoop of [false, true]) {
    for (let end = 0; end < count * 2; end++) {
      if (used[end >> 1] === 1 || (!isLoop && next[end] !== -1)) continue;
      if (keepsDirection && end % 2 === 1) continue;
      follow(end);
    }
  }
  return out.rings();
}
