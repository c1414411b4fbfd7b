import type { GrowableFloat64 } from './growable.ts';

/** Street ways as met: flat, by node id, before anything is known of the nodes. */
export interface RawStreets {
  readonly osmId: GrowableFloat64;
  readonly traits: GrowableFloat64;
  /** Where each way's refs end in `refs`. */
  readonly endRef: GrowableFloat64;
  readonly refs: GrowableFloat64;
}
