import type { Footpaths } from '../../shards/transit/footpaths.ts';
import type { Timetable } from '../../shards/transit/timetable.ts';
import type { CallOrder } from './call-order.ts';
import type { EgressTable } from './egress.ts';

/** The input of transit searches in addition to the streets. */
export interface TransitRegion {
  readonly timetable: Timetable;
  readonly order: CallOrder;
  readonly egress: EgressTable;
  readonly footpaths: Footpaths;
}
