import type { CallOrder } from './call-order.ts';
import type { EgressTable } from './egress.ts';
import type { Timetable } from './timetable.ts';

/** What searches by transit read beside the streets. */
export interface TransitWorld {
  readonly timetable: Timetable;
  readonly order: CallOrder;
  readonly egress: EgressTable;
}
