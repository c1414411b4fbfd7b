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
  /** Milliseconds it takes whatever the mode, or `BY_LENGTH`. */
  readonly fixedTime: Int32Array;
  /** Of the way it is a piece of, see `traits.ts`; with the stress of its crossings. */
  readonly traits: Uint32Array;
  /** Edge `e` has the shape points `firstPoint[e]` to `firstPoint[e + 1]`, exclusive. */
  readonly firstPoint: Uint32Array;
  /** WGS84 degrees. */
  readonly pointLon: Float64Array;
  readonly pointLat: Float64Array;
  readonly vertexLon: Float64Array;
  readonly vertexLat: Float64Array;
  /** Without, all streets are level. */
  readonly slopes?: Slopes;
}

/** An edge takes as long as it is long. */
export const BY_LENGTH = -1;

/** How steep the edges of a network are along their length. */
export interface Slopes {
  /**
   * Edge `e` has the steps `firstStep[e]` to `firstStep[e + 1]`, exclusive, each as long as the
   * others; one without steps is level.
   */
  readonly firstStep: Uint32Array;
  /** Of each step, in the direction of its edge. */
  readonly grades: Float32Array;
}
