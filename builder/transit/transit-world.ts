import type { EgressTable } from './egress.ts';
import type { Footpaths } from './footpaths.ts';
import type { Timetable } from './timetable.ts';

/** What searches by transit read beside the streets. */
export interface TransitWorld {
  readonly timetable: Timetable;
  readonly footpaths: Footpaths;
  readonly egress: EgressTable;
}
