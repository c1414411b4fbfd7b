import type { DepartureWindow } from '../../shards/services.ts';
import type { Footpaths } from '../../shards/transit/footpaths.ts';
import type { Timetable } from '../../shards/transit/timetable.ts';
import type { CallOrder } from './call-order.ts';
import type { EgressTable } from './egress.ts';

/**
 * The input of transit searches in a window of departures, in addition to the streets. The windows
 * of a region share all but the timetable and its order.
 */
export interface TransitRegion {
  readonly window: SearchedWindow;
  readonly timetable: Timetable;
  readonly order: CallOrder;
  readonly egress: EgressTable;
  readonly footpaths: Footpaths;
}

/** A window of departures, and the percentiles of its times in their stored order. */
export interface SearchedWindow extends DepartureWindow {
  readonly percentiles: readonly number[];
}
