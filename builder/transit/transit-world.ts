import type { EgressTable } from './egress.ts';
import type { Timetable } from './timetable.ts';
import type { TripTransfers } from './trip-transfers.ts';

/** What searches by transit read beside the streets. */
export interface TransitWorld {
  readonly timetable: Timetable;
  readonly transfers: TripTransfers;
  readonly egress: EgressTable;
}
