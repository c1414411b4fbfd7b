/**
 * The streets as a graph, independent of modes: vertices are crossings and ends, edges the pieces
 * of ways between them with their shapes. The traits of an edge determine which modes may use it.
 */
export interface StreetNetwork {
  readonly vertexCount: number;
  readonly edgeCount: number;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Metres along the shape. */
  readonly length: Float64Array;
  /** Time in milliseconds for any mode, or `BY_LENGTH`. */
  readonly fixedTime: Int32Array;
  /**
   * Traits of the way that the edge belongs to, with the stress of its crossings; see
   * `trait-bits.ts`.
   */
  readonly traits: Uint32Array;
  /** Edge `e` has the shape points `firstPoint[e]` to `firstPoint[e + 1]`, exclusive. */
  readonly firstPoint: Uint32Array;
  /** WGS84 degrees. */
  readonly pointLon: Float64Array;
  readonly pointLat: Float64Array;
  readonly vertexLon: Float64Array;
  readonly vertexLat: Float64Array;
  /** If absent, all streets are level. */
  readonly slopes?: Slopes;
}

/** The `fixedTime` of an edge whose time depends on its length. */
export const BY_LENGTH = -1;

/** The slopes of a network's edges along their length. */
export interface Slopes {
  /**
   * Edge `e` has the steps `firstStep[e]` to `firstStep[e + 1]`, exclusive, of equal length; an
   * edge without steps is level.
   */
  readonly firstStep: Uint32Array;
  /** The grade of each step, in the direction of its edge. */
  readonly grades: Float32Array;
}
