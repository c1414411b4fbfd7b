import { getOrInsertComputed, groupBy } from '../../shards/arrays/group-by.ts';
import type { Geoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ReleaseMode } from '../../shards/units.ts';
import type { FoundRows, RowFormat } from '../formats/rows.ts';
import { Problem } from '../http/problem.ts';
import { PLANS } from '../plans.ts';
import {
  type AskedTrip,
  explainTrips,
  locateEnd,
  type TripEnd,
} from '../queries/journeys/explain.ts';
import { type TripRow, TripRows } from '../queries/journeys/trip-rows.ts';
import type { ExplainedTrip } from '../queries/journeys/window-trips.ts';
import { locateOrigin, type OriginBlock, originOfGeoid } from '../queries/origins/origin-block.ts';
import { unroutedModes, unroutedReasons } from '../queries/origins/unrouted.ts';
import { type Batch, type OriginError, originError } from './batch.ts';
import { wellFormed } from './origin-kinds.ts';
import { destIdOf } from './origin-lists.ts';
import { isNamed, nameOfTrip, type SentTrip } from './trip-list.ts';

interface ModedTrip extends SentTrip {
  readonly position: ReleaseMode;
  readonly departure?: number | undefined;
}

export interface TripsQuery {
  readonly trips: readonly ModedTrip[];
  readonly spread: boolean;
  readonly rowBudget: number;
}

interface LocatedTrip extends AskedTrip {
  readonly sent: ModedTrip;
  readonly origin: OriginBlock;
}

type TripOrError = LocatedTrip | { readonly sent: ModedTrip; readonly error: OriginError };

export interface LocatedTrips extends TripsQuery {
  readonly located: readonly TripOrError[];
}

/** Trips whose ends are located at once, so that their reads overlap. */
const WIDTH = 16;

export async function locateTrips(release: Release, query: TripsQuery): Promise<LocatedTrips> {
  const { trips } = query;
  const located: TripOrError[] = [];
  for (let first = 0; first < trips.length; first += WIDTH) {
    const found = trips
      .slice(first, first + WIDTH)
      .map((sent) =>
        locateTrip(release, query, sent).catch((error) => ({ sent, error: originError(error) })),
      );
    located.push(...(await Promise.all(found)));
    await release.turns.yieldIfOverdue();
  }
  return { ...query, located };
}

async function locateTrip(
  release: Release,
  { spread }: TripsQuery,
  sent: ModedTrip,
): Promise<TripOrError> {
  const { position: mode, departure } = sent;
  const origin = await locateOrigin(release, originOfGeoid(release, beginningOf(sent)));
  const end = endOf(sent);
  const endBlock = await locateEnd(release, origin, end);
  for (const block of [origin, endBlock]) {
    const unrouted = block && unroutedModes(block, [mode]);
    if (!unrouted) continue;
    const detail = unroutedReasons(block.geoid, unrouted);
    return { sent, error: { type: 'no-block-data', detail } };
  }
  return { sent, origin, end, mode, options: { departure, spread } };
}

function beginningOf({ from }: SentTrip): Geoid {
  if (from !== undefined) return wellFormed(from);
  throw new Problem('block-not-found', 'the trip has no beginning: send from, a block GEOID');
}

function endOf({ to, dest_id }: SentTrip): TripEnd {
  if (dest_id !== undefined) return { destId: destIdOf(dest_id) };
  if (to !== undefined) return { geoid: wellFormed(to) };
  throw new Problem('block-not-found', 'the trip has no end: send to, a block, or dest_id, a POI');
}

/**
 * A batch of trips, each of which is a row. The trips of an origin are searched for together, as
 * far as the balance and the row budget reach.
 */
export function tripBatch(
  release: Release,
  { located, rowBudget, spread }: LocatedTrips,
  format: Pick<RowFormat, 'name'>,
  balance: number,
): Batch<TripOrError> {
  const rowPrice = PLANS.charges.explain;
  const most = Math.min(Math.floor(balance / rowPrice), Math.max(1, rowBudget));
  const payable = located.filter((trip) => 'origin' in trip).slice(0, most);
  const tripsOf = groupBy(payable, ({ origin }) => origin.geoid);
  const explained = new Map<Geoid, Promise<Map<LocatedTrip, ExplainedTrip>>>();
  const explain = ({ origin: { geoid } }: LocatedTrip) =>
    getOrInsertComputed(explained, geoid, () => explainAll(release, tripsOf.get(geoid)!));
  const rows = new TripRows(format, spread);
  return {
    origins: located,
    rowBudget,
    rowPrice,
    turns: release.turns,
    columns: rows.columns,
    identify: ({ sent }) => nameOfTrip(sent),
    shorten: ({ sent }) => (isNamed(sent) ? nameOfTrip(sent) : null),
    async respond(trip) {
      if ('error' in trip) return trip.error;
      const found: FoundRows = {
        count: 1,
        async prepare() {
          await explain(trip);
        },
        async addTo(target) {
          rows.add(target, rowOf(release, trip, (await explain(trip)).get(trip)!));
        },
      };
      return { rows: found };
    },
  };
}

async function explainAll(
  release: Release,
  trips: readonly LocatedTrip[],
): Promise<Map<LocatedTrip, ExplainedTrip>> {
  const explained = await explainTrips(release, trips[0].origin, trips);
  return new Map(trips.map((trip, i) => [trip, explained[i]]));
}

function rowOf(release: Release, { origin, end, mode }: LocatedTrip, trip: ExplainedTrip): TripRow {
  return {
    block: origin.geoid,
    to: 'geoid' in end ? end.geoid : end.destId,
    mode: release.services[mode].mode,
    departure: release.timing.departure,
    ...trip,
  };
}
