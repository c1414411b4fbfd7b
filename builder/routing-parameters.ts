import type { Metres, Minutes } from '../shards/units.ts';

/**
 * The parameters of the routing world: the one place they are set. They are recorded in the
 * manifest and echoed to clients as `assumptions`.
 */
export const ROUTING = {
  walkMetresPerSecond: 4.8 / 3.6,
  bikeMetresPerSecond: 15 / 3.6,
  /** Streets of more stress are walked, pushing the bike. */
  bikeMaxTrafficStress: 3,
  /** A point is tied to the nearest street within the first radius that has one. */
  linkRadii: [300, 1_600] as readonly Metres[],
  /** Strongly connected pieces of a mode's network with fewer vertices are left out of it. */
  minIslandVertices: 40,
  maxMinutes: 30 as Minutes,
  /** The least time a row says: nobody is anywhere in no time. */
  minMinutes: 1 as Minutes,
} as const;

export const MILLIS_PER_MINUTE = 60_000;

/** The parameters as a manifest and an answer state them, in words where a number is not enough. */
export function assumptions(): Record<string, string | number> {
  return {
    max_trip_duration_min: ROUTING.maxMinutes,
    walk_speed_kmh: 4.8,
    bike_speed_kmh: 15,
    bike_max_traffic_stress: ROUTING.bikeMaxTrafficStress,
    bike_beyond_traffic_stress: 'walked, pushing the bike',
    link_radius_m: ROUTING.linkRadii[0],
    link_radius_fallback_m: ROUTING.linkRadii[1],
    min_island_vertices: ROUTING.minIslandVertices,
    origin: 'the internal point of the census block',
    rounding: 'once, to tenths of a minute; at least 1.0; over 30.0 is not reached',
  };
}
