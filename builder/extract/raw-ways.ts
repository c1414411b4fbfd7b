import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { WayTime } from '../streets/way-time.ts';

/** Ways as read, in flat arrays of node ids, before anything is known about the nodes. */
export interface RawWays {
  readonly osmId: GrowableArray<Float64Array>;
  /** Exclusive end of each way's node ids in `refs`. */
  readonly endRef: GrowableArray<Float64Array>;
  readonly refs: GrowableArray<Float64Array>;
}

export interface RawStreets extends RawWays {
  readonly traits: GrowableArray<Float64Array>;
  /** Travel times of the ways that are not walked, by index of the way. */
  readonly times: Map<number, WayTime>;
}

export function emptyWays(): RawWays {
  const numbers = () => new GrowableArray(Float64Array);
  return { osmId: numbers(), endRef: numbers(), refs: numbers() };
}

export function emptyStreets(): RawStreets {
  return { ...emptyWays(), traits: new GrowableArray(Float64Array), times: new Map() };
}

/** Appends a way. */
export function addWay(ways: RawWays, id: number, nodes: Iterable<number>): void {
  ways.osmId.push(id);
  for (const node of nodes) ways.refs.push(node);
  ways.endRef.push(ways.refs.length);
}

/** Appends a street. */
export function addStreet(
  streets: RawStreets,
  id: number,
  nodes: Iterable<number>,
  traits: number,
  time: WayTime | null | undefined,
): void {
  if (time) streets.times.set(streets.osmId.length, time);
  streets.traits.push(traits);
  addWay(streets, id, nodes);
}

/** Returns the node ids of the way at an index. */
export function refsOf({ refs, endRef }: RawWays, way: number): Float64Array {
  const ends = endRef.view();
  return refs.view().subarray(way === 0 ? 0 : ends[way - 1], ends[way]);
}
