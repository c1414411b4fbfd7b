import type { StreetMode } from '../../shards/modes.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { StreetNetwork } from './network.ts';
import { RIDE_BACKWARD, RIDE_FORWARD, stressOf, WALK_BACKWARD, WALK_FORWARD } from './traits.ts';

/** Milliseconds to pass each edge of a network in each direction, by one mode. */
export interface ModeCosts {
  readonly forward: Int32Array;
  readonly backward: Int32Array;
}

/** The edge may not be used in that direction. */
export const CLOSED = -1;

/** Prices every edge for a mode. A bike is walked where it may not, or would not, be ridden. */
export function modeCosts(network: StreetNetwork, mode: StreetMode): ModeCosts {
  const forward = new Int32Array(network.edgeCount);
  const backward = new Int32Array(network.edgeCount);
  for (let e = 0; e < network.edgeCount; e++) {
    const traits = network.traits[e];
    const metres = network.length[e];
    const walk = Math.round((metres / ROUTING.walkMetresPerSecond) * 1000);
    const ride =
      mode === 'bike' && stressOf(traits) <= ROUTING.bikeMaxTrafficStress
        ? Math.round((metres / ROUTING.bikeMetresPerSecond) * 1000)
        : CLOSED;
    forward[e] = price(traits, RIDE_FORWARD, ride, WALK_FORWARD, walk);
    backward[e] = price(traits, RIDE_BACKWARD, ride, WALK_BACKWARD, walk);
  }
  return { forward, backward };
}

function price(traits: number, rideBit: number, ride: number, walkBit: number, walk: number) {
  if (ride !== CLOSED && traits & rideBit) return ride;
  return traits & walkBit ? walk : CLOSED;
}
