import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BandedArea } from '../../shards/geometry/banded-area.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import type { Rings } from '../../shards/geometry/rings.ts';
import { forAll } from '../support/for-all.ts';

/** Side of a point by integer arithmetic; all coordinates are doubled, so halves become whole. */
function plainSide(rings: readonly (readonly Position[])[], px: number, py: number): string {
  let isInside = false;
  for (const ring of rings) {
    for (const [i, [bx, by]] of ring.entries()) {
      const [ax, ay] = ring[(i + ring.length - 1) % ring.length];
      const turn = BigInt(bx - ax) * BigInt(py - ay) - BigInt(by - ay) * BigInt(px - ax);
      const within = (a: number, b: number, p: number) =>
        Math.min(a, b) <= p && p <= Math.max(a, b);
      if (turn === 0n && within(ax, bx, px) && within(ay, by, py)) return 'border';
      if (ay > py !== by > py && turn > 0n === by > ay) isInside = !isInside;
    }
  }
  return isInside ? 'inside' : 'outside';
}

function flat(rings: readonly (readonly Position[])[]): Rings {
  const firstPoint = [0];
  for (const ring of rings) firstPoint.push(firstPoint[firstPoint.length - 1] + ring.length);
  return {
    firstRing: Uint32Array.of(0, rings.length),
    firstPoint: Uint32Array.from(firstPoint),
    x: Int32Array.from(rings.flat(), ([x]) => x),
    y: Int32Array.from(rings.flat(), ([, y]) => y),
  };
}

test('classifies any point, including corners and edges, like plain integer arithmetic', async () => {
  const small = fc.integer({ min: -12, max: 12 });
  const large = fc.integer({ min: -180e6, max: 180e6 });
  for (const coordinate of [small, large]) {
    const ring = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 60 });
    await forAll(300, fc.array(ring, { minLength: 1, maxLength: 3 }), (rings) => {
      const area = new BandedArea(flat(rings));
      const doubled = rings.map((one) => one.map(([x, y]): Position => [2 * x, 2 * y]));
      const corners = rings.flat();
      const middles = corners.map(([x, y], i): Position => {
        const [u, v] = corners[(i + 1) % corners.length];
        return [(x + u) / 2, (y + v) / 2];
      });
      const beside = corners.map(([x, y]): Position => [x + 0.5, y - 0.5]);
      for (const [x, y] of [...corners, ...middles, ...beside, [500e6, 500e6], [0, -500e6]]) {
        expect([x, y, area.sideOf(x, y)]).toEqual([x, y, plainSide(doubled, 2 * x, 2 * y)]);
      }
    });
  }
});
