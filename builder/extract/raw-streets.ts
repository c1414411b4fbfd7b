import type { GrowingList } from '../../shards/growing-list.ts';
import type { WayTime } from '../streets/way-time.ts';

/** Ways as met: flat, by node id, before anything is known of the nodes. */
export interface RawLines {
  /** Where each way's refs end in `refs`. */
  readonly endRef: GrowingList<Float64Array>;
  readonly refs: GrowingList<Float64Array>;
}

export interface RawStreets extends RawLines {
  readonly osmId: GrowingList<Float64Array>;
  readonly traits: GrowingList<Float64Array>;
  /** By way, as met, the times of those that are not walked along. */
  readonly times: Map<number, WayTime>;
}

/** Adds a way to others. */
export function addLine({ endRef, refs }: RawLines, nodes: Iterable<number>): void {
  for (const node of nodes) refs.push(node);
  endRef.push(refs.length);
}
