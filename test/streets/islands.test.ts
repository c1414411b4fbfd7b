import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeIslands, closeOffBehindPrivate, markCutOff } from '../../builder/streets/islands.ts';
import { CLOSED, type ModeCosts } from '../../builder/streets/mode-costs.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import { FERRY } from '../../builder/streets/trait-bits.ts';
import { forAll } from '../support/for-all.ts';

interface Street {
  readonly ends: readonly [from: number, to: number];
  /** Open in the street's direction, and against it. */
  readonly open: readonly [boolean, boolean];
  readonly isFerry: boolean;
  readonly isLocal: boolean;
}

const VERTICES = 9;
const vertex = fc.nat(VERTICES - 1);
const mostly = (share: number) => fc.integer({ min: 1, max: 100 }).map((n) => n <= share);
const street: fc.Arbitrary<Street> = fc.record({
  ends: fc.tuple(vertex, vertex),
  open: fc.tuple(mostly(75), mostly(75)),
  isFerry: mostly(10),
  isLocal: mostly(30),
});
const streets = fc.array(street, { minLength: 1, maxLength: 14 });
const perVertex = fc.array(mostly(80), { minLength: VERTICES, maxLength: VERTICES });
const someVertices = fc.uniqueArray(vertex, { maxLength: 2 });

function networkOf(list: readonly Street[]): { network: StreetNetwork; costs: ModeCosts } {
  const none = new Float64Array(0);
  const network: StreetNetwork = {
    vertexCount: VERTICES,
    edgeCount: list.length,
    from: Uint32Array.from(list, ({ ends }) => ends[0]),
    to: Uint32Array.from(list, ({ ends }) => ends[1]),
    traits: Uint32Array.from(list, ({ isFerry }) => (isFerry ? FERRY : 0)),
    length: none,
    fixedTime: new Int32Array(0),
    firstPoint: new Uint32Array(0),
    pointLon: none,
    pointLat: none,
    vertexLon: none,
    vertexLat: none,
  };
  const costs: ModeCosts = {
    forward: Int32Array.from(list, ({ open }) => (open[0] ? 7 : CLOSED)),
    backward: Int32Array.from(list, ({ open }) => (open[1] ? 7 : CLOSED)),
    isLocal: Uint8Array.from(list, ({ isLocal }) => Number(isLocal)),
    ridden: new Uint8Array(list.length),
  };
  return { network, costs };
}

/** Strongly connected component of each vertex; an extra last vertex stands for what is beyond. */
function connected(list: readonly Street[], beyond: readonly number[]): Set<number>[] {
  const leadsTo = Array.from({ length: VERTICES + 1 }, (_, from) => {
    const found = new Set([from]);
    for (const at of found) {
      for (const { ends, open } of list) {
        if (open[0] && ends[0] === at) found.add(ends[1]);
        if (open[1] && ends[1] === at) found.add(ends[0]);
      }
      if (beyond.includes(at)) found.add(VERTICES);
      if (at === VERTICES) for (const inside of beyond) found.add(inside);
    }
    return found;
  });
  return leadsTo.map((to, v) => new Set([...to].filter((w) => leadsTo[w].has(v))));
}

const isBeyond = (part: ReadonlySet<number>) => part.has(VERTICES);
const onLand = (list: readonly Street[]) => list.filter(({ isFerry }) => !isFerry);
const bytes = (flags: readonly boolean[]) => Uint8Array.from(flags, Number);

describe('islands', () => {
  test('of fewer covered vertices than required are closed, with the streets that touch them', () =>
    forAll(
      400,
      streets,
      perVertex,
      someVertices,
      fc.integer({ min: 1, max: 5 }),
      (list, isCovered, beyond, least) => {
        const parts = connected(onLand(list), beyond);
        const isSmall = (v: number) =>
          !isBeyond(parts[v]) && [...parts[v]].filter((w) => isCovered[w]).length < least;
        const { network, costs } = networkOf(list);
        const cut = closeIslands(network, costs, least, bytes(isCovered), beyond);
        const touched = new Set<number>();
        list.forEach(({ ends, open }, e) => {
          const small = ends.filter(isSmall);
          const isOpen = (at: 0 | 1) => open[at] && small.length === 0;
          expect([costs.forward[e] !== CLOSED, costs.backward[e] !== CLOSED]).toEqual([
            isOpen(0),
            isOpen(1),
          ]);
          if (open[0] || open[1]) for (const v of small) touched.add(v);
        });
        expect(cut).toBe(touched.size);
      },
    ));

  test('that exist only without the streets outside the data are marked', () =>
    forAll(
      400,
      streets,
      perVertex,
      someVertices,
      fc.integer({ min: 1, max: 5 }),
      (list, isCovered, beyond, least) => {
        const inside = onLand(list).filter(({ ends }) => ends.every((v) => isCovered[v]));
        const parts = connected(inside, beyond);
        const isWhole = (v: number) =>
          isCovered[v] && (isBeyond(parts[v]) || parts[v].size >= least);
        const { network, costs } = networkOf(list);
        const marked = markCutOff(network, costs, least, bytes(isCovered), beyond);
        const expected = list.map(({ ends }) => !isCovered.every(Boolean) && !ends.some(isWhole));
        expect(marked).toEqual(bytes(expected));
      },
    ));
});

test('the largest public part of connected streets stays public; a part that leads beyond comes first', () =>
  forAll(400, streets, someVertices, (list, beyond) => {
    const wholes = connected(list, beyond);
    const parts = connected(
      list.filter(({ isLocal }) => !isLocal),
      beyond,
    );
    const sizeOf = (part: ReadonlySet<number>) => (isBeyond(part) ? Infinity : part.size);
    const { network, costs } = networkOf(list);
    closeOffBehindPrivate(network, costs, beyond);
    if (list.every(({ isLocal }) => !isLocal)) {
      expect(costs.isLocal).toEqual(new Uint8Array(list.length));
      return;
    }
    // Among equally large parts, the one with the lowest vertex wins.
    const publicPart = (v: number) =>
      [...wholes[v]]
        .filter((w) => w < VERTICES)
        .sort((a, b) => sizeOf(parts[b]) - sizeOf(parts[a]) || a - b)
        .map((w) => parts[w])[0];
    const isPublic = (v: number) => publicPart(v).has(v);
    const expected = list.map(({ ends, isLocal }) => isLocal || !ends.every(isPublic));
    expect(costs.isLocal).toEqual(bytes(expected));
  }));
