import type { StreetMode } from '../../shards/modes.ts';
import { ROUTING, type Routing, walkingSpeed } from '../routing-parameters.ts';
import { ridingSlowdown, type Slowdown, walkingSlowdown } from './hills.ts';
import { BY_LENGTH, type StreetNetwork } from './network.ts';
import { slowdownUntil } from './slopes.ts';
import {
  isPushedThrough,
  RIDE,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  stressBackward,
  stressForward,
  throughTraits,
  WALK,
  WALK_BACKWARD,
  WALK_FORWARD,
} from './trait-bits.ts';

/** Milliseconds to traverse each edge of a network in each direction, by one mode. */
export interface ModeCosts {
  readonly forward: Int32Array;
  readonly backward: Int32Array;
  /** 1 where trips may only begin and end, not pass through. */
  readonly isLocal: Uint8Array;
  /**
   * Bits `RIDE_FORWARD` and `RIDE_BACKWARD` for the directions in which an edge is ridden, not
   * walked.
   */
  readonly ridden: Uint8Array;
}

/** The cost of an edge in a direction in which it may not be used. */
export const CLOSED = -1;

/**
 * Computes the cost of every edge for a mode. A bike is walked where it may not, or would not, be
 * ridden. If a mode may pass through an edge at all, it uses the directions in which it may do so;
 * otherwise the edge is local.
 */
export function modeCosts(
  network: StreetNetwork,
  mode: StreetMode,
  routing: Routing = ROUTING,
): ModeCosts {
  const forward = new Int32Array(network.edgeCount);
  const backward = new Int32Array(network.edgeCount);
  const isLocal = new Uint8Array(network.edgeCount);
  const ridden = new Uint8Array(network.edgeCount);
  const used = mode === 'bike' ? WALK | RIDE : WALK;
  const walkSpeed = walkingSpeed(mode, routing);
  const slowdownOfRiders = ridingSlowdown(routing);
  for (let e = 0; e < network.edgeCount; e++) {
    const all = network.traits[e] & used;
    const through = throughTraits(network.traits[e]) & used;
    if (through === 0 && all !== 0) isLocal[e] = 1;
    const open = through === 0 ? all : through;
    const metres = network.length[e];
    const timeAt = (metresPerSecond: number, isBackward: boolean, slowdown: Slowdown) => {
      if (network.fixedTime[e] !== BY_LENGTH) return network.fixedTime[e];
      const level = (metres / metresPerSecond) * 1000;
      const { slopes } = network;
      return Math.round(slopes ? level * slowdownUntil(slopes, e, slowdown, isBackward, 1) : level);
    };
    const dismount =
      mode === 'bike' && isPushedThrough(network.traits[e]) ? 1000 * routing.dismountTime : 0;
    const price = (stress: number, rideBit: number, walkBit: number) => {
      const isBackward = rideBit === RIDE_BACKWARD;
      if (open & rideBit && stress <= routing.bikeMaxTrafficStress) {
        ridden[e] |= rideBit;
        return timeAt(routing.bikeMetresPerSecond, isBackward, slowdownOfRiders);
      }
      if ((open & walkBit) === 0) return CLOSED;
      return dismount + timeAt(walkSpeed, isBackward, walkingSlowdown);
    };
    forward[e] = price(stressForward(network.traits[e]), RIDE_FORWARD, WALK_FORWARD);
    backward[e] = price(stressBackward(network.traits[e]), RIDE_BACKWARD, WALK_BACKWARD);
  }
  return { forward, backward, isLocal, ridden };
}
