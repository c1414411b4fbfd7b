/** A point with integer coordinates, so that results computed from it are exact. */
export type Cell = readonly [x: number, y: number];

/** Twice the signed area of a triangle, exact: positive where a → b → c turns left. */
export function turn([ax, ay]: Cell, [bx, by]: Cell, [cx, cy]: Cell): number {
  return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
}

/** Whether a point lies on the edge from a to b. */
export function isOn(a: Cell, b: Cell, p: Cell): boolean {
  const between = (i: 0 | 1) => Math.min(a[i], b[i]) <= p[i] && p[i] <= Math.max(a[i], b[i]);
  return turn(a, b, p) === 0 && between(0) && between(1);
}
