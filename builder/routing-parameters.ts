import { MAX_POI_MINUTES, MINUTES, TENTHS } from '../shards/matrix/row-codec.ts';
import { type FurtherWalk, SLOW_WALK_KMH, type StreetMode } from '../shards/modes.ts';
import type {
  Direction,
  FeedFacts,
  Manifest,
  WheelchairFacts,
} from '../shards/release/manifest.ts';
import { BASE_PERCENTILE, BASE_WINDOW, type DepartureWindow } from '../shards/services.ts';
import type { Metres, Millis, Minutes, Seconds } from '../shards/units.ts';

export const MILLIS_PER_SECOND = 1000;
export const MILLIS_PER_MINUTE = 60_000;

/** Walking and riding speed on level ground, in kilometres an hour. */
const WALK_KMH = 4.8;
const RIDE_KMH = 15;

/**
 * The parameters of routing, which builds may replace some of (`ROUTING_OPTIONS`). They are
 * recorded in the manifest and echoed to clients as `assumptions`.
 */
export const ROUTING = {
  walkMetresPerSecond: WALK_KMH / 3.6,
  bikeMetresPerSecond: RIDE_KMH / 3.6,
  /** The highest traffic stress of streets that are ridden; on others the bike is walked. */
  bikeMaxTrafficStress: 3,
  /**
   * A path within this many metres of a street's centre line, and this many degrees of its
   * direction, is a sidepath.
   */
  sidepathRadius: 30 as Metres,
  sidepathTurn: 30,
  /** Traffic lights this near before a junction, along their street, are those of the junction. */
  stopLineDistance: 30 as Metres,
  /** Time to get off a bicycle, push or lift it through a barrier, and get on again. */
  dismountTime: 10 as Seconds,
  /** Defaults for ferries whose duration or frequency is not mapped. */
  ferryMetresPerSecond: 10 / 3.6,
  ferryWait: 600 as Seconds,
  /** Time to take an elevator, including the wait. */
  elevatorTime: 60 as Seconds,
  /** A point is linked to the nearest street within the first radius that has one. */
  linkRadii: [300, 1_600] as readonly Metres[],
  /** Ways where trips seldom begin or end count as this much farther away. */
  seldomLinkedDetour: 50 as Metres,
  /** Strongly connected components of a mode's network with fewer vertices are dropped. */
  minIslandVertices: 40,
  /** Longest travel time in rows to POIs. */
  maxMinutes: MAX_POI_MINUTES,
  /** Longest travel time in block-to-block rows. */
  maxReachMinutes: MINUTES.most as Minutes,
  /** The shortest travel time in a row: no trip takes zero time. */
  minMinutes: (TENTHS.least / 10) as Minutes,
  transit: {
    /** Local time of day at which the departure window opens at a stop, in milliseconds. */
    windowStart: BASE_WINDOW.opens * MILLIS_PER_MINUTE,
    /** Number of departures: one at every whole minute of the window. */
    departures: BASE_WINDOW.departures,
    departureStep: MILLIS_PER_MINUTE as Millis,
    /**
     * The nearest-rank percentile `p`: the time at index ⌈p/100 · n⌉ − 1 of the sorted times of all
     * `n` departures.
     */
    percentile: BASE_PERCENTILE,
    /** Riders are at the stop this long before the vehicle leaves. */
    boardSlack: MILLIS_PER_MINUTE as Millis,
    /** The longest walk to the first stop, and from the last. */
    maxWalkLeg: 30 * MILLIS_PER_MINUTE,
    /** The longest walk between two stops when changing. */
    maxTransferWalk: 1_000 as Metres,
    /**
     * Riders stay seated where a vehicle's next trip begins this near to where its last one ended.
     */
    maxStaySeatedGap: 200 as Metres,
    /**
     * Time per level on stairs and escalators without a given time or number of steps, and between
     * the street and the platform of a station without pathways. builder/transit/README.md compares
     * it with measured stations.
     */
    secondsALevel: 30 as Seconds,
    /** Levels between a subway's platform and the street where neither map nor feed gives any. */
    subwayLevels: 2,
    /** Mapped depth that counts as one level. */
    metresALevel: 10 as Metres,
    /** A mapped station belongs to a stop within this distance. */
    mappedStationRadius: 150 as Metres,
    /** Subway platforms without a station that are this near to each other count as one station. */
    maxPlatformGap: 200 as Metres,
    /**
     * A stop with at least this many departures of one line and direction in the window is a
     * destination.
     */
    frequentDepartures: 4,
  },
} as const;

type Widened<T> = T extends number
  ? number
  : T extends readonly (infer Item)[]
    ? readonly Item[]
    : { readonly [Name in keyof T]: Widened<T[Name]> };

export type Routing = Widened<typeof ROUTING>;

interface RoutingOption {
  /** The flag that chooses it, and its unit as messages spell it. */
  readonly flag: string;
  readonly unit: string;
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

function option(flag: string, unit: string, usual: number, bounds: readonly [number, number]) {
  return { flag, unit, usual, least: bounds[0], most: bounds[1], isWhole: unit !== 'km/h' };
}

/** The parameters that a build may choose, by their names in `assumptions`. */
export const ROUTING_OPTIONS = {
  walk_speed_kmh: option('--walk-speed', 'km/h', WALK_KMH, [2, 10]),
  bike_speed_kmh: option('--bike-speed', 'km/h', RIDE_KMH, [5, 40]),
  bike_max_traffic_stress: option('--bike-stress', 'level', ROUTING.bikeMaxTrafficStress, [1, 4]),
  transit_board_slack_s: option(
    '--board-slack',
    's',
    ROUTING.transit.boardSlack / MILLIS_PER_SECOND,
    [0, 600],
  ),
  transit_max_walk_leg_min: option(
    '--max-walk-leg',
    'min',
    ROUTING.transit.maxWalkLeg / MILLIS_PER_MINUTE,
    [1, 60],
  ),
  transit_max_transfer_walk_m: option(
    '--max-transfer-walk',
    'm',
    ROUTING.transit.maxTransferWalk,
    [0, 3_000],
  ),
} as const satisfies Readonly<Record<string, RoutingOption>>;

/** Parameters that differ from the usual ones, each in the unit of its name. */
export type RoutingChoice = {
  readonly [Name in keyof typeof ROUTING_OPTIONS]?: number | undefined;
};

/** The parameters of a choice that differ from the usual ones, in one order. */
export function ownChoice(choice: RoutingChoice): RoutingChoice {
  const names = Object.keys(ROUTING_OPTIONS) as (keyof RoutingChoice)[];
  const own = names.filter((name) => {
    return choice[name] !== undefined && choice[name] !== ROUTING_OPTIONS[name].usual;
  });
  return Object.fromEntries(own.map((name) => [name, choice[name]]));
}

export function routingOf(choice: RoutingChoice): Routing {
  const { walk_speed_kmh = WALK_KMH, bike_speed_kmh = RIDE_KMH } = choice;
  const { bike_max_traffic_stress: stress, transit_board_slack_s: slack } = choice;
  const { transit_max_walk_leg_min: leg, transit_max_transfer_walk_m: transfer } = choice;
  const { transit } = ROUTING;
  return {
    ...ROUTING,
    walkMetresPerSecond: walk_speed_kmh / 3.6,
    bikeMetresPerSecond: bike_speed_kmh / 3.6,
    bikeMaxTrafficStress: stress ?? ROUTING.bikeMaxTrafficStress,
    transit: {
      ...transit,
      boardSlack: slack === undefined ? transit.boardSlack : slack * MILLIS_PER_SECOND,
      maxWalkLeg: leg === undefined ? transit.maxWalkLeg : leg * MILLIS_PER_MINUTE,
      maxTransferWalk: transfer ?? transit.maxTransferWalk,
    },
  };
}

/**
 * Which trips and stops riders without steps use of which a feed states nothing: all but stops off
 * the street, all, or none.
 */
export const WHEELCHAIR_UNKNOWN = ['street', 'passed', 'closed'] as const;
export type WheelchairUnknown = (typeof WHEELCHAIR_UNKNOWN)[number];
export const USUAL_UNKNOWN: WheelchairUnknown = 'street';

/**
 * The rules of this builder that a release may replace by those of Conveyal R5, and what then holds
 * instead.
 */
const RULES_OF_R5 = {
  'private-ground': 'private streets and gates are closed',
  'station-levels': 'no time for levels or for an unknown way inside a station',
  pathways: 'stops are entered at their own location; entrances and pathways are not used',
  'bike-links':
    'rides begin and end only on streets that bicycles may ride in both directions, at any stress',
  stress:
    'a cycle track has the stress of the cars beside it; lights hold at their own node alone, and those of pedestrian crossings nowhere',
} as const;
export type RuleOfR5 = keyof typeof RULES_OF_R5;
export type RulesOfR5 = ReadonlySet<RuleOfR5>;

export const RULE_NAMES = Object.keys(RULES_OF_R5) as readonly RuleOfR5[];
export const OWN_RULES: RulesOfR5 = new Set();

/** When a window opens, by the local clock, and how long it stays open. */
export function windowTimes({ opens, departures }: DepartureWindow): {
  readonly opens: Millis;
  readonly length: Millis;
} {
  return { opens: opens * MILLIS_PER_MINUTE, length: departures * ROUTING.transit.departureStep };
}

/** Returns the walking speed of a street mode on level ground, in metres a second. */
export function walkingSpeed(mode: StreetMode, { walkMetresPerSecond }: Routing = ROUTING): number {
  return mode === 'walk_slow' ? SLOW_WALK_KMH / 3.6 : walkMetresPerSecond;
}

/** Rise over run; positive uphill. */
export type Grade = number;

/**
 * The effect of hills, where a build has ground heights. Kept apart from `ROUTING`, so that builds
 * without heights do not depend on it.
 */
export const HILLS = {
  /** The longest stretch of a street between two samples of its height. */
  step: 30 as Metres,
  /**
   * Upper bound of grades: a steeper one is not the street's, but that of a wall next to it, or
   * noise.
   */
  steepest: 0.4 as Grade,
  /** Tobler (1993): walking speed falls off exponentially on either side of a slight descent. */
  tobler: { decay: 3.5, fastestAt: -0.05 as Grade },
  /**
   * The rider's speed in kilometres an hour, by grade; linear in between; constant on descents
   * steeper than the first. builder/elevation/README.md describes the model.
   */
  rideSpeeds: [
    [-0.014, 18],
    [-0.01, 17.1],
    [0, RIDE_KMH],
    [0.01, 13.3],
    [0.02, 11.9],
    [0.03, 10.9],
    [0.04, 10.1],
    [0.05, 9.6],
    [0.06, 8.4],
    [0.07, 7.4],
    [0.08, 6.7],
    [0.1, 5.5],
    [0.12, 4.7],
    [0.15, 3.8],
  ] as readonly (readonly [grade: Grade, kmh: number])[],
  /** Walkers and riders are never faster than this many times their speed on level ground. */
  fastest: 1.2,
} as const;

const LEVEL = 1;

/** Returns the maximum speed, with or without hills, as a multiple of the speed on level ground. */
export function fastestOf(hasHills: boolean): number {
  return hasHills ? HILLS.fastest : LEVEL;
}

/**
 * Returns the longest straight-line distance of a ride or a walk of this duration, including the
 * link to the street at its start. `fastest` is the maximum speed as a multiple of that on level
 * ground.
 */
export function rideMetres(
  minutes: Minutes,
  fastest: number,
  { bikeMetresPerSecond, walkMetresPerSecond, linkRadii }: Routing = ROUTING,
): Metres {
  const seconds = (minutes * MILLIS_PER_MINUTE) / MILLIS_PER_SECOND;
  const speed = Math.max(bikeMetresPerSecond, walkMetresPerSecond);
  return speed * fastest * seconds + linkRadii[1];
}

/** The rank of a percentile among the sorted times of so many departures, from 1. */
export function rankOfPercentile(percentile: number, departures: number): number {
  // Hundredths are inexact as floating-point numbers: 14 % of 50 departures would be 8 of them.
  return Math.ceil((percentile * departures) / 100);
}

/**
 * The feeds of a release, and the common service day, for which each feed that runs on it was read.
 */
interface TransitRead {
  readonly service_date: string;
  readonly feeds: readonly FeedFacts[];
  /** Only with step-free transit. */
  readonly wheelchairUnknown?: WheelchairUnknown | undefined;
}

/**
 * Returns the parameters as stated in a manifest and in responses, as text where a number is not
 * enough.
 */
export function assumptions(
  transit: TransitRead | null,
  directions: readonly Direction[],
  hasHills: boolean,
  rulesOfR5: readonly RuleOfR5[] = [],
  furtherWalks: readonly FurtherWalk[] = [],
  routing: Routing = ROUTING,
): Manifest['assumptions'] {
  const rules: RulesOfR5 = new Set(rulesOfR5);
  return {
    ...streetAssumptions(rules, routing),
    ...furtherAssumptions(furtherWalks),
    ...(furtherWalks.includes('step_free') && stepFreeTransitAssumptions(transit)),
    ...(hasHills && hillAssumptions(routing)),
    ...(directions.includes('to') && {
      direction_to: `the transpose of \`from\`: trips to the block, from each block of the release’s counties that reaches it, as they are counted outwards${transit ? ', transit departing in the window' : ''}; not trips that arrive at a set time`,
    }),
    ...(transit && {
      transit_departure: `${transit.service_date}T08:00:00`,
      ...transitAssumptions(rules, routing),
      feeds: transit.feeds.map(({ file, feed_id, agency, service_date }) => ({
        file,
        feed_id,
        agency,
        service_date,
      })),
    }),
    ...(rules.size > 0 && {
      rules_of_r5: Object.fromEntries(rulesOfR5.map((rule) => [rule, RULES_OF_R5[rule]])),
    }),
  };
}

function streetAssumptions(rules: RulesOfR5, routing: Routing) {
  return {
    max_trip_duration_min: ROUTING.maxReachMinutes,
    max_reach_min: ROUTING.maxReachMinutes,
    walk_speed_kmh: kmh(routing.walkMetresPerSecond),
    bike_speed_kmh: kmh(routing.bikeMetresPerSecond),
    bike_max_traffic_stress: routing.bikeMaxTrafficStress,
    bike_beyond_traffic_stress: 'walked, pushing the bike',
    ...(!rules.has('stress') && {
      bike_tracks:
        'stress 1 in the directions they serve, as lanes that something solid keeps apart from cars',
    }),
    bike_sidepath: `bicycle=use_sidepath closes a street where a calm way to ride runs within ${ROUTING.sidepathRadius} m along it; else it is ridden at its stress; the same for contraflow on a cycleway mapped as separate`,
    walk_sidepath: `foot=use_sidepath closes a street where a way to walk runs within ${ROUTING.sidepathRadius} m along it; else it is walked`,
    bike_barriers: `pushed through in ${ROUTING.dismountTime} s where only walkers may pass; so are stiles, turnstiles, kissing gates and cycle barriers without access tags`,
    link_radius_m: ROUTING.linkRadii[0],
    link_radius_fallback_m: ROUTING.linkRadii[1],
    link_to: `the nearest street; bridges, passages indoors, trunk and slip roads without a sidewalk, a foot tag or a sign of a town's main street, and pieces cut off where the street data ends count as ${ROUTING.seldomLinkedDetour} m farther${rules.has('bike-links') ? '' : `; by bicycle also the nearest within ${ROUTING.linkRadii[0]} m that is ridden`}`,
    min_island_vertices: ROUTING.minIslandVertices,
    origin: 'the internal point of the census block',
    rounding:
      'once, to tenths of a minute; at least 1.0; over 30.0 is not reached; from block to block up to whole minutes',
  };
}

function furtherAssumptions(modes: readonly FurtherWalk[]) {
  return {
    ...(modes.includes('walk_slow') && {
      walk_slow_speed_kmh: SLOW_WALK_KMH,
      walk_slow: 'walk in all but speed',
    }),
    ...(modes.includes('step_free') && {
      step_free:
        'walk without stairs (but with ramp:wheelchair=yes), escalators, elevators out of service (operational_status, disused, abandoned), ways tagged wheelchair=no and crossings (footway=crossing) with kerb=raised, yes or regular',
      step_free_nodes:
        'ways for pedestrians end, and streets with cars go on, at a kerb=raised, yes or regular, a barrier=kerb without kerb, an elevator out of service, a stile, turnstile or kissing gate, and a barrier, crossing, elevator, entrance or door tagged wheelchair=no',
      step_free_unknown:
        'passed: whatever is not tagged so, as most curbs are not; kerb=lowered, flush, rolled and no; wheelchair=limited; any incline, width and surface. wheelchair=yes or designated opens what the other tags close',
      step_free_links:
        'to the nearest street that is left; never sooner than walk; whether a destination itself is accessible is not considered',
    }),
  };
}

const UNKNOWN_WORDS: Readonly<Record<WheelchairUnknown, string>> = {
  street:
    'passed: trips and stops of which the feed states nothing; but stops off the street only along pathways without steps',
  passed: 'passed: all trips and stops of which the feed states nothing',
  closed: 'closed: all trips and stops of which the feed states nothing',
};

function stepFreeTransitAssumptions(transit: TransitRead | null): Manifest['assumptions'] {
  const { wheelchairUnknown: unknown, feeds = [] } = transit ?? {};
  if (unknown === undefined) {
    return {
      step_free_transit: 'no mode: transit takes stairs, and boards every vehicle at every stop',
    };
  }
  return {
    transit_step_free:
      'transit with the walks of step_free, on trips whose wheelchair_accessible is not 2, boarded and left at stops whose wheelchair_boarding, or else that of their station, is not 2; never sooner than transit',
    transit_step_free_stations:
      'by the entrances whose wheelchair_boarding, or else that of their station, is not 2; where pathways lead to a stop, along those that are no stairs or escalators and have no stair_count, else in the time of transit; GTFS does not say which elevators are out of service',
    transit_step_free_unknown: UNKNOWN_WORDS[unknown],
    transit_step_free_stated: sumOf(feeds.flatMap(({ wheelchair }) => wheelchair ?? [])),
  };
}

function sumOf(facts: readonly WheelchairFacts[]): WheelchairFacts {
  const sum = (name: keyof WheelchairFacts) => facts.reduce((total, one) => total + one[name], 0);
  return {
    stops: sum('stops'),
    stops_stated: sum('stops_stated'),
    stops_refused: sum('stops_refused'),
    trips: sum('trips'),
    trips_stated: sum('trips_stated'),
    trips_refused: sum('trips_refused'),
  };
}

function hillAssumptions({ bikeMetresPerSecond }: Routing) {
  const { tobler, rideSpeeds, step, steepest } = HILLS;
  // The table is of the usual speed on level ground; others are faster or slower in proportion.
  const inProportion = bikeMetresPerSecond / ROUTING.bikeMetresPerSecond;
  const speeds = rideSpeeds.map(
    ([grade, usual]) => [grade, Number((usual * inProportion).toFixed(2))] as const,
  );
  const table = speeds.map(([grade, speed]) => `${percent(grade)}: ${speed}`).join(', ');
  return {
    hills_walk: `level speed × exp(−${tobler.decay} (|grade + ${-tobler.fastestAt}| − ${-tobler.fastestAt})): Tobler’s function, normalised`,
    hills_bike_kmh: `by grade ${table}; between them linear; ${speeds[0][1]} on steeper descents; pushed on steeper climbs`,
    hills_sampled: `heights of the ground at least every ${step} m along streets and at their ends; grades up to ${percent(steepest)}; bridges and tunnels straight from end to end; level where no height is known`,
  };
}

function percent(grade: Grade): string {
  return `${Math.round(1000 * grade) / 10} %`;
}

/** A speed in metres a second as kilometres an hour, without the digits of its rounding. */
function kmh(metresPerSecond: number): number {
  return Number((metresPerSecond * 3.6).toFixed(6));
}

function transitAssumptions(rules: RulesOfR5, { transit, walkMetresPerSecond }: Routing) {
  return {
    transit_service_day:
      'unless requested, an ordinary weekday of most feeds; of several, one of the usual pattern of most, and of those the nearest to the date of the street data; a feed for which that day is not ordinary is read on the nearest day of its own usual pattern',
    transit_window: 'trips that begin at each whole minute from 08:00 to 08:59, by the clock there',
    transit_window_min: transit.departures,
    transit_percentile: transit.percentile,
    transit_percentile_formula:
      'door-to-door times for departures at each minute of the window, sorted, unreached ones last; the value at rank ceil(percentile / 100 × departures), counted from 1: at least that percentage of departures is as fast',
    transit_on_request:
      'stops served after a phone call or by arrangement with the driver (pickup_type and drop_off_type 2 and 3) count as scheduled; on-demand routes, zones and segments do not',
    transit_board_slack_s: transit.boardSlack / MILLIS_PER_SECOND,
    transit_max_walk_leg_min: transit.maxWalkLeg / MILLIS_PER_MINUTE,
    transit_max_transfer_walk_m: transit.maxTransferWalk,
    transit_staying_seated: `where block_id has the vehicle go on within ${transit.maxStaySeatedGap} m, or transfers.txt says so (types 4 and 5)`,
    transit_frequent: `a stop or station where one line in one direction departs at least ${transit.frequentDepartures} times in the window ${BASE_WINDOW.name}, whichever is asked for`,
    ...(walkMetresPerSecond !== ROUTING.walkMetresPerSecond && {
      transit_walk_inside_kmh: WALK_KMH,
    }),
    transit_stations: [enteredBy(rules), levelsBy(rules)].join('; '),
    ...(!rules.has('station-levels') && {
      transit_subway_default_s: transit.subwayLevels * transit.secondsALevel,
    }),
    transit_direct_walk: 'included: transit is never slower than walking',
  };
}

function enteredBy(rules: RulesOfR5): string {
  return rules.has('pathways')
    ? 'entered at the location of the stop'
    : 'entered from the street where stop_access says so; else by the entrances that the feed gives: along its pathways where those lead to any, or else straight from platform to entrance; where it gives none, at the platform';
}

function levelsBy(rules: RulesOfR5): string {
  const { secondsALevel, mappedStationRadius, subwayLevels } = ROUTING.transit;
  return rules.has('station-levels')
    ? 'without such pathways no time between street and platform'
    : `without such pathways ${secondsALevel} s a level between street and platform: levels from levels.txt, or else level, depth or layer of the nearest station on the map within ${mappedStationRadius} m that is of the same kind, or else ${subwayLevels} for subways and none for others`;
}
