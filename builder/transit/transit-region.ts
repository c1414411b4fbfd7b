import type { CallOrder } from './call-order.ts';
import type { EgressTable } from './egress.ts';
import type { Timetable } from './timetable.ts';

/** The input of transit searches in addition to the streets. */
export interface TransitRegion {
  readonly timetable: Timetable;
  readonly order: CallOrder;
  readonly egress: EgressTable;
}
