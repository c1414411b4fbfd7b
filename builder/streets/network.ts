import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { StreetNodes, StreetWays } from './street-ways.ts';
import { IMPASSABLE } from './traits.ts';

/**
 * The streets as a graph, before any mode: vertices are crossings and ends, edges the pieces of
 * ways between them with their shapes. What may use an edge is in its traits.
 */
export interface StreetNetwork {
  readonly vertexCount: number;
  readonly edgeCount: number;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Metres along the shape. */
  readonly length: Float64Array;
  /** Of the way it is a piece of, see `traits.ts`. */
  readonly traits: Uint32Array;
  /** Edge `e` has the shape points `firstPoint[e]` to `firstPoint[e + 1]`, exclusive. */
  readonly firstPoint: Uint32Array;
  /** WGS84 degrees. */
  readonly pointLon: Float64Array;
  readonly pointLat: Float64Array;
  readonly vertexLon: Float64Array;
  readonly vertexLat: Float64Array;
}

const NO_VERTEX = 0xffff_ffff;

/**
 * Cuts ways into edges at the nodes where they meet or end. A barrier that nobody may pass ends the
 * edges on both of its sides in vertices of their own, so that nothing connects through it.
 */
export function buildNetwork(ways: StreetWays, nodes: StreetNodes): StreetNetwork {
  const isVertex = markVertices(ways, nodes);
  const vertexOf = new Uint32Array(nodes.count).fill(NO_VERTEX);
  const vertexNodes: number[] = [];
  const newVertex = (node: number): number => vertexNodes.push(node) - 1;
  const vertexAt = (node: number): number => {
    if (nodes.traits[node] & IMPASSABLE) return newVertex(node);
    if (vertexOf[node] === NO_VERTEX) vertexOf[node] = newVertex(node);
    return vertexOf[node];
  };

  const from: number[] = [];
  const to: number[] = [];
  const length: number[] = [];
  const traits: number[] = [];
  const firstPoint: number[] = [0];
  const points: number[] = [];
  for (let w = 0; w < ways.count; w++) {
    const end = ways.firstRef[w + 1];
    let start = ways.firstRef[w];
    for (let i = start + 1; i < end; i++) {
      if (!isVertex[ways.refs[i]]) continue;
      let metres = 0;
      for (let j = start; j <= i; j++) {
        const node = ways.refs[j];
        points.push(node);
        if (j > start) metres += nodeDistance(nodes, ways.refs[j - 1], node);
      }
      from.push(vertexAt(ways.refs[start]));
      to.push(vertexAt(ways.refs[i]));
      length.push(metres);
      traits.push(ways.traits[w]);
      firstPoint.push(points.length);
      start = i;
    }
  }
  return {
    vertexCount: vertexNodes.length,
    edgeCount: from.length,
    from: Uint32Array.from(from),
    to: Uint32Array.from(to),
    length: Float64Array.from(length),
    traits: Uint32Array.from(traits),
    firstPoint: Uint32Array.from(firstPoint),
    pointLon: Float64Array.from(points, (node) => nodes.lon[node]),
    pointLat: Float64Array.from(points, (node) => nodes.lat[node]),
    vertexLon: Float64Array.from(vertexNodes, (node) => nodes.lon[node]),
    vertexLat: Float64Array.from(vertexNodes, (node) => nodes.lat[node]),
  };
}

/** Way ends, nodes that occur more than once, and barriers. */
function markVertices(ways: StreetWays, nodes: StreetNodes): Uint8Array {
  const isVertex = new Uint8Array(nodes.count);
  const seen = new Uint8Array(nodes.count);
  for (let w = 0; w < ways.count; w++) {
    const [start, end] = [ways.firstRef[w], ways.firstRef[w + 1]];
    for (let i = start; i < end; i++) {
      const node = ways.refs[i];
      if (seen[node] || i === start || i === end - 1) isVertex[node] = 1;
      seen[node] = 1;
    }
  }
  for (let n = 0; n < nodes.count; n++) if (nodes.traits[n] & IMPASSABLE) isVertex[n] = 1;
  return isVertex;
}

function nodeDistance(nodes: StreetNodes, a: number, b: number): number {
  return localDistance(nodes.lon[a], nodes.lat[a], nodes.lon[b], nodes.lat[b]);
}
