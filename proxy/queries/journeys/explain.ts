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
import type { ModeRow } from '../../../shards/matrix/row-codec.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { DestId, Millis, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { invalidParameters, Problem } from '../../http/problem.ts';
import { locateOrigin, type OriginBlock, originOfGeoid } from '../origins/origin-block.ts';
import { homeCounty } from '../pois/catchment.ts';
import { journeySteps, type Leg, legsOf } from './journey.ts';

/** Where a trip ends: a block, or a POI. */
export type TripEnd = { readonly geoid: Geoid } | { readonly destId: DestId };

/** A trip with its stored travel times. */
interface StoredTrip {
  /** Minutes by each mode in the order of the release; undefined beyond reach. */
  readonly minutes: readonly (Minutes | undefined)[];
  /** Ordinal of the trip's end among the targets of the origin's county; -1 if it is not one. */
  readonly target: number;
}

/**
 * How times of a kind of trip are rounded, and the longest time that is rounded to given minutes.
 */
interface Rounding {
  readonly minutesOf: (time: Millis) => Minutes;
  readonly longest: (minutes: Minutes) => Millis;
}

const TO_BLOCK: Rounding = { minutesOf: toMinutes, longest: longestInMinutes };
const TO_POI: Rounding = {
  minutesOf: (time) => toTenths(time) / 10,
  longest: (minutes) => endOfTenths(Math.round(minutes * 10)),
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

/**
 * Returns the stored travel time of a trip, and the legs of a trip that takes as long; null and no
 * legs for a trip beyond reach. A transit trip is searched for in the stored timetable, which the
 * travel time was computed from.
 */
export async function explainTrip(
  release: Release,
  origin: OriginBlock,
  end: TripEnd,
  mode: ReleaseMode,
): Promise<{ travel_time: Minutes | null; legs: readonly Leg[] }> {
  const { minutes, target } = await storedTrip(release, origin, end);
  const travel_time = minutes[mode];
  if (travel_time === undefined) return { travel_time: null, legs: [] };
  const { modes } = release.manifest;
  // Where riding is no faster, transit times are those of walking.
  const isRidden = isTransit(release, mode) && minutes[modes.indexOf('walk')] !== travel_time;
  const legs: readonly Leg[] = isRidden
    ? await transitLegs(release, origin, end, target, travel_time)
    : [{ kind: modes[mode] === 'bike' ? 'ride' : 'walk', minutes: travel_time }];
  return { travel_time, legs };
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

async function transitLegs(
  release: Release,
  { county, ordinal }: OriginBlock,
  end: TripEnd,
  target: number,
  minutes: Minutes,
): Promise<Leg[]> {
  const ref = transitObject(release, county.objects);
  const table = await release.transit(county, ref);
  const [access, egress] = await Promise.all([
    table.accessOf(ordinal),
    'geoid' in end ? table.egressToBlock(target) : table.egressToPoi(target),
  ]);
  const { minutesOf, longest } = 'geoid' in end ? TO_BLOCK : TO_POI;
  const { transit } = table;
  const isWanted = (length: Millis) => minutesOf(length) === minutes;
  const journey = await release.turns.run(
    journeySteps(transit, access, egress, longest(minutes), isWanted),
  );
  if (journey) return legsOf(journey, transit, minutesOf);
  throw new ShardError(ref.name, `row ${ordinal}`, `has no trip of ${minutes} minutes`);
}
