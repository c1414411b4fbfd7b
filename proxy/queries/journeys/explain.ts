import { ordinalIn } from '../../../shards/arrays/sorted.ts';
import { ShardError } from '../../../shards/errors.ts';
import { type Geoid, geoidToNumber } from '../../../shards/geoid.ts';
import type { Matrix } from '../../../shards/matrix/matrix.ts';
import {
  endOfTenths,
  longestInMinutes,
  toMinutes,
  toTenths,
} from '../../../shards/matrix/rounded-times.ts';
import { MAX_POI_MINUTES, MINUTES, type ModeRow } from '../../../shards/matrix/row-codec.ts';
import { isTransit, TRANSIT_MODES, type TransitMode } from '../../../shards/modes.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { clockTime } from '../../../shards/services.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { CountyBlock, DestId, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { invalidParameter, type ParameterIssue, Problem } from '../../http/problem.ts';
import { locateOrigin, type OriginBlock, originOfGeoid } from '../origins/origin-block.ts';
import { homeCounty } from '../pois/catchment.ts';
import { fastestTrips } from './journey.ts';
import {
  type ExplainedTrip,
  noSpread,
  type Rounding,
  streetTrip,
  type TripOptions,
  WindowTrip,
} from './window-trips.ts';

export type TripEnd = { readonly geoid: Geoid } | { readonly destId: DestId };

interface StoredTrip {
  /** Minutes by each mode in the order of the release; undefined beyond reach. */
  readonly minutes: readonly (Minutes | undefined)[];
  /** Ordinal of the trip's end among the targets of the origin's county; -1 if it is not one. */
  readonly target: number;
}

const TO_BLOCK: Rounding = {
  minutesOf: toMinutes,
  longest: longestInMinutes,
  most: MINUTES.most,
};
const TO_POI: Rounding = {
  minutesOf: (time) => toTenths(time) / 10,
  longest: (minutes) => endOfTenths(Math.round(minutes * 10)),
  most: MAX_POI_MINUTES,
};

export function objectsOfTrip(
  release: Release,
  county: CountyManifest,
  end: TripEnd,
  mode: ReleaseMode,
): ObjectRef[] {
  const { objects } = county;
  const by = transitModeOf(release, mode);
  const transit = by ? [transitObject(release, county, by)] : [];
  if ('destId' in end) return [objects.index, objects.pois, ...transit];
  // The index of the county of the end states whether the end could be routed.
  const ofEnd = release.countyOfBlock(end.geoid)?.objects.index ?? [];
  return [objects.index, objects['reach-from'], ...transit].concat(ofEnd);
}

function transitModeOf({ services }: Release, position: ReleaseMode): TransitMode | null {
  const { mode } = services[position];
  return isTransit(mode) ? mode : null;
}

/** For each mode by transit, the object with its timetable, and the mode of its walks. */
const RIDDEN = {
  transit: { kind: 'transit', walk: 'walk' },
  transit_step_free: { kind: 'transit-step-free', walk: 'step_free' },
} as const satisfies Record<TransitMode, unknown>;

/** The transit object of a county; throws for a release that was built without transit. */
function transitObject(
  { latest }: Release,
  { objects }: CountyManifest,
  by: TransitMode,
): ObjectRef {
  const transit = objects[RIDDEN[by].kind];
  if (transit) return transit;
  throw invalidParameter(
    ['query', 'mode'],
    `release ${latest.release} holds no timetables, so trips by transit have no legs`,
    'mode_not_in_release',
  );
}

/**
 * Finds the block where a trip ends; null for a POI, and for a block beyond the counties of the
 * release, which may be within reach. Throws `block-not-found` or `poi-not-found` for an end that
 * the release lacks.
 */
export async function locateEnd(
  release: Release,
  { county }: OriginBlock,
  end: TripEnd,
): Promise<OriginBlock | null> {
  if ('destId' in end) {
    await homeCounty(release, end.destId);
    return null;
  }
  if (release.countyOfBlock(end.geoid)) {
    return locateOrigin(release, originOfGeoid(release, end.geoid));
  }
  const { targets } = await release.reach(county, 'from');
  if (ordinalIn(targets, geoidToNumber(end.geoid)) !== -1) return null;
  const detail = `there is no census block ${end.geoid} in this release`;
  throw new Problem('block-not-found', detail, { geoid: end.geoid });
}

/**
 * Returns the number of the departure at a local time, `HH:MM`, which was sent at `loc`; throws for
 * one out of the window.
 */
export function departureOf(
  release: Release,
  time: string | undefined,
  loc: ParameterIssue['loc'],
): number | undefined {
  if (time === undefined) return undefined;
  const { opens, departures } = release.window;
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time) ?? [];
  const nth = 60 * Number(hours) + Number(minutes) - opens;
  if (nth >= 0 && nth < departures && time === clockTime(opens + nth)) return nth;
  const [first, last, some] = [0, departures - 1, departures >> 2].map((n) => clockTime(opens + n));
  const msg = `must be a minute from ${first} to ${last}, such as ${some}`;
  throw invalidParameter(loc, msg, 'custom');
}

export interface AskedTrip {
  readonly end: TripEnd;
  readonly mode: ReleaseMode;
  readonly options: TripOptions;
}

/** Ends of trips whose walks from stops are read at once. */
const WIDTH = 16;

/**
 * Returns, for each of some trips from a block, the stored travel time and the legs of a trip that
 * takes as long; or, with a `departure`, the time and the legs of the fastest trip at that
 * departure. Transit trips are searched for in the stored timetable, which the stored times were
 * computed from: one search per departure serves all trips by a mode, so which of equally fast
 * journeys is found may depend on the others.
 */
export async function explainTrips(
  release: Release,
  origin: OriginBlock,
  asked: readonly AskedTrip[],
): Promise<ExplainedTrip[]> {
  const stored = await storedTrips(release, origin, asked);
  const trips: (ExplainedTrip | WindowTrip)[] = [];
  for (let first = 0; first < asked.length; first += WIDTH) {
    const some = asked.slice(first, first + WIDTH);
    const next = some.map((trip, i) => storedOrSearched(release, origin, trip, stored[first + i]));
    trips.push(...(await Promise.all(next)));
  }
  for (const by of TRANSIT_MODES) {
    const searched = trips.filter(
      (trip, i): trip is WindowTrip =>
        trip instanceof WindowTrip && transitModeOf(release, asked[i].mode) === by,
    );
    if (searched.length === 0) continue;
    const { table, transit } = await transitAround(release, origin, by);
    const access = await table.accessOf(origin.ordinal);
    await release.turns.run(fastestTrips(transit, access, searched));
  }
  return trips.map((trip, i) => {
    if (!(trip instanceof WindowTrip)) return trip;
    const { found } = trip;
    if (found) return found;
    const { mode } = asked[i];
    const { name } = transitObject(release, origin.county, transitModeOf(release, mode)!);
    const time = stored[i].minutes[mode];
    throw new ShardError(name, `row ${origin.ordinal}`, `has no trip of ${time} minutes`);
  });
}

/** Returns a trip that is known by its stored times, or else what to search the window for. */
async function storedOrSearched(
  release: Release,
  origin: OriginBlock,
  { end, mode, options }: AskedTrip,
  { minutes, target }: StoredTrip,
): Promise<ExplainedTrip | WindowTrip> {
  const time = minutes[mode];
  const by = transitModeOf(release, mode);
  if (by === null)
    return streetTrip(release.services[mode].mode === 'bike' ? 'ride' : 'walk', time);
  const { departure, spread } = options;
  const { opens, departures } = release.window;
  if (target === -1) {
    return { ...streetTrip('walk', time), ...(spread && { spread: noSpread(departures) }) };
  }
  const onFoot = minutes[release.positionOf(RIDDEN[by].walk)];
  // Where riding is no faster, transit times are those of walking.
  if (time === onFoot && departure === undefined && !spread) return streetTrip('walk', time);
  const { table, transit } = await transitAround(release, origin, by);
  const isBlock = 'geoid' in end;
  const egress = await (isBlock ? table.egressToBlock(target) : table.egressToPoi(target));
  const rounding = isBlock ? TO_BLOCK : TO_POI;
  return new WindowTrip(transit, opens, egress, rounding, { time, onFoot }, options);
}

/** The transit around the county of a block, in the window of departures that is read. */
async function transitAround(release: Release, { county }: OriginBlock, by: TransitMode) {
  const ref = transitObject(release, county, by);
  const table = await release.transit(county, ref);
  const { departure } = release.timing;
  const transit = table.windows.get(departure);
  if (!transit) throw new ShardError(ref.name, 'META', `lacks the window ${departure}`);
  return { table, transit };
}

/** Reads the stored times of trips from a block: at most one row for blocks and one for POIs. */
async function storedTrips(
  release: Release,
  { county, ordinal }: OriginBlock,
  asked: readonly AskedTrip[],
): Promise<StoredTrip[]> {
  const ends = asked.map(({ end }) => end);
  const blocks = ends.flatMap((end) => ('geoid' in end ? geoidToNumber(end.geoid) : []));
  const pois = ends.flatMap((end) => ('destId' in end ? end.destId : []));
  const [byBlock, byPoi] = await Promise.all([
    blocks.length > 0 ? timesTo(blocks, await release.reach(county, 'from'), ordinal, 1) : null,
    pois.length > 0 ? timesTo(pois, (await release.pois(county)).matrix, ordinal, 10) : null,
  ]);
  return ends.map((end) =>
    'geoid' in end ? byBlock!.get(geoidToNumber(end.geoid))! : byPoi!.get(end.destId)!,
  );
}

async function timesTo(
  ids: readonly number[],
  matrix: Matrix,
  ordinal: CountyBlock,
  unitsPerMinute: number,
): Promise<Map<number, StoredTrip>> {
  const targets = ids.map((id) => matrix.targetOrdinal(id));
  const row = targets.some((target) => target !== -1) ? await matrix.row(ordinal) : [];
  return new Map(
    ids.map((id, i) => {
      const target = targets[i];
      const minutes = target === -1 ? [] : row.map((mode) => timeIn(mode, target, unitsPerMinute));
      return [id, { minutes, target }];
    }),
  );
}

function timeIn({ targets, times }: ModeRow, target: number, unitsPerMinute: number) {
  const at = ordinalIn(targets, target);
  return at === -1 ? undefined : times[at] / unitsPerMinute;
}
