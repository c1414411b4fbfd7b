import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkTargets, targetsAlongStreets } from '../../builder/streets/linked-targets.ts';
import { CLOSED, type ModeCosts } from '../../builder/streets/mode-costs.ts';
import { buildModeGraph, type ModeGraph } from '../../builder/streets/mode-graph.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import { searchGraphOf } from '../../builder/streets/search-graph.ts';
import { packLinks, unpackLink } from '../../builder/streets/street-region.ts';
import { StreetSearch } from '../../builder/streets/street-search.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from '../transit/dice.ts';

/**
 * A street between two vertices, of some steps. The times along it and against it are multiples of
 * `steps`; null where that direction is closed.
 */
interface Street {
  readonly ends: readonly [number, number];
  readonly steps: number;
  readonly times: readonly [number | null, number | null];
  readonly isLocal: boolean;
}

/** A point on a street: the times from the street's first end, back to it, and off the street. */
interface Spot {
  readonly street: number;
  readonly along: number;
  readonly back: number;
  readonly offStreet: number;
}

/**
 * Streets between a few vertices. Often only two streets meet; some are one-way, local, in a ring,
 * or parallel to another. Times span several buckets of the search.
 */
function randomStreets(dice: Dice) {
  const vertices = 1 + dice.below(12);
  const longest = dice.pick([3, 50, 5_000, 20_000]);
  const streets: Street[] = [];
  const add = (a: number, b: number, isLocal: boolean) => {
    const ways = dice.pick([3, 3, 3, 3, 3, 1, 2, 0]);
    const steps = 1 + dice.below(4);
    const isBarrier = dice.chance(0.05);
    const time = (way: number) => {
      if (!(ways & way)) return null;
      return isBarrier ? 0 : steps * (1 + dice.below(longest));
    };
    streets.push({ ends: [a, b], steps, times: [time(1), time(2)], isLocal });
  };
  // Paths of streets through vertices of their own, between any of the first vertices.
  let next = vertices;
  for (let paths = 1 + dice.below(10); paths > 0; paths--) {
    const isLocal = dice.chance(0.25);
    let at = dice.below(vertices);
    for (let more = dice.pick([0, 0, 1, 3]); more > 0; more--) {
      const through = next++;
      if (dice.chance(0.5)) add(at, through, isLocal);
      else add(through, at, isLocal);
      at = through;
    }
    add(at, dice.below(vertices), dice.chance(0.1) ? !isLocal : isLocal);
  }
  // Rings that nothing leads to.
  for (let rings = dice.pick([0, 0, 1]); rings > 0; rings--) {
    const [size, first] = [1 + dice.below(3), next];
    next += size;
    for (let i = 0; i < size; i++) add(first + i, first + ((i + 1) % size), false);
  }
  return { vertices: next, streets };
}

function networkOf(dice: Dice, vertices: number, streets: readonly Street[]) {
  const places = Array.from({ length: vertices }, () => [dice.next(), dice.next()] as const);
  const network = {
    vertexCount: vertices,
    edgeCount: streets.length,
    from: Uint32Array.from(streets, ({ ends }) => ends[0]),
    to: Uint32Array.from(streets, ({ ends }) => ends[1]),
    vertexLon: Float64Array.from(places, ([lon]) => lon),
    vertexLat: Float64Array.from(places, ([, lat]) => lat),
  } as Partial<StreetNetwork> as StreetNetwork;
  const costs: ModeCosts = {
    forward: Int32Array.from(streets, ({ times }) => times[0] ?? CLOSED),
    backward: Int32Array.from(streets, ({ times }) => times[1] ?? CLOSED),
    isLocal: Uint8Array.from(streets, ({ isLocal }) => Number(isLocal)),
    ridden: new Uint8Array(streets.length),
  };
  return { network, costs };
}

/** A random spot on a street open both ways, to which points may be linked; null if none is. */
function randomSpot(dice: Dice, streets: readonly Street[]): Spot | null {
  const open = [...streets.keys()].filter((street) => !streets[street].times.includes(null));
  if (open.length === 0) return null;
  const street = dice.pick(open);
  const { steps, times } = streets[street];
  const before = dice.below(steps + 1);
  const [along, back] = times.map((time) => (before * time!) / steps);
  return { street, along, back, offStreet: dice.below(40) };
}

/** The link to a spot. */
function linkOf({ chains }: ModeGraph, streets: readonly Street[], spot: Spot) {
  const { street, along, back, offStreet } = spot;
  const [there, home] = streets[street].times;
  const isReversed = chains.reversed[street] === 1;
  return {
    chain: chains.chainOf[street],
    along: chains.before[street] + (isReversed ? home! - back : along),
    alongBack: chains.beforeBack[street] + (isReversed ? there! - along : back),
    offStreet,
    snap: 0,
  };
}

/**
 * The shortest times from some spots to another, by relaxing all streets until nothing changes. A
 * trip takes local streets first, then public ones, then local ones again.
 */
function shortest(
  vertices: number,
  streets: readonly Street[],
  origin: readonly Spot[],
): (to: Spot) => number {
  const legs = [0, 1, 2].map(() => new Array<number>(vertices).fill(Infinity));
  const legsOf = (isLocal: boolean) => (isLocal ? [legs[0], legs[2]] : [legs[1]]);
  for (const { street, along, back, offStreet } of origin) {
    const { ends, times, isLocal } = streets[street];
    const [begun] = legsOf(isLocal);
    begun[ends[0]] = Math.min(begun[ends[0]], offStreet + back);
    begun[ends[1]] = Math.min(begun[ends[1]], offStreet + times[0]! - along);
  }
  for (let changed = true; changed; ) {
    changed = false;
    const lower = (leg: number[], vertex: number, time: number) => {
      if (time >= leg[vertex]) return;
      leg[vertex] = time;
      changed = true;
    };
    for (const { ends, times, isLocal } of streets) {
      for (const leg of legsOf(isLocal)) {
        lower(leg, ends[1], leg[ends[0]] + (times[0] ?? Infinity));
        lower(leg, ends[0], leg[ends[1]] + (times[1] ?? Infinity));
      }
    }
    for (let vertex = 0; vertex < vertices; vertex++) {
      lower(legs[1], vertex, legs[0][vertex]);
      lower(legs[2], vertex, legs[1][vertex]);
    }
  }
  return ({ street, along, back, offStreet }) => {
    const { ends, times, isLocal } = streets[street];
    const byEnds = legsOf(isLocal).flatMap((leg) => [
      leg[ends[0]] + along,
      leg[ends[1]] + times[1]! - back,
    ]);
    const onStreet = origin
      .filter((from) => from.street === street)
      .map(
        (from) => from.offStreet + (along >= from.along ? along - from.along : from.back - back),
      );
    return offStreet + Math.min(...byEnds, ...onStreet);
  };
}

test('times on the contracted graph equal those by relaxing all streets, from and to any number of spots', () =>
  forAll(250, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { vertices, streets } = randomStreets(dice);
    const { network, costs } = networkOf(dice, vertices, streets);
    const graph = buildModeGraph(network, costs);
    const targetCount = 1 + dice.below(6);
    const spots = Array.from({ length: dice.below(9) }, () => randomSpot(dice, streets)).filter(
      (spot) => spot !== null,
    );
    const targets = spots.map((spot) => ({ target: dice.below(targetCount), spot }));
    const linked = linkTargets(
      searchGraphOf(graph),
      targetCount,
      targets.map(({ target, spot }) => ({ target, link: linkOf(graph, streets, spot) })),
    );
    // One entry of two numbers per end of a street, and per end of the copy of a local street.
    const ends = targets.map(({ spot }) => (streets[spot.street].isLocal ? 4 : 2));
    expect(linked.entries.length).toBe(2 * ends.reduce((sum, count) => sum + count, 0));
    const limit = dice.pick([0, 40, 1_000, 4_095, 4_096, 30_000, 100_000]);
    const search = new StreetSearch(searchGraphOf(graph), linked, limit);
    // One search serves origin after origin.
    for (let origins = 0; origins < 4; origins++) {
      const origin = Array.from({ length: dice.pick([0, 1, 1, 2]) }, () =>
        randomSpot(dice, streets),
      ).filter((spot) => spot !== null);
      const packed = packLinks([null, ...origin.map((spot) => linkOf(graph, streets, spot)), null]);
      for (const at of [0, origin.length + 1]) expect(unpackLink(packed, at)).toBeNull();
      const count = search.run(...origin.map((_, i) => unpackLink(packed, i + 1)!));
      const timeTo = shortest(vertices, streets, origin);
      const meant = Array.from({ length: targetCount }, (_, target) =>
        Math.min(...targets.filter((one) => one.target === target).map(({ spot }) => timeTo(spot))),
      );
      const found = new Array<number>(targetCount).fill(Infinity);
      for (const target of search.reached.subarray(0, count)) {
        expect(found[target]).toBe(Infinity);
        found[target] = search.times[target];
      }
      expect(found).toEqual(meant.map((time) => (time <= limit ? time : Infinity)));
      // A time that is set from elsewhere holds for this origin alone.
      const known = dice.below(targetCount);
      search.setTime(known, 7);
      expect(search.times[known]).toBe(7);
      expect(search.reachedCount).toBe(count + (found[known] === Infinity ? 1 : 0));
      expect(search.reached.subarray(0, search.reachedCount)).toContain(known);
      if (dice.chance(0.5)) search.clear();
    }
  }));

/** A one-way street between two vertices. */
const oneWay = (from: number, to: number, time: number): Street => ({
  ends: [from, to],
  steps: 1,
  times: [time, null],
  isLocal: false,
});

test('labels are exact where the order of the search improves vertices again and again', () => {
  // From each corner to the next lead a slow street, and a detour that is faster but found later.
  const corners = 10;
  const dice = new Dice(1);
  const streets: Street[] = [{ ends: [0, 0], steps: 1, times: [9_000, 9_000], isLocal: false }];
  const detour = (corner: number) => corners + 1 + 2 * corner;
  for (let corner = 0; corner < corners; corner++) {
    const aside = detour(corner);
    streets.push(oneWay(corner, aside, 1), oneWay(aside, corner + 1, 1));
    // A dead end makes the middle of the detour a crossing.
    streets.push({ ends: [aside, aside + 1], steps: 1, times: [1, 1], isLocal: false });
    streets.push(oneWay(corner, corner + 1, 2 ** (corners - corner + 1)));
  }
  const last = { ends: [corners, detour(corners)], steps: 1, times: [1, 1] } as const;
  streets.push({ ...last, isLocal: false });
  const vertices = detour(corners) + 1;
  const { network, costs } = networkOf(dice, vertices, streets);
  const graph = buildModeGraph(network, costs);
  const target = { street: streets.length - 1, along: 1, back: 1, offStreet: 0 };
  const link = linkOf(graph, streets, target);
  const linked = linkTargets(searchGraphOf(graph), 1, [{ target: 0, link }]);
  const search = new StreetSearch(searchGraphOf(graph), linked, 60_000);
  const origin = { street: 0, along: 0, back: 0, offStreet: 0 };
  for (let again = 0; again < 2; again++) {
    expect(search.run(linkOf(graph, streets, origin))).toBe(1);
    expect(search.times[0]).toBe(2 * corners + 1);
  }
  // Vertices were settled again and again, exponentially often in the number of corners.
  expect(search.settled).toBeGreaterThan(2 * 2 ** corners);
  expect(search.relaxed).toBeGreaterThan(search.settled);
});

test('a vertex is settled once if its label is final when its turn comes', () => {
  const ring = (at: number): Street => ({
    ends: [at, at],
    steps: 1,
    times: [9_000, 9_000],
    isLocal: false,
  });
  for (const [at, times] of [
    [1, [10, 5]],
    [2, [5, 10]],
    [3, [10, 5]],
    [4, [5, 10]],
  ] as const) {
    const there = times.map((time) => oneWay(0, 1, time));
    const streets = [ring(0), ring(1), ...there, oneWay(1, 0, 7)];
    const { network, costs } = networkOf(new Dice(at), 2, streets);
    const graph = searchGraphOf(buildModeGraph(network, costs));
    const search = new StreetSearch(graph, linkTargets(graph, 0, []), 60_000);
    const [chain] = graph.chains.a.keys();
    search.run({ chain, along: 0, alongBack: 0, offStreet: 0 });
    expect([search.settled, search.relaxed]).toEqual([2, 3]);
  }
});

test('two streets are one chain exactly where no other meets them and their access and directions match', () =>
  forAll(300, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { vertices, streets } = randomStreets(dice);
    const { network, costs } = networkOf(dice, vertices, streets);
    const { chains, firstArc, arcs, vertexCount } = buildModeGraph(network, costs);
    expect(new Set([...chains.a, ...chains.b]).size).toBe(vertexCount);
    expect([firstArc[0], 2 * firstArc[vertexCount]]).toEqual([0, arcs.length]);
    for (let arc = 0; arc < arcs.length; arc += 2) {
      expect(arcs[arc] >= 0 && arcs[arc] < vertexCount && arcs[arc + 1] >= 0).toBe(true);
    }
    const isOpen = ({ times }: Street) => times.some((time) => time !== null);
    const groups = [...streets.keys()];
    for (let vertex = 0; vertex < vertices; vertex++) {
      const ends = streets.flatMap((street, i) =>
        [0, 1]
          .filter((end) => isOpen(street) && street.ends[end] === vertex)
          .map((end) => {
            const { times, isLocal } = street;
            const [leaves, comes] = [times[end], times[1 - end]].map((time) => time !== null);
            return { i, leaves, comes, isLocal };
          }),
      );
      const [one, other] = ends;
      if (ends.length !== 2 || one.i === other.i || one.isLocal !== other.isLocal) continue;
      if (one.comes !== other.leaves || other.comes !== one.leaves) continue;
      const joined = groups[other.i];
      groups.forEach((group, i) => {
        if (group === joined) groups[i] = groups[one.i];
      });
    }
    const byGroup = streets.map((street, i) => (isOpen(street) ? groups.indexOf(groups[i]) : -1));
    const byChain = [...chains.chainOf].map((chain) =>
      chain === -1 ? -1 : chains.chainOf.indexOf(chain),
    );
    expect(byChain).toEqual(byGroup);
    const local = byGroup.filter((group, i) => group === i && streets[i].isLocal);
    expect(chains.a.length).toBe(new Set(byGroup.filter((i) => i !== -1)).size + local.length);
  }));

test('crossings near each other have numbers near each other: on a square grid, consecutive ones are neighbours', () => {
  const side = 8;
  const streets = Array.from({ length: side * side }, (_, at): Street[] => {
    const [x, y] = [at % side, Math.floor(at / side)];
    const to = [...(x + 1 < side ? [at + 1] : []), ...(y + 1 < side ? [at + side] : [])];
    // A ring makes a corner a crossing.
    return [at, ...to].map((end) => ({ ...oneWay(at, end, 1), times: [1, 1] }));
  }).flat();
  const { network, costs } = networkOf(new Dice(1), side * side, streets);
  const places = Array.from({ length: side * side }, (_, at) => [at % side, Math.floor(at / side)]);
  const { chains, vertexCount } = buildModeGraph(
    {
      ...network,
      vertexLon: Float64Array.from(places, ([x]) => x / 1_000),
      vertexLat: Float64Array.from(places, ([, y]) => y / 1_000),
    },
    costs,
  );
  const at = new Map(
    streets.flatMap(({ ends }, i) =>
      ends[0] === ends[1] ? [[chains.a[chains.chainOf[i]], places[ends[0]]] as const] : [],
    ),
  );
  expect(vertexCount).toBe(side * side);
  for (let vertex = 1; vertex < vertexCount; vertex++) {
    const [[x, y], [u, v]] = [at.get(vertex)!, at.get(vertex - 1)!];
    expect(Math.abs(x - u) + Math.abs(y - v)).toBe(1);
  }
});

test('targets are in the order of the vertices that lead to them, each once, and unlinked ones last', () =>
  forAll(200, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { vertices, streets } = randomStreets(dice);
    const { network, costs } = networkOf(dice, vertices, streets);
    const graph = buildModeGraph(network, costs);
    const targetCount = 1 + dice.below(12);
    const targets = Array.from({ length: dice.below(9) }, () => randomSpot(dice, streets))
      .filter((spot) => spot !== null)
      .map((spot) => ({ target: dice.below(targetCount), link: linkOf(graph, streets, spot) }));
    const linked = linkTargets(searchGraphOf(graph), targetCount, targets);
    const count = dice.below(targetCount + 1);
    const { a, b, lastLeg } = graph.chains;
    const firstVertex = (target: number) =>
      Math.min(
        ...targets
          .filter((one) => one.target === target)
          .flatMap(({ link }) => [link.chain, lastLeg[link.chain]])
          .flatMap((chain) => [a[chain], b[chain]]),
      );
    const order = [...targetsAlongStreets(linked, count)];
    expect(order.toSorted((x, y) => x - y)).toEqual(Array.from({ length: count }, (_, t) => t));
    const vertexOf = order.map(firstVertex);
    expect(vertexOf).toEqual(vertexOf.toSorted((x, y) => (x === y ? 0 : x - y)));
  }));
