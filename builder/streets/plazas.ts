import { orient2d } from 'robust-predicates';
import type { StreetNodes, StreetWays } from './street-ways.ts';
import { isArea } from './trait-bits.ts';

/**
 * The most entrances and corners of a plaza that is crossed; plazas with more are walked around.
 */
const MAX_ENDS = 60;

/**
 * Adds straight ways across plazas to the streets, from each entrance (where another street meets
 * the outline) and each inward corner to all others in sight. So a plaza is crossed along the
 * shortest path between any of these ends. The time per plaza grows with the square of the number
 * of ends, times the number of corners.
 */
export function withPlazaCrossings(ways: StreetWays, nodes: StreetNodes): StreetWays {
  const plazas: number[] = [];
  for (let w = 0; w < ways.count; w++) if (isArea(ways.traits[w])) plazas.push(w);
  if (plazas.length === 0) return ways;
  const uses = new Uint8Array(nodes.count);
  for (let i = 0; i < ways.refs.length; i++)
    uses[ways.refs[i]] = Math.min(3, uses[ways.refs[i]] + 1);
  const added: { way: number; a: number; b: number }[] = [];
  for (const way of plazas) {
    const ring = ways.refs.subarray(ways.firstRef[way], ways.firstRef[way + 1] - 1);
    if (ring[0] !== ways.refs[ways.firstRef[way + 1] - 1]) continue;
    const ends = endsOf(ring, nodes, uses);
    if (ends.length > MAX_ENDS) continue;
    for (let i = 0; i < ends.length; i++) {
      for (let j = i + 1; j < ends.length; j++) {
        if (isInSight(ring, nodes, ends[i], ends[j])) {
          added.push({ way, a: ring[ends[i]], b: ring[ends[j]] });
        }
      }
    }
  }
  const count = ways.count + added.length;
  const firstRef = new Uint32Array(count + 1);
  firstRef.set(ways.firstRef);
  for (let i = 1; i <= added.length; i++) firstRef[ways.count + i] = ways.refs.length + 2 * i;
  return {
    ...ways,
    count,
    osmId: Float64Array.from([...ways.osmId, ...added.map(({ way }) => ways.osmId[way])]),
    traits: Uint32Array.from([...ways.traits, ...added.map(({ way }) => ways.traits[way])]),
    firstRef,
    refs: Uint32Array.from([...ways.refs, ...added.flatMap(({ a, b }) => [a, b])]),
  };
}

/** Positions in a ring where a street enters, or where the area has an inward corner. */
function endsOf(ring: Uint32Array, nodes: StreetNodes, uses: Uint8Array): number[] {
  const turns = Array.from(ring, (node, i) => {
    const before = ring[(i + ring.length - 1) % ring.length];
    const after = ring[(i + 1) % ring.length];
    return turn(nodes, before, node, after);
  });
  const isClockwise = signedArea(ring, nodes) < 0;
  return Array.from(ring.keys()).filter((i) => {
    // The ring's first node is also its last, so it is used twice.
    const isEntrance = uses[ring[i]] > (i === 0 ? 2 : 1);
    return isEntrance || (isClockwise ? turns[i] < 0 : turns[i] > 0);
  });
}

/**
 * Whether two corners of a ring are not adjacent, and the straight line between them is inside it.
 */
function isInSight(ring: Uint32Array, nodes: StreetNodes, i: number, j: number): boolean {
  const n = ring.length;
  if (j - i === 1 || (i === 0 && j === n - 1)) return false;
  const [a, b] = [ring[i], ring[j]];
  const { lon, lat } = nodes;
  const [x, y] = [(lon[a] + lon[b]) / 2, (lat[a] + lat[b]) / 2];
  let isInside = false;
  for (let k = 0; k < n; k++) {
    const [c, d] = [ring[k], ring[(k + 1) % n]];
    if (turn(nodes, a, b, c) * turn(nodes, a, b, d) < 0) {
      if (turn(nodes, c, d, a) * turn(nodes, c, d, b) < 0) return false;
    }
    const meets = lat[c] > y !== lat[d] > y;
    if (meets && x < lon[c] + ((y - lat[c]) / (lat[d] - lat[c])) * (lon[d] - lon[c])) {
      isInside = !isInside;
    }
  }
  return isInside;
}

/** Positive if `c` is to the right of the line from `a` to `b`. */
function turn({ lon, lat }: StreetNodes, a: number, b: number, c: number): number {
  return orient2d(lon[a], lat[a], lon[b], lat[b], lon[c], lat[c]);
}

/** Positive for a ring that turns to the left. */
function signedArea(ring: Uint32Array, { lon, lat }: StreetNodes): number {
  let sum = 0;
  ring.forEach((a, i) => {
    const b = ring[(i + 1) % ring.length];
    sum += (lon[a] - lon[ring[0]]) * (lat[b] - lat[ring[0]]);
    sum -= (lon[b] - lon[ring[0]]) * (lat[a] - lat[ring[0]]);
  });
  return sum;
}
