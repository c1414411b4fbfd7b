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
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { DestId, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { invalidParameters, Problem } from '../../http/problem.ts';
import { locateOrigin, type OriginBlock, originOfGeoid } from '../origins/origin-block.ts';
import { homeCounty } from '../pois/catchment.ts';
import {
  NO_SPREAD,
  type Rounding,
  type Spread,
  streetTrip,
  type Trip,
  WindowTrips,
} from './window-trips.ts';

/** Where a trip ends: a block, or a POI. */
export type TripEnd = { readonly geoid: Geoid } | { readonly destId: DestId };

/** A trip with its stored travel times. */
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

/** The objects that the legs of a trip are read from. */
export function objectsOfTrip(
  release: Release,
  { objects }: CountyManifest,
  end: TripEnd,
  mode: ReleaseMode,
): ObjectRef[] {
  const transit = isTransit(release, mode) ? [transitObject(release, objects)] : [];
  if ('destId' in end) return [objects.index, objects.pois, ...transit];
  // The index of the county of the end states whether the end could be routed.
  const ofEnd = release.countyOfBlock(end.geoid)?.objects.index ?? [];
  return [objects.index, objects['reach-from'], ...transit].concat(ofEnd);
}

function isTransit({ manifest: { modes } }: Release, mode: ReleaseMode): boolean {
  return modes[mode] === 'transit';
}

/** Returns the transit object of a county; throws for a release that was built without transit. */
function transitObject({ latest }: Release, { transit }: CountyManifest['objects']): ObjectRef {
  if (transit) return transit;
  throw invalidParameters([
    {
      loc: ['query', 'mode'],
      msg: `release ${latest.release} holds no timetables, so trips by transit have no legs`,
      type: 'mode_not_in_release',
    },
  ]);
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

/** Which trips by transit are searched for. */
export interface TripOptions {
  /** A departure of the window, to be explained instead of the stored time. */
  readonly departure?: number | undefined;
  /** Whether to search for all departures of the window. */
  readonly spread: boolean;
}

/**
 * Returns the stored travel time of a trip, and the legs of a trip that takes as long; or, with a
 * `departure`, the time and the legs of the fastest trip at that departure. A transit trip is
 * searched for in the stored timetable, which the stored times were computed from.
 */
export async function explainTrip(
  release: Release,
  origin: OriginBlock,
  end: TripEnd,
  mode: ReleaseMode,
  { departure, spread }: TripOptions = { spread: false },
): Promise<Trip & { readonly spread?: Spread }> {
  const { minutes, target } = await storedTrip(release, origin, end);
  const { modes } = release.manifest;
  const time = minutes[mode];
  if (!isTransit(release, mode)) return streetTrip(modes[mode] === 'bike' ? 'ride' : 'walk', time);
  const onFoot = minutes[modes.indexOf('walk')];
  // Where riding is no faster, transit times are those of walking.
  const isRidden = time !== undefined && time !== onFoot;
  const isSearched = isRidden || spread || departure !== undefined;
  if (target === -1) return { ...streetTrip('walk', time), ...(spread && { spread: NO_SPREAD }) };
  if (!isSearched) return streetTrip('walk', time);
  const trips = await windowTrips(release, origin, end, target, onFoot);
  const whole = spread ? await trips.spread(time) : null;
  const tripOfStored = async () => {
    if (!isRidden) return streetTrip('walk', time);
    // The window need not be searched again.
    const trip = await (whole && whole.first >= 0 ? trips.at(whole.first) : trips.firstOf(time));
    if (trip) return trip;
    const { name } = transitObject(release, origin.county.objects);
    throw new ShardError(name, `row ${origin.ordinal}`, `has no trip of ${time} minutes`);
  };
  const trip = await (departure === undefined ? tripOfStored() : trips.at(departure));
  return whole ? { ...trip, spread: whole.spread } : trip;
}

async function storedTrip(
  release: Release,
  { county, ordinal }: OriginBlock,
  end: TripEnd,
): Promise<StoredTrip> {
  const matrix: Matrix =
    'geoid' in end ? await release.reach(county, 'from') : (await release.pois(county)).matrix;
  const target = matrix.targetOrdinal('geoid' in end ? geoidToNumber(end.geoid) : end.destId);
  if (target === -1) return { minutes: [], target };
  const unitsPerMinute = 'geoid' in end ? 1 : 10;
  const row = await matrix.row(ordinal);
  return { minutes: row.map((mode) => timeIn(mode, target, unitsPerMinute)), target };
}

function timeIn({ targets, times }: ModeRow, target: number, unitsPerMinute: number) {
  const at = ordinalIn(targets, target);
  return at === -1 ? undefined : times[at] / unitsPerMinute;
}

async function windowTrips(
  release: Release,
  { county, ordinal }: OriginBlock,
  end: TripEnd,
  target: number,
  onFoot: Minutes | undefined,
): Promise<WindowTrips> {
  const ref = transitObject(release, county.objects);
  const table = await release.transit(county, ref);
  const [access, egress] = await Promise.all([
    table.accessOf(ordinal),
    'geoid' in end ? table.egressToBlock(target) : table.egressToPoi(target),
  ]);
  const rounding = 'geoid' in end ? TO_BLOCK : TO_POI;
  return new WindowTrips(release.turns, table.transit, { access, egress }, rounding, onFoot);
}
