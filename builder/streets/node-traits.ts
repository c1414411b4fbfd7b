import { isSet, type Tags, valuesOf } from '../osm/tags.ts';
import { accessBy } from './access-tags.ts';
import { hasStepAt } from './step-tags.ts';
import { NO_LINKING, PUSHED_THROUGH, RIDE, RIDE_LOCAL, WALK, WALK_LOCAL } from './trait-bits.ts';

/** A barrier that pedestrians, or riders, may not pass. */
export const STOPS_WALK = 1 << 0;
export const STOPS_RIDE = 1 << 1;
/** Traffic lights for traffic along the way's nodes, or against them. */
export const SIGNAL_FORWARD = 1 << 2;
export const SIGNAL_BACKWARD = 1 << 5;
/** A crossing with traffic lights. */
export const SIGNAL = SIGNAL_FORWARD | SIGNAL_BACKWARD;
/** The lights are those of a pedestrian crossing. */
export const SIGNAL_OF_CROSSING = 1 << 6;
/** A barrier that pedestrians, or riders, may pass only where their trip begins or ends. */
export const LIMITS_WALK = 1 << 3;
export const LIMITS_RIDE = 1 << 4;

/** A step, or tagged as closed to wheelchairs. */
export const STEP = 1 << 7;

/** Barriers that are too narrow, or too high, to ride through unless tagged otherwise. */
const DISMOUNTED_AT = new Set([
  'stile',
  'horse_stile',
  'turnstile',
  'full-height_turnstile',
  'kissing_gate',
  'cycle_barrier',
]);

/** Packs the tags of a node: signals, barriers that restrict passage, and steps. */
export function nodeTraits(tags: Tags): number {
  if (tags.size === 0) return 0;
  return signalTraits(tags) | barrierTraits(tags) | (hasStepAt(tags) ? STEP : 0);
}

function barrierTraits(tags: Tags): number {
  const barrier = tags.get('barrier');
  if (barrier === undefined) return 0;
  const locked = tags.get('locked') === 'yes' ? 'local' : 'yes';
  const walk = accessBy(tags, ['foot', 'access']) ?? locked;
  const unlessTagged = valuesOf(barrier).some((kind) => DISMOUNTED_AT.has(kind)) ? 'no' : locked;
  const ride = accessBy(tags, ['bicycle', 'vehicle', 'access']) ?? unlessTagged;
  return (
    (walk === 'no' ? STOPS_WALK : walk === 'local' ? LIMITS_WALK : 0) |
    (ride === 'no' ? STOPS_RIDE : ride === 'local' ? LIMITS_RIDE : 0)
  );
}

function signalTraits(tags: Tags): number {
  const kinds = valuesOf(tags.get('highway') ?? '');
  const isOfStreets = kinds.includes('traffic_signals');
  if (!isOfStreets && !(kinds.includes('crossing') && isSignalled(tags))) return 0;
  return directionsOf(tags) | (isOfStreets ? 0 : SIGNAL_OF_CROSSING);
}

function directionsOf(tags: Tags): number {
  const direction = tags.get('traffic_signals:direction') ?? tags.get('direction');
  if (direction === 'forward') return SIGNAL_FORWARD;
  return direction === 'backward' ? SIGNAL_BACKWARD : SIGNAL;
}

/** Whether traffic lights stop the cars at a pedestrian crossing. */
function isSignalled(tags: Tags): boolean {
  const kinds = valuesOf(tags.get('crossing') ?? '');
  return kinds.includes('traffic_signals') || isSet(tags, 'crossing:signals');
}

export function isBarrier(nodeTraits: number): boolean {
  return (nodeTraits & ~(SIGNAL | SIGNAL_OF_CROSSING | STEP)) !== 0;
}

export function isStep(nodeTraits: number): boolean {
  return (nodeTraits & STEP) !== 0;
}

/** Returns the traits of the zero-length way through a barrier; 0 if no mode gets through. */
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
