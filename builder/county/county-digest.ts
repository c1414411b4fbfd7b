import { createHash, type Hash } from 'node:crypto';
import { rankIn } from '../../shards/arrays/sorted.ts';
import { FORMAT_VERSION } from '../../shards/store/envelope.ts';
import type { Timetable } from '../../shards/transit/timetable.ts';
import { TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import { HILLS } from '../routing-parameters.ts';
import type { Lines } from '../streets/impassable.ts';
import { CLOSED } from '../streets/mode-costs.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import { NO_LINKING, SELDOM_LINKED } from '../streets/trait-bits.ts';
import { continuationsAmong } from '../transit/continuations-among.ts';
import type { Transit } from '../transit/join-feeds.ts';
import type { CountyScope } from './county-scope.ts';

/** Increment when the same inputs produce different rows: all counties are then searched anew. */
const SEARCH_VERSION = 10;

/**
 * Digests exactly what a county's searched objects depend on, except for the names, brands and
 * addresses of destinations: its blocks, and within its scope the streets as each mode may use
 * them, the destinations, the stops with their trips, and the target blocks. Equal digests mean
 * equal objects, up to the facts of the POIs in one of them. The numbering of the whole region is
 * not included, since streets and stops far away change the numbers, not the times.
 */
export function countyDigest(linked: LinkedRegion, scope: CountyScope): string {
  const { region } = linked;
  const hash = createHash('sha256');
  const text = (value: unknown) => hash.update(`${JSON.stringify(value)}\n`);
  text([FORMAT_VERSION, SEARCH_VERSION, region.routing, TAXONOMY_VERSION]);
  if (region.streets.slopes) text(HILLS);
  if (region.rulesOfR5.size > 0) text([...region.rulesOfR5]);
  text([linked.modes, linked.taxonomy.types]);
  text([scope.county, scope.windowStarts, scope.reach]);
  text(region.coverage && [scope.ground.clip(region.coverage)]);
  text(region.outlines);
  region.counties.get(scope.county)!.forEach((block, i) => {
    text([block, linked.links[scope.firstBlock + i]]);
  });
  for (const county of scope.reach) {
    for (const { geoid, lon, lat, isWater } of region.targets.get(county)!) {
      text([geoid, lon, lat, isWater]);
    }
  }
  for (const ordinal of scope.destinations) {
    const { name, address, brand, source, ...others } = region.destinations[ordinal];
    text(others);
  }
  for (const network of region.networks) {
    hashStreets(hash, network, scope);
  }
  hashImpassable(hash, region.impassable.lines, scope);
  for (const { windows } of region.riders) {
    for (const transit of windows) hashTransit(hash, transit, scope.stops);
  }
  return hash.digest('hex');
}

function hashStreets(
  hash: Hash,
  { streets, costs, isCutOff }: ModeNetwork,
  { ground }: CountyScope,
): void {
  const { edgeCount, vertexCount, firstPoint, pointLon, pointLat, traits, slopes } = streets;
  const { take, finish } = gather(hash);
  // Two ways may end at one spot without meeting there, so vertices are compared too, numbered as
  // encountered.
  const numbers = new Int32Array(vertexCount);
  let met = 0;
  const numberOf = (vertex: number) => {
    if (numbers[vertex] === 0) numbers[vertex] = ++met;
    return numbers[vertex];
  };
  for (let edge = 0; edge < edgeCount; edge++) {
    if (costs.forward[edge] === CLOSED && costs.backward[edge] === CLOSED) continue;
    const [first, end] = [firstPoint[edge], firstPoint[edge + 1]];
    let isNear = false;
    for (let point = first; point < end && !isNear; point++) {
      isNear = ground.hasPoint(pointLon[point], pointLat[point]);
    }
    if (!isNear) continue;
    take(numberOf(streets.from[edge]));
    take(numberOf(streets.to[edge]));
    take(costs.forward[edge]);
    take(costs.backward[edge]);
    take(costs.isLocal[edge]);
    take(costs.ridden[edge]);
    take(traits[edge] & (NO_LINKING | SELDOM_LINKED));
    take(isCutOff[edge]);
    if (slopes) {
      const [step, last] = [slopes.firstStep[edge], slopes.firstStep[edge + 1]];
      take(last - step);
      for (const grade of slopes.grades.subarray(step, last)) take(grade);
    }
    take(end - first);
    for (let point = first; point < end; point++) {
      take(pointLon[point]);
      take(pointLat[point]);
    }
  }
  take(met);
  finish();
}

/** Hashes the impassable segments that a link could cross. */
function hashImpassable(
  hash: Hash,
  { count, firstPoint, lon, lat }: Lines,
  { ground }: CountyScope,
): void {
  const { take, finish } = gather(hash);
  for (let line = 0; line < count; line++) {
    for (let point = firstPoint[line]; point < firstPoint[line + 1] - 1; point++) {
      if (
        !ground.hasPoint(lon[point], lat[point]) &&
        !ground.hasPoint(lon[point + 1], lat[point + 1])
      )
        continue;
      take(lon[point]);
      take(lat[point]);
      take(lon[point + 1]);
      take(lat[point + 1]);
    }
  }
  finish();
}

/**
 * Collects numbers for a hash, which processes a few large pieces much faster than many small ones.
 */
function gather(hash: Hash) {
  const gathered = new Float64Array(1 << 14);
  let count = 0;
  const finish = () => {
    hash.update(gathered.subarray(0, count));
    count = 0;
  };
  const take = (value: number) => {
    gathered[count++] = value;
    if (count === gathered.length) finish();
  };
  return { take, finish };
}

function hashTransit(hash: Hash, transit: Transit, chosen: Int32Array): void {
  const { window, stops, timetable, routes, rules, insideWalks } = transit;
  const text = (value: unknown) => hash.update(`${JSON.stringify(value)}\n`);
  const { name, opens, departures, percentiles } = window;
  text([name, opens, departures, percentiles]);
  const numbers = new Map(Array.from(chosen, (stop, number) => [stop, number]));
  text(Array.from(chosen, (stop) => [stops[stop].name, stops[stop].entrances]));
  for (const changes of [rules, insideWalks]) {
    for (const { from, to, ...rest } of changes) {
      if (!numbers.has(from) || !numbers.has(to)) continue;
      text([numbers.get(from), numbers.get(to), rest]);
    }
  }
  const { patternCount, firstCall, callStop, callRules, tripCount, firstTime } = timetable;
  const patterns: string[] = [];
  /** The digest of each pattern that calls at any chosen stop, from its calls there. */
  const digests = new Map<number, string>();
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const calls: number[] = [];
    for (let call = firstCall[pattern]; call < firstCall[pattern + 1]; call++) {
      if (numbers.has(callStop[call])) calls.push(call);
    }
    if (calls.length === 0) continue;
    const digest = createHash('sha256');
    for (const call of calls) {
      digest.update(`${numbers.get(callStop[call])} ${callRules[call]} ${tripCount[pattern]};`);
      const at = firstTime[pattern] + (call - firstCall[pattern]) * tripCount[pattern];
      digest.update(timetable.arrivals.subarray(at, at + tripCount[pattern]));
      digest.update(timetable.departures.subarray(at, at + tripCount[pattern]));
    }
    const [firstTrip, end] = [timetable.firstTrip[pattern], timetable.firstTrip[pattern + 1]];
    for (const route of timetable.tripRoute.subarray(firstTrip, end)) {
      digest.update(`${JSON.stringify(routes[route])};`);
    }
    digests.set(pattern, digest.digest('hex'));
    if (calls.length > 1) patterns.push(digests.get(pattern)!);
  }
  // The order of patterns depends on the numbers of all stops, so it is not hashed.
  text(patterns.sort());
  text(seatedLinks(timetable, digests));
}

/**
 * Lists the pairs of trips between which riders stay seated, each trip identified by its pattern
 * and its position there.
 */
function seatedLinks(timetable: Timetable, digests: ReadonlyMap<number, string>): string[] {
  const { firstTrip, hasContinuations, tripCount } = timetable;
  const patternOf = (trip: number) => rankIn(firstTrip, trip + 1) - 1;
  const isNear = (trip: number) => digests.has(patternOf(trip));
  const links: string[] = [];
  for (const [pattern, digest] of digests) {
    if (!hasContinuations[pattern]) continue;
    for (let trip = 0; trip < tripCount[pattern]; trip++) {
      for (const next of continuationsAmong(timetable, firstTrip[pattern] + trip, isNear)) {
        const to = patternOf(next);
        links.push(`${digest} ${trip} ${digests.get(to)} ${next - firstTrip[to]}`);
      }
    }
  }
  return links.sort();
}
