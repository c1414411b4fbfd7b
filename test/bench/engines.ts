import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { datesOf } from '../../builder/plan/make-plan.ts';
import type { Region } from '../../builder/region/read-region.ts';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { CLOSED } from '../../builder/streets/mode-costs.ts';
import type { ModeNetwork } from '../../builder/streets/mode-network.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { StreetMode } from '../../shards/modes.ts';
import type { Metres } from '../../shards/units.ts';
import { readFiles } from '../support/prepared-city.ts';
import {
  atAnEnd,
  byRiding,
  type Causes,
  isAlike,
  keyOf,
  type Pair,
  pairsOf,
  printCauses,
  printDifference,
} from './engines/difference.ts';
import { oneDayFeeds } from './engines/one-day-feeds.ts';
import {
  enteredAsByR5,
  ourTimes,
  tiedAsByR5,
  walkedAsByR5,
  withoutCoverage,
  withoutStress,
} from './engines/our-times.ts';
import { type R5Mode, r5Times } from './engines/r5.ts';
import { valhallaMetres } from './engines/valhalla.ts';
import type { BenchInputs } from './inputs.ts';

/** The date that all engines use: a Monday, on which most feeds of Baltimore run anyway. */
const DATE = '2020-11-09';
const ABOUT = { place: 'Baltimore' };
const CORNER_EVERY = { origin: 100, target: 5 };
const BLOCK_EVERY = 40;
const METRES_PER_MINUTE = 60 * ROUTING.walkMetresPerSecond;
/** Minutes up to which pairs are compared; times beyond are too close to the cap of an hour. */
const CAPPED = 55;

/**
 * Compares our times with those of third-party engines on the same inputs; prints shares, tails and
 * their causes. Installs the engines from the registries.
 */
export async function benchEngines(inputs: BenchInputs, folder: string): Promise<void> {
  const work = path.join(folder, 'engines');
  mkdirSync(work);
  if (inputs.place !== ABOUT.place) {
    throw new Error(`the engines are compared on ${ABOUT.place}, whose data is not there`);
  }
  const asIs = await datesOf({ osm: [inputs.osm], gtfs: inputs.gtfs });
  const days = asIs!.feeds.map(({ day }) => day!);
  const gtfs = await oneDayFeeds(inputs.gtfs, days, DATE, work);
  const region = await regionOf(inputs, gtfs);
  await againstValhalla(region, inputs.osm, work);
  await againstR5(region, inputs.osm, gtfs, work);
}

async function regionOf(inputs: BenchInputs, gtfs: readonly string[]) {
  const { osm, blocks, counties } = inputs;
  const feeds = await datesOf({ osm: [osm], gtfs, serviceDate: DATE });
  return readFiles({ osm: [osm], blocks, counties, feeds });
}

/** Compares walks between crossings, where no linking is involved: only map reading and search. */
async function againstValhalla(region: Region, osm: string, work: string): Promise<void> {
  const corners = crossings(region);
  const origins = corners.filter((_, i) => i % CORNER_EVERY.origin === 0);
  const targets = corners.filter((_, i) => i % CORNER_EVERY.target === 0);
  const metres = await valhallaMetres(osm, work, origins, targets);
  const theirs = metres.map((row) => row.map((length) => length / METRES_PER_MINUTE));
  const ours = ourTimes({ ...region, transit: null }, origins, targets).get('walk')!;
  const pairs = pairsOf(ours, theirs, CAPPED).filter(
    ({ origin, target }) => origins[origin] !== targets[target],
  );
  printDifference('engines.valhalla.walk', pairs, ABOUT);
}

/** Map vertices where three or more walkable edges meet. */
function crossings({ streets, walk, coverage }: Region): Position[] {
  const edges = new Uint8Array(streets.vertexCount);
  for (let edge = 0; edge < streets.edgeCount; edge++) {
    if (walk.costs.forward[edge] === CLOSED || walk.costs.backward[edge] === CLOSED) continue;
    edges[streets.from[edge]]++;
    edges[streets.to[edge]]++;
  }
  return [...edges.keys()]
    .filter((vertex) => edges[vertex] >= 3)
    .map((vertex): Position => [streets.vertexLon[vertex], streets.vertexLat[vertex]])
    .filter(([lon, lat]) => coverage === null || boxContains(coverage, lon, lat));
}

/** Compares times from blocks to the cells of R5's grid, door to door. */
async function againstR5(
  region: Region,
  osm: string,
  gtfs: readonly string[],
  work: string,
): Promise<void> {
  const origins = [...region.counties.values()]
    .flat()
    .filter(({ lon, lat }) => typeof region.walk.linker.link(lon, lat) !== 'string')
    .filter((_, i) => i % BLOCK_EVERY === 0)
    .map(({ lon, lat }): Position => [lon, lat]);
  const r5 = await r5Times(osm, gtfs, DATE, work, origins);
  // R5 links to any nearby street, inside the map or not.
  const alike = withoutCoverage(region);
  const calm = withoutStress(alike);
  const targets = r5.cells;
  // R5 rounds minutes down.
  const theirs = (mode: R5Mode) => r5.minutes[mode].map((row) => row.map((m) => m + 0.5));
  const ours = ourTimes(alike, origins, targets);
  const walks = pairsOf(ours.get('walk')!, theirs('walk'), CAPPED);
  const ridesIn = (of: Region, mode: R5Mode) =>
    pairsOf(
      ourTimes({ ...of, transit: null }, origins, targets).get('bike')!,
      theirs(mode),
      CAPPED,
    );
  const rides = pairsOf(ours.get('bike')!, theirs('bike'), CAPPED);
  const tiedRides = ridesIn(tiedAsByR5(alike), 'bike');
  const calmRides = ridesIn(calm, 'bike-anywhere');
  const calmTiedRides = ridesIn(tiedAsByR5(calm), 'bike-anywhere');
  // Our engine counts a walk of up to an hour as a transit trip.
  const orWalk = theirs('transit').map((row, o) =>
    row.map((minutes, t) => Math.min(minutes, theirs('walk')[o][t])),
  );
  const onFoot = walkedAsByR5(alike);
  const walkedAlike = ourTimes(onFoot, origins, targets);
  const tripsOf = (times: typeof ours) => {
    const pairs = pairsOf(times.get('transit')!, orWalk, CAPPED);
    return { pairs, ...byRiding(pairs, times.get('walk')!, theirs('walk')) };
  };
  const trips = tripsOf(ours);
  const tripsWalkedAlike = tripsOf(walkedAlike);
  // R5 ignores stations: its stops are on the street.
  const tripsEnteredAlike = tripsOf(ourTimes(enteredAsByR5(alike), origins, targets));
  const tripsByItsRules = tripsOf(ourTimes(enteredAsByR5(onFoot), origins, targets));
  const walksAlike = pairsOf(walkedAlike.get('walk')!, theirs('walk'), CAPPED);

  const isFar = (mode: StreetMode) => {
    const [from, to] = [snaps(alike[mode], origins), snaps(alike[mode], targets)];
    return ({ origin, target }: Pair) => Math.max(from[origin], to[target]) > ROUTING.linkRadii[0];
  };
  const among = (pairs: readonly Pair[]) => {
    const keys = new Set(pairs.map(keyOf));
    return (pair: Pair) => keys.has(keyOf(pair));
  };
  /** Returns whether a pair agrees in another run, or is found by neither engine there. */
  const alikeIn = (pairs: readonly Pair[]) => {
    const isUnlike = among(pairs.filter((pair) => !isAlike(pair)));
    return (pair: Pair) => !isUnlike(pair);
  };
  /**
   * Prints all pairs, and those with both ends next to streets, since no trip begins in the
   * harbour.
   */
  const compare = (
    mode: string,
    pairs: readonly Pair[],
    far_from_any_street: (pair: Pair) => boolean,
    causes: Causes = {},
  ) => {
    const name = `engines.r5.${mode}`;
    printDifference(name, pairs, ABOUT);
    const beside = pairs.filter((pair) => !far_from_any_street(pair));
    printDifference(`${name}.beside_streets`, beside, ABOUT);
    const tied_to_another_street = atAnEnd(pairs);
    printCauses(name, pairs, { far_from_any_street, ...causes, tied_to_another_street }, ABOUT);
  };
  compare('walk', walks, isFar('walk'), { private_streets: alikeIn(walksAlike) });
  compare('bike_anywhere', calmRides, isFar('bike'), {
    tied_by_another_rule: among(calmTiedRides.filter(isAlike)),
  });
  compare('bike_anywhere_tied_as_by_r5', calmTiedRides, isFar('bike'));
  compare('bike', rides, isFar('bike'), {
    traffic_stress: among(calmRides.filter(isAlike)),
    tied_by_another_rule: among(tiedRides.filter(isAlike)),
  });
  compare('bike_tied_as_by_r5', tiedRides, isFar('bike'), {
    traffic_stress: among(calmTiedRides.filter(isAlike)),
  });
  const causes: Causes = {
    private_streets: alikeIn(tripsWalkedAlike.pairs),
    time_in_stations: alikeIn(tripsByItsRules.pairs),
    walked_otherwise: among(walks.filter((pair) => !isAlike(pair))),
  };
  compare('transit', trips.pairs, isFar('walk'), causes);
  compare('transit_rides', trips.rides, isFar('walk'), causes);
  compare('transit_walks', trips.walks, isFar('walk'), causes);
  compare('transit_rides_entered_as_by_r5', tripsEnteredAlike.rides, isFar('walk'), causes);
  compare('transit_rides_by_rules_of_r5', tripsByItsRules.rides, isFar('walk'));
}

/** Metres from each point to the street it is linked to; Infinity where none is near. */
function snaps({ linker }: ModeNetwork, points: readonly Position[]): Metres[] {
  return points.map(([lon, lat]) => {
    const link = linker.link(lon, lat);
    return typeof link === 'string' ? Infinity : link.snap;
  });
}
