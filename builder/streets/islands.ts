import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import { CLOSED, type ModeCosts } from './mode-costs.ts';
import type { StreetNetwork } from './network.ts';
import { isByBoat } from './trait-bits.ts';

/**
 * Closes, in place, every edge that touches an island: a strongly connected component of fewer than
 * `minVertices` vertices, such as a courtyard drawn without its gate, or a one-way stub. A point
 * linked to an island would be cut off from the city around it. Ferries do not count as
 * connections, so a landing stage that is not connected to the shore is an island. A component that
 * leads to and from `beyond`, the vertices where streets continue past the area read, is not an
 * island. `isCovered` is indexed by vertex; only covered vertices count, so that ends of streets
 * which protrude from the street data do not enlarge an island. Returns the number of vertices cut
 * off.
 */
export function closeIslands(
  network: StreetNetwork,
  costs: ModeCosts,
  minVertices: number,
  isCovered: Uint8Array,
  beyond: readonly number[] = [],
): number {
  const isOnLand = (e: number) => !isByBoat(network.traits[e]);
  const { component, sizes } = strongComponents(network, costs, beyond, isOnLand);
  for (let v = 0; v < network.vertexCount; v++) if (!isCovered[v]) sizes[component[v]]--;
  const small = (vertex: number) => sizes[component[vertex]] < minVertices;
  const cut = new Set<number>();
  for (let e = 0; e < network.edgeCount; e++) {
    if (costs.forward[e] === CLOSED && costs.backward[e] === CLOSED) continue;
    if (!small(network.from[e]) && !small(network.to[e])) continue;
    if (small(network.from[e])) cut.add(network.from[e]);
    if (small(network.to[e])) cut.add(network.to[e]);
    costs.forward[e] = CLOSED;
    costs.backward[e] = CLOSED;
  }
  return cut.size;
}

/**
 * Marks the edges that are connected to the surrounding streets only outside the street data: edges
 * outside, and components of fewer than `minVertices` vertices once the edges outside are left out.
 * Streets outside the data are incomplete, so routes over them are far longer than in reality.
 * `beyond` and `isCovered` are as for `closeIslands`, which must run first.
 */
export function markCutOff(
  network: StreetNetwork,
  costs: ModeCosts,
  minVertices: number,
  isCovered: Uint8Array,
  beyond: readonly number[] = [],
): Uint8Array {
  const isCutOff = new Uint8Array(network.edgeCount);
  if (!isCovered.includes(0)) return isCutOff;
  const { traits, from, to } = network;
  const isInside = (e: number) => isCovered[from[e]] === 1 && isCovered[to[e]] === 1;
  const isKept = (e: number) => isInside(e) && !isByBoat(traits[e]);
  const { component, sizes } = strongComponents(network, costs, beyond, isKept);
  const isWhole = (v: number) => isCovered[v] === 1 && sizes[component[v]] >= minVertices;
  return isCutOff.map((_, e) => (isWhole(from[e]) || isWhole(to[e]) ? 0 : 1));
}

/**
 * Makes public streets local, in place, if they can be reached only over local streets, as inside a
 * gate. In each strongly connected component of the whole network, the largest public part stays
 * public; a part that leads `beyond` takes precedence.
 */
export function closeOffBehindPrivate(
  network: StreetNetwork,
  costs: ModeCosts,
  beyond: readonly number[] = [],
): void {
  if (!costs.isLocal.includes(1)) return;
  const whole = strongComponents(network, costs, beyond);
  const pub = strongComponents(network, costs, beyond, (e) => costs.isLocal[e] === 0);
  const largest = new Int32Array(whole.sizes.length).fill(-1);
  for (let v = 0; v < network.vertexCount; v++) {
    const [part, piece] = [whole.component[v], pub.component[v]];
    if (largest[part] === -1 || pub.sizes[piece] > pub.sizes[largest[part]]) largest[part] = piece;
  }
  const isPublic = (v: number) => pub.component[v] === largest[whole.component[v]];
  for (let e = 0; e < network.edgeCount; e++) {
    if (!isPublic(network.from[e]) || !isPublic(network.to[e])) costs.isLocal[e] = 1;
  }
}

/**
 * Finds strongly connected components by Tarjan's algorithm (1972), with an explicit stack for its
 * recursion. Everything beyond the area read counts as one vertex, in a component of infinite size.
 */
function strongComponents(
  network: StreetNetwork,
  costs: ModeCosts,
  beyond: readonly number[],
  includes: (edge: number) => boolean = () => true,
): { component: Int32Array; sizes: number[] } {
  const n = network.vertexCount + 1;
  const { first, heads } = openArcs(network, costs, beyond, includes);
  const order = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const component = new Int32Array(n).fill(-1);
  const nextArc = Int32Array.from(first.subarray(0, n));
  const open: number[] = [];
  const path: number[] = [];
  const sizes: number[] = [];
  let counter = 0;
  for (let root = 0; root < n; root++) {
    if (order[root] !== -1) continue;
    path.push(root);
    while (path.length > 0) {
      const v = path[path.length - 1];
      if (order[v] === -1) {
        order[v] = low[v] = counter++;
        open.push(v);
      }
      if (nextArc[v] < first[v + 1]) {
        const w = heads[nextArc[v]++];
        if (order[w] === -1) path.push(w);
        else if (component[w] === -1) low[v] = Math.min(low[v], order[w]);
        continue;
      }
      path.pop();
      if (path.length > 0) {
        const parent = path[path.length - 1];
        low[parent] = Math.min(low[parent], low[v]);
      }
      if (low[v] === order[v]) {
        let size = 0;
        for (let w = -1; w !== v; size++) {
          w = open.pop()!;
          component[w] = sizes.length;
        }
        sizes.push(size);
      }
    }
  }
  sizes[component[network.vertexCount]] = Number.POSITIVE_INFINITY;
  return { component, sizes };
}

/**
 * Lists the open directions of edges as arcs, by tail: the heads of vertex `v` are
 * `heads[first[v]]` to `heads[first[v + 1]]`, exclusive. The last vertex stands for everything
 * beyond the area read.
 */
function openArcs(
  network: StreetNetwork,
  costs: ModeCosts,
  beyond: readonly number[],
  includes: (edge: number) => boolean,
) {
  const outside = network.vertexCount;
  const first = new Int32Array(outside + 2);
  first[outside + 1] = beyond.length;
  for (const vertex of beyond) first[vertex + 1]++;
  for (let e = 0; e < network.edgeCount; e++) {
    if (!includes(e)) continue;
    if (costs.forward[e] !== CLOSED) first[network.from[e] + 1]++;
    if (costs.backward[e] !== CLOSED) first[network.to[e] + 1]++;
  }
  const heads = new Int32Array(sumCounts(first));
  const next = first.slice();
  for (const vertex of beyond) {
    heads[next[vertex]++] = outside;
    heads[next[outside]++] = vertex;
  }
  for (let e = 0; e < network.edgeCount; e++) {
    if (!includes(e)) continue;
    if (costs.forward[e] !== CLOSED) heads[next[network.from[e]]++] = network.to[e];
    if (costs.backward[e] !== CLOSED) heads[next[network.to[e]]++] = network.from[e];
  }
  return { first, heads };
}
