import type { WayTime } from '../streets/way-time.ts';
import type { GrowableFloat64 } from './growable.ts';

/** Ways as met: flat, by node id, before anything is known of the nodes. */
export interface RawLines {
  /** Where each way's refs end in `refs`. */
  readonly endRef: GrowableFloat64;
  readonly refs: GrowableFloat64;
}

export interface RawStreets extends RawLines {
  readonly osmId: GrowableFloat64;
  readonly traits: GrowableFloat64;
  /** By way, as met, the times of those that are not walked along. */
  readonly times: Map<number, WayTime>;
}

/** Adds a way to others. */
export function addLine({ endRef, refs }: RawLines, nodes: Iterable<number>): void {
  for (const node of nodes) refs.push(node);
  endRef.push(refs.length);
}
