import type { Direction, FeedFacts, Manifest } from '../shards/manifest.ts';
import { MINUTES, TENTHS } from '../shards/matrix/row-codec.ts';
import type { Metres, Millis, Minutes } from '../shards/units.ts';

export const MILLIS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;

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
  /** How far rows to places go. */
  maxMinutes: (TENTHS.most / 10) as Minutes,
  /** How far rows from block to block go. */
  maxReachMinutes: MINUTES.most as Minutes,
  /** The least time a row says: nobody is anywhere in no time. */
  minMinutes: (TENTHS.least / 10) as Minutes,
  transit: {
    /** When the departure window opens, in the stop's own time. */
    windowStart: 8 * MINUTES_PER_HOUR * MILLIS_PER_MINUTE,
    /** Trips begin at every whole minute of the window. */
    departures: 60,
    departureStep: MILLIS_PER_MINUTE as Millis,
    /** Of the times of all departures, sorted, the one at ⌈p/100 · n⌉ − 1 counts. */
    percentile: 10,
    /** One is at the stop this long before the vehicle leaves. */
    boardSlack: MILLIS_PER_MINUTE as Millis,
    /** The walk to the first stop, and that from the last, are each at most this long. */
    maxWalkLeg: 30 * MILLIS_PER_MINUTE,
    /** The walk between two stops when changing. */
    maxTransferWalk: 1_000 as Metres,
    /** A stop with at least so many departures in the window is a destination of its own. */
    frequentDepartures: 4,
  },
} as const;

/** Where in the sorted times of all departures the percentile stands. */
export const PERCENTILE_INDEX =
  Math.ceil((ROUTING.transit.percentile / 100) * ROUTING.transit.departures) - 1;

/** The feeds of a release, and the common day that they were read on if they run on it. */
interface TransitRead {
  readonly service_date: string;
  readonly feeds: readonly FeedFacts[];
}

/** The parameters as a manifest and an answer state them, in words where a number is not enough. */
export function assumptions(
  transit: TransitRead | null,
  directions: readonly Direction[],
): Manifest['assumptions'] {
  return {
    ...streetAssumptions(),
    ...(directions.includes('to') && {
      direction_to: `the transpose of \`from\`: trips to the block, from each block that reaches it, as they are counted outwards${transit ? ', transit departing in the window' : ''}; not trips that arrive at a set time`,
    }),
    ...(transit && {
      transit_departure: `${transit.service_date}T08:00:00`,
      ...transitAssumptions(),
      feeds: transit.feeds.map(({ file, feed_id, agency, service_date }) => ({
        ...{ file, feed_id, agency, service_date },
      })),
    }),
  };
}

function streetAssumptions() {
  return {
    max_trip_duration_min: ROUTING.maxReachMinutes,
    max_reach_min: ROUTING.maxReachMinutes,
    walk_speed_kmh: 4.8,
    bike_speed_kmh: 15,
    bike_max_traffic_stress: ROUTING.bikeMaxTrafficStress,
    bike_beyond_traffic_stress: 'walked, pushing the bike',
    link_radius_m: ROUTING.linkRadii[0],
    link_radius_fallback_m: ROUTING.linkRadii[1],
    min_island_vertices: ROUTING.minIslandVertices,
    origin: 'the internal point of the census block',
    rounding:
      'once, to tenths of a minute; at least 1.0; over 30.0 is not reached; from block to block up to whole minutes',
  };
}

function transitAssumptions() {
  const { transit } = ROUTING;
  return {
    transit_window: 'trips that begin at each whole minute from 08:00 to 08:59, by the clock there',
    transit_window_min: transit.departures,
    transit_percentile: transit.percentile,
    transit_percentile_formula:
      'door-to-door times of trips that begin at each minute of the window, sorted, not reached last; the one at place ceil(percentile / 100 × departures), counted from 1: at least so many percent of departures are as fast',
    transit_board_slack_s: transit.boardSlack / 1000,
    transit_max_walk_leg_min: transit.maxWalkLeg / MILLIS_PER_MINUTE,
    transit_max_transfer_walk_m: transit.maxTransferWalk,
    transit_direct_walk: 'included: transit is never slower than walking',
  };
}
