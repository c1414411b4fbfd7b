import { isSet, type Tags } from '../osm/tags.ts';
import { type Access, accessBy } from './access-tags.ts';
import {
  type Cycleways,
  cyclewaysOf,
  type Directions,
  hasContraflowLane,
  hasSeparateContraflow,
  type Oneway,
} from './cycleways.ts';
import { isSeldomLinked } from './seldom-linked.ts';
import { hasStepsAlong } from './step-tags.ts';
import { mayDrive, trafficStress } from './traffic-stress.ts';
import {
  AREA,
  DRIVE_BACKWARD,
  DRIVE_FORWARD,
  FERRY,
  NO_LINKING,
  OFF_GROUND,
  RIDE,
  RIDE_BACKWARD,
  RIDE_BESIDE_BACKWARD,
  RIDE_BESIDE_FORWARD,
  RIDE_FORWARD,
  RIDE_LOCAL,
  SELDOM_LINKED,
  STEPS,
  STRESS_TAGGED,
  TRACK_BACKWARD,
  TRACK_FORWARD,
  WALK,
  WALK_BACKWARD,
  WALK_BESIDE,
  WALK_FORWARD,
  WALK_LOCAL,
  withStress,
} from './trait-bits.ts';
import { isFerry } from './way-time.ts';

/** Ways for pedestrians; a bicycle is ridden only where a tag permits it. */
const FOOTWAYS = new Set(['footway', 'steps', 'corridor', 'platform', 'elevator']);
/** Areas with these values are plazas. */
const OPEN_SPACES = new Set(['pedestrian', 'footway', 'platform']);
/** Ways open to pedestrians and bicycles unless a tag forbids it. */
const SHARED_WAYS = new Set([
  'path',
  'cycleway',
  'pedestrian',
  'bridleway',
  'track',
  'service',
  'living_street',
  'residential',
  'unclassified',
  'road',
  'tertiary',
  'tertiary_link',
  'secondary',
  'secondary_link',
  'primary',
  'primary_link',
  'trunk',
  'trunk_link',
]);
/** Ways for motor vehicles alone, unless a tag permits others. */
const FOR_MOTOR_VEHICLES = new Set(['motorway', 'motorway_link', 'busway']);
const WITH_SIDEWALK = new Set(['both', 'left', 'right']);
/** Values of `bridge` for bridges that no longer exist. */
const GONE = new Set(['demolished', 'destroyed', 'removed', 'collapsed']);

/**
 * Packs the tags of a way. The most specific access tag takes precedence (`foot` over `access`,
 * `bicycle` over `vehicle` over `access`), then the default of the way's class, according to the
 * row of the United States in the OpenStreetMap wiki's "Access restrictions" table. Time-dependent
 * restrictions (`:conditional`) are not read. Returns 0 if the way is not a street.
 */
export function streetTraits(tags: Tags): number {
  if (isFerry(tags)) return ferryTraits(tags);
  const highway = wayClass(tags);
  if (highway === undefined) return 0;
  const walk = walkAccess(tags, highway);
  const cars = onewayOf(tags, highway, ['oneway']);
  const cycleways = cyclewaysOf(tags, cars);
  let traits = rideDirections(tags, highway, cars, cycleways);
  if (walk !== 'no') traits |= walkBits(walkOneway(tags));
  if (isSentBeside(tags, 'foot') && !hasSidewalk(tags)) traits |= WALK_BESIDE;
  if (walk === 'local') traits |= WALK_LOCAL;
  const isDriven = mayDrive(tags, highway);
  const stress = trafficStress(tags, highway, cycleways, isDriven);
  if ((traits & (WALK | RIDE)) === 0 && Math.max(stress.forward, stress.backward) <= 1) return 0;
  const isTunnel = isSet(tags, 'tunnel') && tags.get('tunnel') !== 'building_passage';
  if (isTunnel) traits |= NO_LINKING;
  if (isTunnel || isSet(tags, 'bridge')) traits |= OFF_GROUND;
  if (isSeldomLinked(tags, highway)) traits |= SELDOM_LINKED;
  if (stress.isTagged) traits |= STRESS_TAGGED;
  else traits |= bitsOf(cycleways.tracks, TRACK_FORWARD, TRACK_BACKWARD);
  if (hasStepsAlong(tags)) traits |= STEPS;
  if (tags.get('area') === 'yes' && OPEN_SPACES.has(highway)) traits |= AREA;
  if (isDriven) traits |= bitsOf(directionsOf(cars), DRIVE_FORWARD, DRIVE_BACKWARD);
  return withStress(traits, stress.forward, stress.backward);
}

/**
 * A ferry carries pedestrians, and bicycles pushed on board; trips along it begin and end at its
 * quays.
 */
function ferryTraits(tags: Tags): number {
  const access = accessBy(tags, ['foot', 'access']) ?? 'yes';
  if (access === 'no') return 0;
  const oneway = taggedOneway(tags, ['oneway:foot', 'foot:oneway', 'oneway']) ?? 'no';
  const local = access === 'local' ? WALK_LOCAL : 0;
  return FERRY | walkBits(oneway) | NO_LINKING | local | (hasStepsAlong(tags) ? STEPS : 0);
}

function wayClass(tags: Tags): string | undefined {
  const highway = tags.get('highway');
  if (highway !== undefined) {
    const known =
      FOOTWAYS.has(highway) || SHARED_WAYS.has(highway) || FOR_MOTOR_VEHICLES.has(highway);
    return known && !GONE.has(tags.get('bridge') ?? '') ? highway : undefined;
  }
  if (tags.get('railway') === 'platform' || tags.get('public_transport') === 'platform') {
    return 'platform';
  }
  return tags.get('man_made') === 'pier' ? 'footway' : undefined;
}

function walkAccess(tags: Tags, highway: string): Access {
  const access = isSentBeside(tags, 'foot') ? undefined : accessBy(tags, ['foot']);
  if (access !== undefined) return access;
  if (isForMotorVehicles(tags, highway) && !hasSidewalk(tags)) return 'no';
  return accessBy(tags, ['access']) ?? 'yes';
}

/** Returns the access of bicycles by the tags of the whole way. On steps bicycles are carried. */
function rideAccess(tags: Tags, highway: string): Access {
  if (accessBy(tags, ['cycleway:both', 'cycleway']) === 'yes') return 'yes';
  const access = isSentBeside(tags, 'bicycle') ? undefined : accessBy(tags, ['bicycle']);
  if (access !== undefined) return access;
  if (isForMotorVehicles(tags, highway) || FOOTWAYS.has(highway)) return 'no';
  return accessBy(tags, ['vehicle', 'access']) ?? 'yes';
}

/** Whether a street has a sidewalk that is not mapped as a way of its own. */
function hasSidewalk(tags: Tags): boolean {
  const sides = ['sidewalk:both', 'sidewalk:left', 'sidewalk:right'];
  return (
    WITH_SIDEWALK.has(tags.get('sidewalk') ?? '') || sides.some((side) => tags.get(side) === 'yes')
  );
}

function isForMotorVehicles(tags: Tags, highway: string): boolean {
  return FOR_MOTOR_VEHICLES.has(highway) || tags.get('motorroad') === 'yes';
}

/**
 * Returns the only direction in which a way is walked: that of tags for walkers, or else that in
 * which an escalator or moving walkway runs. `oneway` alone concerns vehicles.
 */
function walkOneway(tags: Tags): Oneway {
  const tagged = taggedOneway(tags, ['oneway:foot', 'foot:oneway']);
  if (tagged === 'forward' || tags.get('foot:backward') === 'no') return 'forward';
  if (tagged === 'backward' || tags.get('foot:forward') === 'no') return 'backward';
  const conveying = tags.get('conveying');
  if (tagged === 'no' || conveying === undefined || conveying === 'no') return 'no';
  if (conveying === 'forward' || conveying === 'backward') return conveying;
  return taggedOneway(tags, ['oneway']) ?? 'no';
}

function walkBits(oneway: Oneway): number {
  return bitsOf(directionsOf(oneway), WALK_FORWARD, WALK_BACKWARD);
}

/**
 * Whether an access tag sends travellers to a sidepath, which `leaveToSidepaths` looks for once all
 * paths are known.
 */
function isSentBeside(tags: Tags, key: string): boolean {
  return tags.get(key) === 'use_sidepath';
}

/**
 * Returns the directions of riding: cycleways permit them, one-way rules remove them, and
 * contraflow lanes restore them. Also marks the directions in which riders are sent to a sidepath.
 */
function rideDirections(tags: Tags, highway: string, cars: Oneway, cycleways: Cycleways): number {
  if (highway === 'steps') return 0;
  const access = rideAccess(tags, highway);
  let open = access === 'no' ? 0 : RIDE;
  open |= bitsOf(cycleways.open, RIDE_FORWARD, RIDE_BACKWARD);
  const oneway = onewayOf(tags, highway, ['oneway:bicycle', 'oneway:vehicle', 'oneway']);
  open &= bitsOf(directionsOf(oneway), RIDE_FORWARD, RIDE_BACKWARD);
  const isClosed = (key: string) => accessBy(tags, [key]) === 'no' && !isSentBeside(tags, key);
  if (isClosed('bicycle:forward')) open &= ~RIDE_FORWARD;
  if (isClosed('bicycle:backward')) open &= ~RIDE_BACKWARD;
  if (hasContraflowLane(tags)) open |= cars === 'backward' ? RIDE_FORWARD : RIDE_BACKWARD;
  if (open === 0) return 0;
  return open | besideBits(tags, cars, cycleways) | (access === 'local' ? RIDE_LOCAL : 0);
}

/**
 * Returns the directions in which riders are sent to a sidepath and have no cycleway on the street
 * itself.
 */
function besideBits(tags: Tags, cars: Oneway, { open }: Cycleways): number {
  const isSent = isSentBeside(tags, 'bicycle');
  const isBeside = hasSeparateContraflow(tags, cars) && !hasContraflowLane(tags);
  const isSentTo = (direction: 'forward' | 'backward') =>
    isSent || isSentBeside(tags, `bicycle:${direction}`) || (isBeside && cars !== direction);
  const forward = isSentTo('forward') && !open.forward;
  const backward = isSentTo('backward') && !open.backward;
  return bitsOf({ forward, backward }, RIDE_BESIDE_FORWARD, RIDE_BESIDE_BACKWARD);
}

/**
 * Returns the direction of traffic by the first of some tags that is present, or else by the class
 * of the way.
 */
function onewayOf(tags: Tags, highway: string, keys: readonly string[]): Oneway {
  const tagged = taggedOneway(tags, keys);
  if (tagged !== undefined) return tagged;
  const junction = tags.get('junction');
  const isRound = junction === 'roundabout' || junction === 'circular';
  return isRound || highway === 'motorway' ? 'forward' : 'no';
}

/** Returns the direction of traffic by the first of some tags that is present. */
function taggedOneway(tags: Tags, keys: readonly string[]): Oneway | undefined {
  const value = keys.map((key) => tags.get(key)).find((tag) => tag !== undefined);
  if (value === undefined) return undefined;
  if (value === 'yes' || value === '1' || value === 'true') return 'forward';
  return value === '-1' || value === 'reverse' ? 'backward' : 'no';
}

function bitsOf({ forward, backward }: Directions, ahead: number, back: number): number {
  return (forward ? ahead : 0) | (backward ? back : 0);
}

function directionsOf(oneway: Oneway): Directions {
  return { forward: oneway !== 'backward', backward: oneway !== 'forward' };
}
