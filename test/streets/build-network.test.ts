import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { waitOncePerLine } from '../../builder/streets/ferry-lines.ts';
import { BY_LENGTH } from '../../builder/streets/network.ts';
import {
  LIMITS_RIDE,
  LIMITS_WALK,
  SIGNAL,
  STOPS_RIDE,
  STOPS_WALK,
} from '../../builder/streets/node-traits.ts';
import {
  NO_LINKING,
  PUSHED_THROUGH,
  RIDE,
  RIDE_LOCAL,
  stressForward,
  WALK,
  WALK_LOCAL,
  withStress,
} from '../../builder/streets/trait-bits.ts';
import type { WayTime } from '../../builder/streets/way-time.ts';
import { forAll } from '../support/for-all.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { Dice } from '../transit/dice.ts';

/** A metre at the equator in degrees, to the east and to the north. */
const METRE = [1 / 111_319.490793, 1 / 110_574.275822] as const;

const NO_ONE = STOPS_WALK | STOPS_RIDE;
/** The traits of the way through each kind of barrier. */
const THROUGH = new Map([
  [STOPS_RIDE, WALK | PUSHED_THROUGH | NO_LINKING],
  [STOPS_WALK, RIDE | NO_LINKING],
  [LIMITS_WALK, WALK | RIDE | WALK_LOCAL | NO_LINKING],
  [LIMITS_RIDE, WALK | RIDE | RIDE_LOCAL | NO_LINKING],
  [NO_ONE, 0],
]);

/** Nodes some metres apart, and ways over them, many of which meet or revisit a node. */
function randomWays(dice: Dice) {
  const nodeCount = 2 + dice.below(9);
  const places = Array.from({ length: nodeCount }, (_, i) => [i * 20, dice.below(50)] as const);
  const traits = places.map(() =>
    dice.pick([0, 0, 0, 0, SIGNAL, STOPS_RIDE, STOPS_WALK, LIMITS_WALK, LIMITS_RIDE, NO_ONE]),
  );
  const ways = Array.from({ length: 1 + dice.below(5) }, () => {
    const refs = Array.from({ length: 1 + dice.below(6) }, () => dice.below(nodeCount));
    return { refs, traits: WALK };
  });
  const mapped = mappedStreets(
    places.map(([east, north]) => [east * METRE[0], north * METRE[1]]),
    ways,
    traits,
  );
  const metres = (a: number, b: number) =>
    Math.hypot(places[a][0] - places[b][0], places[a][1] - places[b][1]);
  const lengthOf = (refs: readonly number[]) =>
    refs.slice(1).reduce((sum, node, i) => sum + metres(refs[i], node), 0);
  return { nodeCount, traits, ways, mapped, lengthOf };
}

/** The pieces of a way between nodes at which it may be left. */
function piecesOf(refs: readonly number[], mayLeave: (node: number) => boolean): number[][] {
  const pieces: number[][] = [];
  let piece = refs.slice(0, 1);
  refs.slice(1).forEach((node, i) => {
    piece.push(node);
    if (i < refs.length - 2 && !mayLeave(node)) return;
    pieces.push(piece);
    piece = [node];
  });
  return pieces;
}

test('edges are the pieces of ways between nodes where they meet, end, or have a barrier', () =>
  forAll(120, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { traits, ways, mapped, lengthOf } = randomWays(dice);
    const isBarrier = (node: number) => THROUGH.has(traits[node]);
    const uses = (node: number) => ways.flatMap(({ refs }) => refs).filter((ref) => ref === node);
    const isEnd = (node: number) =>
      ways.some(({ refs }) => refs[0] === node || refs[refs.length - 1] === node);
    const mayLeave = (node: number) => uses(node).length > 1 || isBarrier(node) || isEnd(node);
    const network = buildNetwork(...mapped);
    const nodeOf = (lon: number) => Math.round(lon / METRE[0] / 20);
    const edges = Array.from({ length: network.edgeCount }, (_, e) => ({
      nodes: [...network.pointLon]
        .slice(network.firstPoint[e], network.firstPoint[e + 1])
        .map(nodeOf),
      ends: [network.from[e], network.to[e]],
      metres: network.length[e],
      traits: network.traits[e],
    }));
    const isThrough = (traits: number) => (traits & NO_LINKING) !== 0;
    const [pieces, gates] = [false, true].map((are) =>
      edges.filter((edge) => isThrough(edge.traits) === are),
    );
    const expected = ways.flatMap(({ refs }) => piecesOf(refs, mayLeave));
    expect(pieces.map(({ nodes }) => nodes)).toEqual(expected);
    expect([...network.pointLat]).toEqual(
      edges.flatMap(({ nodes }) => nodes).map((node) => mapped[1].lat[node]),
    );
    pieces.forEach(({ nodes, ends, metres }) => {
      expect(metres).toBeCloseTo(lengthOf(nodes), 3);
      ends.forEach((vertex, i) => {
        expect(nodeOf(network.vertexLon[vertex])).toBe(nodes.at(-i));
      });
      const lats = nodes.map((node) => mapped[1].lat[node]);
      expect(ends.map((vertex) => network.vertexLat[vertex])).toEqual([lats[0], lats.at(-1)]);
    });
    // A node has one vertex. A barrier has one for each end of a piece, all joined pairwise.
    const endsAt = (node: number) =>
      pieces.flatMap(({ nodes, ends }) => ends.filter((_, i) => nodes.at(-i) === node));
    const joined: string[] = [];
    traits.forEach((own, node) => {
      const vertices = endsAt(node);
      if (vertices.length === 0) return;
      expect(new Set(vertices).size).toBe(isBarrier(node) ? vertices.length : 1);
      if (!THROUGH.get(own)) return;
      vertices.forEach((vertex, i) => {
        for (const other of vertices.slice(i + 1)) {
          joined.push(`${[vertex, other].sort((a, b) => a - b)} ${THROUGH.get(own)}`);
        }
      });
    });
    expect(
      gates.map((gate) => `${gate.ends.toSorted((a, b) => a - b)} ${gate.traits}`).sort(),
    ).toEqual(joined.sort());
    for (const { metres, nodes } of gates) {
      expect([metres, new Set(nodes).size, nodes.length]).toEqual([0, 1, 2]);
    }
    expect(network.vertexCount).toBe(new Set(edges.flatMap(({ ends }) => ends)).size);
    expect(network.vertexLat.length).toBe(network.vertexCount);
  }));

test('the time of a way is shared by its edges according to their length', () =>
  forAll(150, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { ways, mapped, lengthOf } = randomWays(dice);
    const times = new Map<number, WayTime>(
      ways.flatMap((_, way): [number, WayTime][] =>
        dice.chance(0.5)
          ? [[way, { waiting: 0, moving: dice.pick([null, 1 + dice.below(500)]) }]]
          : [],
      ),
    );
    const marked = ways.map((_, way) => WALK | (way << 24));
    const network = buildNetwork(
      { ...mapped[0], traits: Uint32Array.from(marked), times },
      mapped[1],
    );
    ways.forEach(({ refs }, way) => {
      const edges = [...network.traits.keys()].filter(
        (e) => network.traits[e] >>> 24 === way && !(network.traits[e] & NO_LINKING),
      );
      const own = edges.map((e) => network.fixedTime[e]);
      const time = times.get(way);
      if (!time) {
        expect(own).toEqual(own.map(() => BY_LENGTH));
        return;
      }
      const all = lengthOf(refs);
      // A way without a duration of its own is travelled at a ferry's 10 km/h.
      const seconds = time.moving ?? all / (10 / 3.6);
      edges.forEach((e, i) => {
        const part = all === 0 ? 1 / edges.length : network.length[e] / all;
        expect(Math.abs(own[i] - 1_000 * seconds * part)).toBeLessThan(0.51 + 1e-3 * seconds);
      });
    });
    for (const [e, traits] of network.traits.entries()) {
      if (traits & NO_LINKING) expect(network.fixedTime[e]).toBe(BY_LENGTH);
    }
  }));

test('an elevator whose landings are mapped at one place takes its time only once', () => {
  const [mapped, nodes] = mappedStreets(
    Array.from({ length: 4 }, () => [0, 0]),
    [
      { refs: [0, 1, 2], traits: WALK },
      { refs: [1, 3], traits: WALK },
    ],
  );
  const times = new Map([[0, { waiting: 0, moving: 60 }]]);
  const { fixedTime } = buildNetwork({ ...mapped, times }, nodes);
  expect([...fixedTime]).toEqual([30_000, 30_000, BY_LENGTH]);
});

test('a signal keeps the stress of the streets that meet there apart', () => {
  const calm = WALK | RIDE | withStress(0, 1, 1);
  const busy = WALK | RIDE | withStress(0, 4, 4);
  for (const [at, met] of [
    [0, 4],
    [SIGNAL, 1],
  ]) {
    const places = [0, 100, 200].map((east) => [east * METRE[0], 0]);
    const ways = [
      { refs: [0, 1], traits: calm },
      { refs: [1, 2], traits: busy },
    ];
    const network = buildNetwork(...mappedStreets(places, ways, [0, at, 0]));
    expect(Array.from(network.traits, stressForward)).toEqual([met, 4]);
  }
});

test('ferries that meet where nothing else does share the longest wait in proportion to length', () =>
  forAll(200, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { ways, mapped, lengthOf } = randomWays(dice);
    const ferries = ways.map(() => {
      const waiting = dice.pick([0, 60, 300, 600]);
      return dice.chance(0.75) ? { waiting, moving: dice.pick([null, 100]) } : null;
    });
    const times = new Map(ferries.flatMap((time, way) => (time ? [[way, time] as const] : [])));
    const uses = (node: number) =>
      ways.flatMap(({ refs }) => refs).filter((ref) => ref === node).length;
    const endsOf = (way: number) => [ways[way].refs[0], ways[way].refs.at(-1)!];
    const waits = (way: number) => (ferries[way]?.waiting ?? 0) > 0;
    const lines = [...ways.keys()];
    for (const a of ways.keys()) {
      for (const b of ways.keys()) {
        if (a === b || !waits(a) || !waits(b)) continue;
        const isMet = endsOf(a).some((node) => endsOf(b).includes(node) && uses(node) === 2);
        if (!isMet) continue;
        const joined = lines[b];
        lines.forEach((line, way) => {
          if (line === joined) lines[way] = lines[a];
        });
      }
    }
    const found = waitOncePerLine({ ...mapped[0], times }, mapped[1]);
    expect([...found.keys()].sort()).toEqual([...times.keys()].sort());
    for (const [way, time] of times) {
      const line = [...ways.keys()].filter((other) => waits(other) && lines[other] === lines[way]);
      const all = line.reduce((sum, other) => sum + lengthOf(ways[other].refs), 0);
      const longest = Math.max(...line.map((other) => ferries[other]!.waiting));
      const isAlone = line.length < 2 || all === 0;
      const share = isAlone ? time.waiting : (longest * lengthOf(ways[way].refs)) / all;
      expect(found.get(way)!.waiting).toBeCloseTo(waits(way) ? share : 0, 4);
      expect(found.get(way)!.moving).toBe(time.moving);
    }
  }));

test('ferries between landings mapped at one place keep their own waits', () => {
  const [mapped, nodes] = mappedStreets(
    [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    [
      { refs: [0, 1], traits: WALK },
      { refs: [1, 2], traits: WALK },
    ],
  );
  const times = new Map([60, 90].map((waiting, way) => [way, { waiting, moving: 30 }]));
  expect(waitOncePerLine({ ...mapped, times }, nodes)).toEqual(times);
});
