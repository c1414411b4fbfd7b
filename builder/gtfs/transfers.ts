import type { Seconds } from '../../shards/units.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import { type Row, readTable } from './table.ts';
import { codeOf } from './values.ts';

/** A rule for transfers between two stops or stations. */
interface StopTransfer {
  readonly from: string;
  readonly to: string;
  readonly kind: 'usual' | 'timed' | 'minimum' | 'never';
  /** Time from arrival to departure in a rule of kind `minimum`; 0 in all other rules. */
  readonly minimum: Seconds;
}

/** Whether riders may stay seated when a vehicle continues from one trip to another. */
interface TripLink {
  readonly from: string;
  readonly to: string;
  readonly mayStay: boolean;
}

export interface Transfers {
  readonly betweenStops: readonly StopTransfer[];
  readonly betweenTrips: readonly TripLink[];
}

const FILE = 'transfers.txt';

/** GTFS `transfer_type` of rules for stops. */
const KINDS: ReadonlyMap<string, StopTransfer['kind']> = new Map([
  ['', 'usual'],
  ['0', 'usual'],
  ['1', 'timed'],
  ['2', 'minimum'],
  ['3', 'never'],
]);
const STAY = '4';
const DO_NOT_STAY = '5';

/** Reads `transfers.txt`, where types 4 and 5 refer to trips, and the others to stops. */
export async function readTransfers(
  source: FeedSource,
  stops: ReadonlyMap<string, unknown>,
  trips: ReadonlyMap<string, unknown>,
  report: FeedReport,
): Promise<Transfers> {
  const betweenStops: StopTransfer[] = [];
  const betweenTrips: TripLink[] = [];
  await readTable(source, report, FILE, [], (row) => {
    const type = codeOf(row.text('transfer_type'));
    if (type === STAY || type === DO_NOT_STAY) {
      const [from, to] = [row.text('from_trip_id'), row.text('to_trip_id')];
      if (!trips.has(from) || !trips.has(to)) {
        return report.add(FILE, row.line, 'trip missing from trips.txt; left out');
      }
      betweenTrips.push({ from, to, mayStay: type === STAY });
      return;
    }
    if (isForSomeTrips(row)) {
      return report.add(FILE, row.line, 'for particular routes or trips only; not used');
    }
    const [from, to] = [row.text('from_stop_id'), row.text('to_stop_id')];
    if (!stops.has(from) || !stops.has(to)) {
      return report.add(FILE, row.line, 'stop missing from stops.txt; left out');
    }
    const kind = KINDS.get(type);
    if (!kind) return report.add(FILE, row.line, 'no valid transfer_type; left out');
    if (kind !== 'minimum') {
      betweenStops.push({ from, to, kind, minimum: 0 });
      return;
    }
    const minimum = row.number('min_transfer_time');
    if (minimum === null || !(minimum >= 0)) {
      return report.add(FILE, row.line, 'no valid min_transfer_time; left out');
    }
    betweenStops.push({ from, to, kind, minimum: Math.min(minimum, FEED_LIMITS.serviceTime) });
  });
  return { betweenStops, betweenTrips };
}

function isForSomeTrips(row: Row): boolean {
  return ['from_trip_id', 'to_trip_id', 'from_route_id', 'to_route_id'].some(
    (column) => row.text(column) !== '',
  );
}
