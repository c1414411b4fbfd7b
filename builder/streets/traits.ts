import type { Tags } from '../osm/tags.ts';
import { type Access, accessBy } from './access-tags.ts';
import {
  type Cycleways,
  cyclewaysOf,
  type Directions,
  hasContraflowLane,
  hasSeparateContraflow,
  type Oneway,
} from './cycleways.ts';
import { isSaid, isSeldomLinked } from './seldom-linked.ts';
import { type Stress, trafficStress } from './traffic-stress.ts';
import { isFerry } from './way-time.ts';

/**
 * Access and properties of a way according to its tags, packed into 32 bits. "Forward" is the order
 * of the way's nodes. A way with no bit set is not a street; one with only a stress is for cars
 * alone, and kept for its effect on crossings.
 */
export const WALK_FORWARD = 1 << 0;
export const WALK_BACKWARD = 1 << 1;
export const RIDE_FORWARD = 1 << 2;
export const RIDE_BACKWARD = 1 << 3;
export const WALK = WALK_FORWARD | WALK_BACKWARD;
export const RIDE = RIDE_FORWARD | RIDE_BACKWARD;
/** Trips never start or end here: tunnels. */
export const NO_LINKING = 1 << 4;
/** Trips seldom start or end here, see `isSeldomLinked`. */
export const SELDOM_LINKED = 1 << 22;
/** Three bits each: the stress of riding forward and backward, 1 (calm) to 4; 0 without a class. */
const FORWARD_SHIFT = 5;
const BACKWARD_SHIFT = 8;
const STRESS_BITS = 7;
/** The stress is tagged; crossings do not raise it. */
const STRESS_TAGGED = 1 << 11;
/** Pedestrians, or riders, may only begin or end a trip here, not pass through. */
const WALK_LOCAL = 1 << 12;
const RIDE_LOCAL = 1 << 13;

/** The outline of an area that can be walked freely. */
const AREA = 1 << 14;

/** Over water, by boat. */
const FERRY = 1 << 15;

/** On a bridge or in a tunnel: not at ground height. */
const OFF_GROUND = 1 << 16;

/** A cycle track separated from cars serves this direction. */
const TRACK_FORWARD = 1 << 18;
const TRACK_BACKWARD = 1 << 19;

export function hasTrackForward(traits: number): boolean {
  return (traits & TRACK_FORWARD) !== 0;
}

export function hasTrackBackward(traits: number): boolean {
  return (traits & TRACK_BACKWARD) !== 0;
}

/** Tags send riders in this direction, or walkers, to a sidepath. */
const RIDE_BESIDE_FORWARD = 1 << 20;
const RIDE_BESIDE_BACKWARD = 1 << 21;
const WALK_BESIDE = 1 << 23;

export function isRiddenBeside(traits: number): boolean {
  return (traits & (RIDE_BESIDE_FORWARD | RIDE_BESIDE_BACKWARD)) !== 0;
}

export function isWalkedBeside(traits: number): boolean {
  return (traits & WALK_BESIDE) !== 0;
}

/** Traits of a street that has the sidepath to which its tags send riders. */
export function withoutSentRiders(traits: number): number {
  const left =
    (traits & RIDE_BESIDE_FORWARD ? RIDE_FORWARD : 0) |
    (traits & RIDE_BESIDE_BACKWARD ? RIDE_BACKWARD : 0);
  return traits & ~left;
}

/** Traits of a street that has the sidepath to which its tags send walkers. */
export function withoutSentWalkers(traits: number): number {
  return isWalkedBeside(traits) ? traits & ~WALK : traits;
}

/** Whether riders may pass through at the lowest stress, and are not sent elsewhere. */
export function isCalmToRide(traits: number): boolean {
  const isCalm = Math.max(stressForward(traits), stressBackward(traits)) === 1;
  return isCalm && (throughTraits(traits) & RIDE) !== 0 && !isRiddenBeside(traits);
}

/** Through a barrier where bicycles are pushed. */
const PUSHED_THROUGH = 1 << 17;

export function isPushedThrough(traits: number): boolean {
  return (traits & PUSHED_THROUGH) !== 0;
}

export function isOffGround(traits: number): boolean {
  return (traits & OFF_GROUND) !== 0;
}

export function isByBoat(traits: number): boolean {
  return (traits & FERRY) !== 0;
}

export function isArea(traits: number): boolean {
  return (traits & AREA) !== 0;
}

/** The traits that apply to through trips. */
export function throughTraits(traits: number): number {
  return traits & ~((traits & WALK_LOCAL ? WALK : 0) | (traits & RIDE_LOCAL ? RIDE : 0));
}

/** Whether through trips on foot are permitted. */
export function isWalkedThrough(traits: number): boolean {
  return (throughTraits(traits) & WALK) !== 0;
}

export function stressForward(traits: number): Stress | 0 {
  return ((traits >>> FORWARD_SHIFT) & STRESS_BITS) as Stress | 0;
}

export function stressBackward(traits: number): Stress | 0 {
  return ((traits >>> BACKWARD_SHIFT) & STRESS_BITS) as Stress | 0;
}

export function isStressTagged(traits: number): boolean {
  return (traits & STRESS_TAGGED) !== 0;
}

/** Traits with another stress. */
export function withStress(traits: number, forward: number, backward: number): number {
  const kept = traits & ~((STRESS_BITS << FORWARD_SHIFT) | (STRESS_BITS << BACKWARD_SHIFT));
  return kept | (forward << FORWARD_SHIFT) | (backward << BACKWARD_SHIFT);
}

/** Ways for pedestrians; a bicycle is ridden only where a tag permits it. */
const FOOTWAYS = new Set(['footway', 'steps', 'corridor', 'platform', 'elevator']);
/** Areas with these values are plazas. */
const OPEN_SPACES = new Set(['pedestrian', 'footway', 'platform']);
/** Ways open to both unless a tag forbids it. */
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

/**
 * Packs the tags of a way. The most specific access tag takes precedence (`foot` over `access`,
 * `bicycle` over `vehicle` over `access`), then the default of its class, according to the United
 * States' row of the OpenStreetMap wiki's "Access restrictions" table. Time-dependent restrictions
 * (`:conditional`) are not read. Returns 0 if the way is not a street.
 */
export function streetTraits(tags: Tags): number {
  if (isFerry(tags)) return ferryTraits(tags);
  const highway = wayClass(tags);
  if (highway === undefined) return 0;
  const walk = walkAccess(tags, highway);
  const cars = onewayOf(tags, highway, ['oneway']);
  const cycleways = cyclewaysOf(tags, cars);
  let traits = rideDirections(tags, highway, cars, cycleways);
  if (walk !== 'no') traits |= walkDirections(tags);
  if (isSentBeside(tags, 'foot') && !hasSidewalk(tags)) traits |= WALK_BESIDE;
  if (walk === 'local') traits |= WALK_LOCAL;
  const stress = trafficStress(tags, highway, cycleways);
  if ((traits & (WALK | RIDE)) === 0 && Math.max(stress.forward, stress.backward) <= 1) return 0;
  const isTunnel = isSaid(tags, 'tunnel') && tags.get('tunnel') !== 'building_passage';
  if (isTunnel) traits |= NO_LINKING;
  if (isTunnel || isSaid(tags, 'bridge')) traits |= OFF_GROUND;
  if (isSeldomLinked(tags, highway)) traits |= SELDOM_LINKED;
  if (stress.isTagged) traits |= STRESS_TAGGED;
  else traits |= bitsOf(cycleways.tracks, TRACK_FORWARD, TRACK_BACKWARD);
  if (tags.get('area') === 'yes' && OPEN_SPACES.has(highway)) traits |= AREA;
  return withStress(traits, stress.forward, stress.backward);
}

/**
 * A ferry carries pedestrians, and bicycles pushed on board; trips along it begin and end at its
 * quays.
 */
function ferryTraits(tags: Tags): number {
  const access = accessBy(tags, ['foot', 'access']) ?? 'yes';
  if (access === 'no') return 0;
  return FERRY | WALK | NO_LINKING | (access === 'local' ? WALK_LOCAL : 0);
}

/** A barrier that pedestrians, or riders, may not pass. */
export const STOPS_WALK = 1 << 0;
export const STOPS_RIDE = 1 << 1;
/** A crossing with traffic lights. */
export const SIGNAL = 1 << 2;
/** A barrier that pedestrians, or riders, may pass only where their trip begins or ends. */
export const LIMITS_WALK = 1 << 3;
export const LIMITS_RIDE = 1 << 4;

/** Barriers that are too narrow, or too high, to ride through unless tagged otherwise. */
const DISMOUNTED_AT = new Set([
  'stile',
  'horse_stile',
  'turnstile',
  'full-height_turnstile',
  'kissing_gate',
  'cycle_barrier',
]);

/** Packs the tags of a node: signals, and barriers that restrict passage. */
export function nodeTraits(tags: Tags): number {
  if (tags.size === 0) return 0;
  if (isSignal(tags)) return SIGNAL;
  const barrier = tags.get('barrier');
  if (barrier === undefined) return 0;
  const locked = tags.get('locked') === 'yes' ? 'local' : 'yes';
  const walk = accessBy(tags, ['foot', 'access']) ?? locked;
  const unlessTagged = DISMOUNTED_AT.has(barrier) ? 'no' : locked;
  const ride = accessBy(tags, ['bicycle', 'vehicle', 'access']) ?? unlessTagged;
  return (
    (walk === 'no' ? STOPS_WALK : walk === 'local' ? LIMITS_WALK : 0) |
    (ride === 'no' ? STOPS_RIDE : ride === 'local' ? LIMITS_RIDE : 0)
  );
}

/** Whether traffic lights stop the cars, at a crossing of streets or for pedestrians. */
function isSignal(tags: Tags): boolean {
  const highway = tags.get('highway');
  if (highway !== 'crossing') return highway === 'traffic_signals';
  return tags.get('crossing') === 'traffic_signals' || tags.get('crossing:signals') === 'yes';
}

/** Whether a node is a barrier to some modes. */
export function isBarrier(nodeTraits: number): boolean {
  return (nodeTraits & ~SIGNAL) !== 0;
}

/** The traits of a barrier as a way through it, of zero length; 0 if no mode gets through. */
export function traitsThrough(nodeTraits: number): number {
  let traits = 0;
  if ((nodeTraits & STOPS_WALK) === 0) traits |= WALK;
  if ((nodeTraits & STOPS_RIDE) === 0) traits |= RIDE;
  if (traits === 0) return 0;
  if (nodeTraits & STOPS_RIDE) traits |= PUSHED_THROUGH;
  if (nodeTraits & LIMITS_WALK) traits |= WALK_LOCAL;
  if (nodeTraits & LIMITS_RIDE) traits |= RIDE_LOCAL;
  return traits | NO_LINKING;
}

function wayClass(tags: Tags): string | undefined {
  const highway = tags.get('highway');
  if (highway !== undefined) {
    const known =
      FOOTWAYS.has(highway) || SHARED_WAYS.has(highway) || FOR_MOTOR_VEHICLES.has(highway);
    return known ? highway : undefined;
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

/** The access of bicycles by the tags of the whole way. On steps they are carried. */
function rideAccess(tags: Tags, highway: string): Access {
  if (accessBy(tags, ['cycleway:both', 'cycleway']) === 'yes') return 'yes';
  const access = isSentBeside(tags, 'bicycle') ? undefined : accessBy(tags, ['bicycle']);
  if (access !== undefined) return access;
  if (isForMotorVehicles(tags, highway) || FOOTWAYS.has(highway)) return 'no';
  return accessBy(tags, ['vehicle', 'access']) ?? 'yes';
}

/** Whether it has a sidewalk that is not mapped as a way of its own. */
function hasSidewalk(tags: Tags): boolean {
  return WITH_SIDEWALK.has(tags.get('sidewalk') ?? '');
}

function isForMotorVehicles(tags: Tags, highway: string): boolean {
  return FOR_MOTOR_VEHICLES.has(highway) || tags.get('motorroad') === 'yes';
}

function walkDirections(tags: Tags): number {
  const oneway = tags.get('oneway:foot') ?? tags.get('foot:oneway');
  if (oneway === 'yes' || tags.get('foot:backward') === 'no') return WALK_FORWARD;
  if (oneway === '-1' || tags.get('foot:forward') === 'no') return WALK_BACKWARD;
  return WALK_FORWARD | WALK_BACKWARD;
}

/** Whether an access tag sends to a sidepath; resolved once paths are known. */
function isSentBeside(tags: Tags, key: string): boolean {
  return tags.get(key) === 'use_sidepath';
}

/**
 * The directions of riding: cycle lanes of a side permit them, one-way rules remove them, and
 * contraflow lanes restore them; also marks those for which riders are sent to a sidepath.
 */
function rideDirections(tags: Tags, highway: string, cars: Oneway, cycleways: Cycleways): number {
  if (highway === 'steps') return 0;
  const access = rideAccess(tags, highway);
  let open = access === 'no' ? 0 : RIDE;
  open |= bitsOf(cycleways.open, RIDE_FORWARD, RIDE_BACKWARD);
  open &= directionsOf(onewayOf(tags, highway, ['oneway:bicycle', 'oneway:vehicle', 'oneway']));
  const isClosed = (key: string) => accessBy(tags, [key]) === 'no' && !isSentBeside(tags, key);
  if (isClosed('bicycle:forward')) open &= ~RIDE_FORWARD;
  if (isClosed('bicycle:backward')) open &= ~RIDE_BACKWARD;
  if (hasContraflowLane(tags)) open |= cars === 'backward' ? RIDE_FORWARD : RIDE_BACKWARD;
  if (open === 0) return 0;
  return open | besideBits(tags, cars, cycleways) | (access === 'local' ? RIDE_LOCAL : 0);
}

/**
 * The directions in which riders are sent to a sidepath and have no cycleway on the street itself.
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
 * The direction of traffic by the first of some tags that gives it, or else by the class of the
 * way.
 */
function onewayOf(tags: Tags, highway: string, keys: readonly string[]): Oneway {
  const value = keys.map((key) => tags.get(key)).find((tag) => tag !== undefined);
  if (value === undefined) {
    const junction = tags.get('junction');
    const isRound = junction === 'roundabout' || junction === 'circular';
    return isRound || highway === 'motorway' ? 'forward' : 'no';
  }
  if (value === 'yes' || value === '1' || value === 'true') return 'forward';
  return value === '-1' || value === 'reverse' ? 'backward' : 'no';
}

function bitsOf({ forward, backward }: Directions, ahead: number, back: number): number {
  return (forward ? ahead : 0) | (backward ? back : 0);
}

function directionsOf(oneway: Oneway): number {
  if (oneway === 'forward') return RIDE_FORWARD;
  return oneway === 'backward' ? RIDE_BACKWARD : RIDE;
}
