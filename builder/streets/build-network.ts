import { localDistance } from '../../shards/geometry/wgs84.ts';
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
 * Cuts ways into edges at the nodes where they meet or end. At a barrier, the edges on each side
 * end in separate vertices, which zero-length edges connect to each other for the modes that may
 * pass. `isStepFree`: for walkers who take no steps. They do not pass ways with steps; at a node
 * with a step, ways for pedestrians end, while streets with cars go on.
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
  const vertexOf = new Uint32Array(nodes.count).fill(NO_VERTEX);
  const sidesOf = new Map<number, number[]>();
  const vertexNodes: number[] = [];
  const newVertex = (node: number): number => vertexNodes.push(node) - 1;
  const vertexAt = (node: number, wayTraits: number): number => {
    if (isStepFree && isStep(nodes.traits[node]) && !isDriven(wayTraits)) return newVertex(node);
    if (isBarrier(nodes.traits[node])) return newSide(node);
    if (vertexOf[node] === NO_VERTEX) vertexOf[node] = newVertex(node);
    return vertexOf[node];
  };
  const newSide = (node: number): number => {
    const side = newVertex(node);
    const others = sidesOf.get(node) ?? [];
    for (const other of others) connectThrough(node, other, side);
    sidesOf.set(node, [...others, side]);
    return side;
  };
  const connectThrough = (node: number, side: number, other: number): void => {
    const through = traitsThrough(nodes.traits[node]);
    if (through !== 0) addEdge(side, other, 0, through, [node, node]);
  };

  const from: number[] = [];
  const to: number[] = [];
  const length: number[] = [];
  const fixedTime: number[] = [];
  const traits: number[] = [];
  const firstPoint: number[] = [0];
  const points: number[] = [];
  const addEdge = (
    a: number,
    b: number,
    metres: number,
    wayTraits: number,
    shape: Iterable<number>,
  ) => {
    from.push(a);
    to.push(b);
    length.push(metres);
    fixedTime.push(BY_LENGTH);
    traits.push(wayTraits);
    for (const node of shape) points.push(node);
    firstPoint.push(points.length);
  };
  for (let w = 0; w < ways.count; w++) {
    const own: number[] = [];
    const end = ways.firstRef[w + 1];
    let start = ways.firstRef[w];
    for (let i = start + 1; i < end; i++) {
      if (!isVertex[ways.refs[i]]) continue;
      let metres = 0;
      for (let j = start + 1; j <= i; j++) {
        metres += nodeDistance(nodes, ways.refs[j - 1], ways.refs[j]);
      }
      const shape = ways.refs.subarray(start, i + 1);
      const traits = ways.traits[w];
      const ends = [vertexAt(ways.refs[start], traits), vertexAt(ways.refs[i], traits)] as const;
      addEdge(...ends, metres, traits, shape);
      own.push(from.length - 1);
      start = i;
    }
    const time = times.get(w);
    if (time) shareTime(time, own, length, fixedTime);
  }
  const edges = {
    vertexCount: vertexNodes.length,
    edgeCount: from.length,
    from: Uint32Array.from(from),
    to: Uint32Array.from(to),
    traits: Uint32Array.from(traits),
    firstPoint: Uint32Array.from(firstPoint),
    pointLon: Float64Array.from(points, (node) => nodes.lon[node]),
    pointLat: Float64Array.from(points, (node) => nodes.lat[node]),
  };
  const signalled = signalledNodes(mapped, nodes, rulesOfR5.has('stress'));
  const hasSignal = Uint8Array.from(vertexNodes, (node) => signalled[node]);
  const left = leaveToSidepaths(edges);
  const open = rulesOfR5.has('private-ground') ? left.map(throughTraits) : left;
  const cut = { ...edges, traits: rulesOfR5.has('stress') ? open.map(withoutTracks) : open };
  return {
    ...cut,
    length: Float64Array.from(length),
    fixedTime: Int32Array.from(fixedTime),
    traits: raiseStressAtCrossings(cut, hasSignal),
    vertexLon: Float64Array.from(vertexNodes, (node) => nodes.lon[node]),
    vertexLat: Float64Array.from(vertexNodes, (node) => nodes.lat[node]),
  };
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

function nodeDistance(nodes: StreetNodes, a: number, b: number): number {
  return localDistance(nodes.lon[a], nodes.lat[a], nodes.lon[b], nodes.lat[b]);
}
