import type { Stress } from './traffic-stress.ts';

/**
 * Access and properties of a way according to its tags, packed into 32 bits. "Forward" is the order
 * of the way's nodes. A way with no bit set is not a street; a way with only a stress is for cars
 * alone, and is kept for its effect on crossings.
 */
export const WALK_FORWARD = 1 << 0;
export const WALK_BACKWARD = 1 << 1;
export const RIDE_FORWARD = 1 << 2;
export const RIDE_BACKWARD = 1 << 3;
export const WALK = WALK_FORWARD | WALK_BACKWARD;
export const RIDE = RIDE_FORWARD | RIDE_BACKWARD;
/** Trips never start or end here: in tunnels, on ferries, at barriers. */
export const NO_LINKING = 1 << 4;
/**
 * Offsets of three bits each: the stress of riding forward and backward, 1 (calm) to 4; 0 without a
 * class.
 */
const FORWARD_SHIFT = 5;
const BACKWARD_SHIFT = 8;
const STRESS_BITS = 7;
/** The stress is tagged; crossings do not raise it. */
export const STRESS_TAGGED = 1 << 11;
/** Pedestrians, or riders, may only begin or end a trip here, not pass through. */
export const WALK_LOCAL = 1 << 12;
export const RIDE_LOCAL = 1 << 13;

/** The outline of an area that can be walked freely. */
export const AREA = 1 << 14;

/** Over water, by boat. */
export const FERRY = 1 << 15;

/** On a bridge or in a tunnel: not at ground height. */
export const OFF_GROUND = 1 << 16;

/** A way through a barrier where bicycles are pushed. */
export const PUSHED_THROUGH = 1 << 17;

/** A cycle track separated from cars serves this direction. */
export const TRACK_FORWARD = 1 << 18;
export const TRACK_BACKWARD = 1 << 19;

/** Tags send riders in this direction to a sidepath. */
export const RIDE_BESIDE_FORWARD = 1 << 20;
export const RIDE_BESIDE_BACKWARD = 1 << 21;

/** Trips seldom start or end here; see `isSeldomLinked`. */
export const SELDOM_LINKED = 1 << 22;

/** Tags send walkers to a sidepath. */
export const WALK_BESIDE = 1 << 23;

/** Open to car traffic in this direction. */
export const DRIVE_FORWARD = 1 << 24;
export const DRIVE_BACKWARD = 1 << 25;

/** Stairs, or tagged as closed to wheelchairs. */
export const STEPS = 1 << 26;

/** Returns the traits of a way for walkers who take no steps. */
export function withoutSteps(traits: number): number {
  return traits & STEPS ? traits & ~WALK : traits;
}

export function isDriven(traits: number): boolean {
  return (traits & (DRIVE_FORWARD | DRIVE_BACKWARD)) !== 0;
}

export function hasTrackForward(traits: number): boolean {
  return (traits & TRACK_FORWARD) !== 0;
}

export function hasTrackBackward(traits: number): boolean {
  return (traits & TRACK_BACKWARD) !== 0;
}

/** Returns the traits of a street whose tracks count as no more than its cars. */
export function withoutTracks(traits: number): number {
  return traits & ~(TRACK_FORWARD | TRACK_BACKWARD);
}

export function isRiddenBeside(traits: number): boolean {
  return (traits & (RIDE_BESIDE_FORWARD | RIDE_BESIDE_BACKWARD)) !== 0;
}

export function isWalkedBeside(traits: number): boolean {
  return (traits & WALK_BESIDE) !== 0;
}

/** Closes a street to riders in the directions in which its tags send them to a sidepath. */
export function withoutSentRiders(traits: number): number {
  const left =
    (traits & RIDE_BESIDE_FORWARD ? RIDE_FORWARD : 0) |
    (traits & RIDE_BESIDE_BACKWARD ? RIDE_BACKWARD : 0);
  return traits & ~left;
}

/** Closes a street to walkers if its tags send them to a sidepath. */
export function withoutSentWalkers(traits: number): number {
  return isWalkedBeside(traits) ? traits & ~WALK : traits;
}

/** Whether riders may pass through at the lowest stress, and are not sent elsewhere. */
export function isCalmToRide(traits: number): boolean {
  const isCalm = Math.max(stressForward(traits), stressBackward(traits)) === 1;
  return isCalm && (throughTraits(traits) & RIDE) !== 0 && !isRiddenBeside(traits);
}

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

/** Returns the traits that apply to through trips. */
export function throughTraits(traits: number): number {
  return traits & ~((traits & WALK_LOCAL ? WALK : 0) | (traits & RIDE_LOCAL ? RIDE : 0));
}

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

export function withStress(traits: number, forward: number, backward: number): number {
  const kept = traits & ~((STRESS_BITS << FORWARD_SHIFT) | (STRESS_BITS << BACKWARD_SHIFT));
  return kept | (forward << FORWARD_SHIFT) | (backward << BACKWARD_SHIFT);
}
