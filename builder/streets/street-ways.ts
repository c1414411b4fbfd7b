import type { WayTime } from './way-time.ts';

/** The streets of an extract as flat arrays, from which the network is built. */
export interface StreetWays {
  readonly count: number;
  /** OSM way ids, as doubles. */
  readonly osmId: Float64Array;
  /** Traits of each way, packed by `streetTraits`; never 0. */
  readonly traits: Uint32Array;
  /** Way `w` has the refs `firstRef[w]` to `firstRef[w + 1]`, exclusive. `count + 1` long. */
  readonly firstRef: Uint32Array;
  /** Node ordinals, in way order. Ways are already cut where the files lack nodes. */
  readonly refs: Uint32Array;
  /** Travel times of the ways that are not walked, by way. */
  readonly times?: ReadonlyMap<number, WayTime>;
}

/** The nodes that the ways use, sorted by OSM id, ascending. */
export interface StreetNodes {
  readonly count: number;
  readonly osmId: Float64Array;
  /** WGS84 degrees. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** Traits of each node, packed by `nodeTraits`; mostly 0. */
  readonly traits: Uint8Array;
}
