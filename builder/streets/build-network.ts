import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import { OWN_RULES, ROUTING } from '../routing-parameters.ts';
import { raiseStressAtCrossings } from './crossing-stress.ts';
import { waitOncePerLine } from './ferry-lines.ts';
import { BY_LENGTH, type StreetNetwork } from './network.ts';
import { isBarrier, isStep, traitsThrough } from './node-traits.ts';
import { withPlazaCrossings } from './plazas.ts';
import { leaveToSidepaths } from './sidepaths.ts';
import { signalledNodes } from './signals.ts';
import type { StreetNodes, StreetWays } from './street-ways.ts';
import { isDriven, throughTraits, withoutSteps, withoutTracks } from './trait-bits.ts';
import type { WayTime } from './way-time.ts';

const NO_VERTEX = 0xffff_ffff;

/**
 * Cuts ways into edges at the nodes where they meet or end. `isStepFree`: for walkers who take no
 * steps. They do not pass ways with steps; at a node with a step, ways for pedestrians end, while
 * streets with cars go on.
 */
export function buildNetwork(
  mapped: StreetWays,
  nodes: StreetNodes,
  rulesOfR5 = OWN_RULES,
  isStepFree = false,
): StreetNetwork {
  const plazas = withPlazaCrossings(mapped, nodes);
  const ways = isStepFree ? { ...plazas, traits: plazas.traits.map(withoutSteps) } : plazas;
  const times = waitOncePerLine(ways, nodes);
  const isVertex = markVertices(ways, nodes, isStepFree);
  const cut = new CutWays(nodes, isStepFree);
  for (let w = 0; w < ways.count; w++) cut.add(ways, w, isVertex, times.get(w));

  const edges = cut.edges();
  const left = leaveToSidepaths(edges);
  const open = rulesOfR5.has('private-ground') ? left.map(throughTraits) : left;
  const traits = rulesOfR5.has('stress') ? open.map(withoutTracks) : open;
  const signalled = signalledNodes(mapped, nodes, rulesOfR5.has('stress'));
  const hasSignal = Uint8Array.from(cut.vertexNodes, (node) => signalled[node]);
  return { ...edges, traits: raiseStressAtCrossings({ ...edges, traits }, hasSignal) };
}

/**
 * The edges of ways and the vertices between them. At a barrier, the edges on each side end in
 * separate vertices, which zero-length edges connect to each other for the modes that may pass.
 */
class CutWays {
  /** The node of each vertex. */
  readonly vertexNodes: number[] = [];
  readonly #nodes: StreetNodes;
  readonly #isStepFree: boolean;
  readonly #vertexOf: Uint32Array;
  readonly #sidesOf = new Map<number, number[]>();
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #length: number[] = [];
  readonly #fixedTime: number[] = [];
  readonly #traits: number[] = [];
  readonly #firstPoint = [0];
  readonly #points: number[] = [];

  constructor(nodes: StreetNodes, isStepFree: boolean) {
    this.#nodes = nodes;
    this.#isStepFree = isStepFree;
    this.#vertexOf = new Uint32Array(nodes.count).fill(NO_VERTEX);
  }

  /** Adds a way, cut at the nodes that are vertices; `time`: if it does not follow from length. */
  add(
    { refs, firstRef, traits }: StreetWays,
    way: number,
    isVertex: Uint8Array,
    time?: WayTime,
  ): void {
    const own: number[] = [];
    let start = firstRef[way];
    for (let i = start + 1; i < firstRef[way + 1]; i++) {
      if (!isVertex[refs[i]]) continue;
      let metres = 0;
      for (let j = start + 1; j <= i; j++) metres += this.#distance(refs[j - 1], refs[j]);
      const from = this.#vertexAt(refs[start], traits[way]);
      const to = this.#vertexAt(refs[i], traits[way]);
      this.#addEdge(from, to, metres, traits[way], refs.subarray(start, i + 1));
      own.push(this.#from.length - 1);
      start = i;
    }
    if (time) shareTime(time, own, this.#length, this.#fixedTime);
  }

  edges(): StreetNetwork {
    const { lon, lat } = this.#nodes;
    return {
      vertexCount: this.vertexNodes.length,
      edgeCount: this.#from.length,
      from: Uint32Array.from(this.#from),
      to: Uint32Array.from(this.#to),
      length: Float64Array.from(this.#length),
      fixedTime: Int32Array.from(this.#fixedTime),
      traits: Uint32Array.from(this.#traits),
      firstPoint: Uint32Array.from(this.#firstPoint),
      pointLon: Float64Array.from(this.#points, (node) => lon[node]),
      pointLat: Float64Array.from(this.#points, (node) => lat[node]),
      vertexLon: Float64Array.from(this.vertexNodes, (node) => lon[node]),
      vertexLat: Float64Array.from(this.vertexNodes, (node) => lat[node]),
    };
  }

  #vertexAt(node: number, wayTraits: number): number {
    const traits = this.#nodes.traits[node];
    if (this.#isStepFree && isStep(traits) && !isDriven(wayTraits)) return this.#newVertex(node);
    if (isBarrier(traits)) return this.#newSide(node);
    if (this.#vertexOf[node] === NO_VERTEX) this.#vertexOf[node] = this.#newVertex(node);
    return this.#vertexOf[node];
  }

  #newVertex(node: number): number {
    return this.vertexNodes.push(node) - 1;
  }

  #newSide(node: number): number {
    const side = this.#newVertex(node);
    const others = this.#sidesOf.get(node) ?? [];
    const through = traitsThrough(this.#nodes.traits[node]);
    if (through !== 0) {
      for (const other of others) this.#addEdge(other, side, 0, through, [node, node]);
    }
    this.#sidesOf.set(node, [...others, side]);
    return side;
  }

  #addEdge(from: number, to: number, metres: Metres, traits: number, shape: Iterable<number>) {
    this.#from.push(from);
    this.#to.push(to);
    this.#length.push(metres);
    this.#fixedTime.push(BY_LENGTH);
    this.#traits.push(traits);
    for (const node of shape) this.#points.push(node);
    this.#firstPoint.push(this.#points.length);
  }

  #distance(a: number, b: number): Metres {
    const { lon, lat } = this.#nodes;
    return localDistance(lon[a], lat[a], lon[b], lat[b]);
  }
}

/** Distributes the time of a way over its edges, excluding the barriers between them. */
function shareTime(
  { waiting, moving }: WayTime,
  edges: readonly number[],
  length: readonly number[],
  fixedTime: number[],
): void {
  const metres = edges.reduce((sum, e) => sum + length[e], 0);
  const seconds = waiting + (moving ?? metres / ROUTING.ferryMetresPerSecond);
  for (const e of edges) {
    const part = metres === 0 ? 1 / edges.length : length[e] / metres;
    fixedTime[e] = Math.round(1000 * seconds * part);
  }
}

/** Marks where ways are cut: at their last nodes, nodes that occur again, barriers, and steps. */
function markVertices(ways: StreetWays, nodes: StreetNodes, isStepFree: boolean): Uint8Array {
  const isVertex = new Uint8Array(nodes.count);
  const seen = new Uint8Array(nodes.count);
  for (let w = 0; w < ways.count; w++) {
    const [start, end] = [ways.firstRef[w], ways.firstRef[w + 1]];
    for (let i = start; i < end; i++) {
      const node = ways.refs[i];
      if (seen[node] || i === end - 1) isVertex[node] = 1;
      seen[node] = 1;
    }
  }
  for (let n = 0; n < nodes.count; n++) {
    if (isBarrier(nodes.traits[n]) || (isStepFree && isStep(nodes.traits[n]))) isVertex[n] = 1;
  }
  return isVertex;
}
