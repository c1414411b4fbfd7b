import type { ModeGraph } from './mode-graph.ts';

/** The part of a mode's graph that searches need, shared by worker threads. */
export interface SearchGraph {
  readonly vertexCount: number;
  readonly firstArc: Int32Array;
  readonly arcs: Int32Array;
  readonly chains: {
    readonly a: Int32Array;
    readonly b: Int32Array;
    readonly forward: Int32Array;
    readonly backward: Int32Array;
    /** Per chain, the chain on which trips to it end; see `mode-graph.ts`. */
    readonly lastLeg: Int32Array;
  };
}

export function searchGraphOf({ vertexCount, firstArc, arcs, chains }: ModeGraph): SearchGraph {
  const { a, b, forward, backward, lastLeg } = chains;
  return { vertexCount, firstArc, arcs, chains: { a, b, forward, backward, lastLeg } };
}
