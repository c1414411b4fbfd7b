import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import { hilbertOrder } from '../../shards/geometry/hilbert.ts';
import { CLOSED, type ModeCosts } from './mode-costs.ts';
import type { StreetNetwork } from './network.ts';

/**
 * The graph for searches: one mode's open edges, with sequences of edges that offer no choice
 * contracted into chains. Vertices are numbered along a Hilbert curve, so that a search, which
 * expands as a disc, accesses memory almost sequentially.
 *
 * Local streets occur twice, as first legs and as last legs, with separate vertices. Where they
 * meet public streets, arcs of zero time lead from first legs to public streets, and from these to
 * last legs, never back. So a trip may begin and end on local streets but not pass through them,
 * without any special handling in the search.
 */
export interface ModeGraph {
  readonly vertexCount: number;
  /** Arcs out of `v` are `firstArc[v]` to `firstArc[v + 1]`, exclusive. */
  readonly firstArc: Int32Array;
  /** Per arc two numbers: the head, and the milliseconds to it. */
  readonly arcs: Int32Array;
  readonly chains: Chains;
}

/** The position of each edge of the network on the chains of the graph. */
interface Chains {
  /** End vertices of each chain, and the milliseconds along it; `CLOSED` if not passable. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly forward: Int32Array;
  readonly backward: Int32Array;
  /**
   * Per chain, the chain that trips end on: its copy for last legs if it is local, or else itself.
   */
  readonly lastLeg: Int32Array;
  /** Per network edge: its chain (for first legs), or -1 if the mode may not use it. */
  readonly chainOf: Int32Array;
  /** Per network edge: 1 where the edge's own direction runs from the chain's b to its a. */
  readonly reversed: Uint8Array;
  /** Per network edge: milliseconds from the chain's `a` to the start of the edge, and back. */
  readonly before: Int32Array;
  readonly beforeBack: Int32Array;
}

/**
 * Contracts a mode's open edges. The shortest times between the remaining vertices stay exactly the
 * same.
 */
export function buildModeGraph(network: StreetNetwork, costs: ModeCosts): ModeGraph {
  const open = (e: number) => costs.forward[e] !== CLOSED || costs.backward[e] !== CLOSED;
  const incidence = edgesAtVertices(network, open);
  const isJunction = markJunctions(network, costs, incidence);
  const chainOf = new Int32Array(network.edgeCount).fill(-1);
  const reversed = new Uint8Array(network.edgeCount);
  const before = new Int32Array(network.edgeCount);
  const beforeBack = new Int32Array(network.edgeCount);
  const ends: ChainEnds[] = [];

  const follow = (start: number, firstEdge: number): void => {
    const chain = ends.length;
    let [vertex, edge] = [start, firstEdge];
    let [forward, backward] = [0, 0];
    for (;;) {
      const flip = network.from[edge] !== vertex;
      chainOf[edge] = chain;
      reversed[edge] = flip ? 1 : 0;
      before[edge] = forward;
      beforeBack[edge] = backward;
      forward = add(forward, flip ? costs.backward[edge] : costs.forward[edge]);
      backward = add(backward, flip ? costs.forward[edge] : costs.backward[edge]);
      vertex = flip ? network.from[edge] : network.to[edge];
      if (isJunction[vertex]) break;
      edge = incidence.other(vertex, edge);
    }
    const isLocal = costs.isLocal[firstEdge] === 1;
    ends.push({ a: start, b: vertex, forward, backward, isLocal });
  };
  const followAllFrom = (vertex: number): void => {
    for (let i = incidence.first[vertex]; i < incidence.first[vertex + 1]; i++) {
      if (chainOf[incidence.edges[i]] === -1) follow(vertex, incidence.edges[i]);
    }
  };
  for (let v = 0; v < network.vertexCount; v++) if (isJunction[v]) followAllFrom(v);
  // The remaining edges form isolated rings, of which any vertex can serve as the junction.
  for (let e = 0; e < network.edgeCount; e++) {
    if (!open(e) || chainOf[e] !== -1) continue;
    isJunction[network.from[e]] = 1;
    followAllFrom(network.from[e]);
  }

  const vertices = numberVertices(network, isJunction, ends);
  const chains = { ...withLastLegs(ends, vertices), chainOf, reversed, before, beforeBack };
  return { vertexCount: vertices.count, ...buildArcs(vertices, chains), chains };
}

interface ChainEnds {
  readonly a: number;
  readonly b: number;
  readonly forward: number;
  readonly backward: number;
  readonly isLocal: boolean;
}

/** Converts the ends of chains to vertices of the graph, and appends the copies of local chains. */
function withLastLegs(
  ends: readonly ChainEnds[],
  vertices: VertexNumbers,
): Pick<Chains, 'a' | 'b' | 'forward' | 'backward' | 'lastLeg'> {
  const local = ends.flatMap(({ isLocal }, chain) => (isLocal ? [chain] : []));
  const lastLeg = Int32Array.from(ends.keys());
  local.forEach((chain, i) => {
    lastLeg[chain] = ends.length + i;
  });
  const copies = local.map((chain) => ends[chain]);
  const numbersOf = ({ isLocal }: ChainEnds) => (isLocal ? vertices.first : vertices.through);
  return {
    a: Int32Array.from([
      ...ends.map((c) => numbersOf(c)[c.a]),
      ...copies.map((c) => vertices.last[c.a]),
    ]),
    b: Int32Array.from([
      ...ends.map((c) => numbersOf(c)[c.b]),
      ...copies.map((c) => vertices.last[c.b]),
    ]),
    forward: Int32Array.from([...ends, ...copies], (c) => c.forward),
    backward: Int32Array.from([...ends, ...copies], (c) => c.backward),
    lastLeg,
  };
}

/**
 * Adds the cost of an edge to that of its chain. In a direction, either all edges of a chain are
 * closed or none.
 */
function add(sum: number, cost: number): number {
  return cost === CLOSED ? CLOSED : sum + cost;
}

interface Incidence {
  readonly first: Int32Array;
  readonly edges: Int32Array;
  /** Returns the edge other than `edge` at a vertex where two edges meet. */
  other(vertex: number, edge: number): number;
}

function edgesAtVertices(network: StreetNetwork, open: (e: number) => boolean): Incidence {
  const first = new Int32Array(network.vertexCount + 1);
  for (let e = 0; e < network.edgeCount; e++) {
    if (!open(e)) continue;
    first[network.from[e] + 1]++;
    first[network.to[e] + 1]++;
  }
  const edges = new Int32Array(sumCounts(first));
  const next = first.slice();
  for (let e = 0; e < network.edgeCount; e++) {
    if (!open(e)) continue;
    edges[next[network.from[e]]++] = e;
    edges[next[network.to[e]]++] = e;
  }
  const other = (vertex: number, edge: number) => {
    const at = first[vertex];
    return edges[at] === edge ? edges[at + 1] : edges[at];
  };
  return { first, edges, other };
}

/**
 * Marks junctions. A vertex is a junction unless exactly two different edges meet there, both or
 * neither are local, and a trip that may enter by one may leave by the other, in both directions,
 * so that passing the vertex involves no choice.
 */
function markJunctions(network: StreetNetwork, costs: ModeCosts, at: Incidence): Uint8Array {
  const isJunction = new Uint8Array(network.vertexCount);
  for (let v = 0; v < network.vertexCount; v++) {
    const degree = at.first[v + 1] - at.first[v];
    if (degree === 0) continue;
    const [e, f] = [at.edges[at.first[v]], at.edges[at.first[v] + 1]];
    if (degree !== 2 || e === f) {
      isJunction[v] = 1;
      continue;
    }
    if (costs.isLocal[e] !== costs.isLocal[f]) isJunction[v] = 1;
    const mayEnter = (edge: number) =>
      (network.to[edge] === v ? costs.forward[edge] : costs.backward[edge]) !== CLOSED;
    const mayLeave = (edge: number) =>
      (network.from[edge] === v ? costs.forward[edge] : costs.backward[edge]) !== CLOSED;
    if (mayEnter(e) !== mayLeave(f) || mayEnter(f) !== mayLeave(e)) isJunction[v] = 1;
  }
  return isJunction;
}

/** Graph vertices of a network's junctions, by the kind of street that meets there; -1 for none. */
interface VertexNumbers {
  readonly count: number;
  readonly through: Int32Array;
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** Numbers the junctions along a Hilbert curve. */
function numberVertices(
  network: StreetNetwork,
  isJunction: Uint8Array,
  ends: readonly ChainEnds[],
): VertexNumbers {
  const hasThrough = new Uint8Array(network.vertexCount);
  const hasLocal = new Uint8Array(network.vertexCount);
  for (const { a, b, isLocal } of ends) {
    const has = isLocal ? hasLocal : hasThrough;
    has[a] = 1;
    has[b] = 1;
  }
  const kept: number[] = [];
  for (let v = 0; v < network.vertexCount; v++) if (isJunction[v]) kept.push(v);
  const lon = Float64Array.from(kept, (v) => network.vertexLon[v]);
  const lat = Float64Array.from(kept, (v) => network.vertexLat[v]);
  const [through, first, last] = [0, 1, 2].map(() => new Int32Array(network.vertexCount).fill(-1));
  let count = 0;
  for (const k of hilbertOrder(lon, lat)) {
    const vertex = kept[k];
    if (hasThrough[vertex]) through[vertex] = count++;
    if (!hasLocal[vertex]) continue;
    first[vertex] = count++;
    last[vertex] = count++;
  }
  return { count, through, first, last };
}

function buildArcs({ count, through, first, last }: VertexNumbers, chains: Chains) {
  const firstArc = new Int32Array(count + 1);
  const eachArc = (visit: (tail: number, head: number, cost: number) => void) => {
    for (let c = 0; c < chains.a.length; c++) {
      // A ring never shortens a route; it only carries points.
      if (chains.a[c] === chains.b[c]) continue;
      if (chains.forward[c] !== CLOSED) visit(chains.a[c], chains.b[c], chains.forward[c]);
      if (chains.backward[c] !== CLOSED) visit(chains.b[c], chains.a[c], chains.backward[c]);
    }
    for (let v = 0; v < through.length; v++) {
      if (through[v] === -1 || first[v] === -1) continue;
      visit(first[v], through[v], 0);
      visit(through[v], last[v], 0);
    }
  };
  eachArc((tail) => firstArc[tail + 1]++);
  const arcs = new Int32Array(sumCounts(firstArc) * 2);
  const next = firstArc.slice();
  eachArc((tail, head, cost) => {
    const at = 2 * next[tail]++;
    arcs[at] = head;
    arcs[at + 1] = cost;
  });
  return { firstArc, arcs };
}
