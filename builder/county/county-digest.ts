import { createHash, type Hash } from 'node:crypto';
import { FORMAT_VERSION } from '../../shards/format-version.ts';
import { TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import { ROUTING } from '../routing-parameters.ts';
import { CLOSED } from '../streets/mode-costs.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import type { StreetNetwork } from '../streets/network.ts';
import { NO_LINKING } from '../streets/traits.ts';
import type { Transit } from '../transit/read-transit.ts';
import type { CountyScope } from './county-scope.ts';

/** Change it when the same inputs come to give other rows: it makes all counties new. */
const SEARCH_VERSION = 1;

/**
 * A digest of everything a county's searched objects follow from, and of nothing else: its blocks,
 * and of its scope the streets as each mode may use them, the destinations, the stops with their trips,
 * and the blocks one may go to. Equal digests, equal objects. What the whole region is numbered by
 * is not in it: streets and stops far away change the numbers, not the times.
 */
export function countyDigest(linked: LinkedRegion, scope: CountyScope): string {
  const { region } = linked;
  const hash = createHash('sha256');
  const text = (value: unknown) => hash.update(`${JSON.stringify(value)}\n`);
  text([FORMAT_VERSION, SEARCH_VERSION, ROUTING, TAXONOMY_VERSION]);
  text([linked.modes, linked.leafIds]);
  text([scope.county, scope.windowStart, scope.reach]);
  text(region.coverage && [scope.ground.clip(region.coverage)]);
  region.counties.get(scope.county)!.forEach((block, i) => {
    text([block, linked.links[scope.firstBlock + i]]);
  });
  for (const county of scope.reach) {
    for (const { geoid, lon, lat } of region.targets.get(county)!) text([geoid, lon, lat]);
  }
  for (const ordinal of scope.destinations) text(region.destinations[ordinal]);
  for (const network of [region.walk, region.bike])
    hashStreets(hash, region.streets, network, scope);
  if (region.transit) hashTransit(hash, region.transit, scope.stops);
  return hash.digest('hex');
}

function hashStreets(
  hash: Hash,
  streets: StreetNetwork,
  { costs }: ModeNetwork,
  { ground }: CountyScope,
): void {
  const { edgeCount, vertexCount, firstPoint, pointLon, pointLat, traits } = streets;
  // Gathered first: a hash takes few large pieces much faster than many small ones.
  const gathered = new Float64Array(1 << 14);
  let count = 0;
  const take = (value: number) => {
    gathered[count++] = value;
    if (count < gathered.length) return;
    hash.update(gathered);
    count = 0;
  };
  // Two ways may have an end at one spot and not meet there: vertices count, numbered as met.
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
      isNear = ground.has(pointLon[point], pointLat[point]);
    }
    if (!isNear) continue;
    take(numberOf(streets.from[edge]));
    take(numberOf(streets.to[edge]));
    take(costs.forward[edge]);
    take(costs.backward[edge]);
    take(traits[edge] & NO_LINKING);
    take(end - first);
    for (let point = first; point < end; point++) {
      take(pointLon[point]);
      take(pointLat[point]);
    }
  }
  take(met);
  hash.update(gathered.subarray(0, count));
}

/** Doors, changes and trips of some stops, which are numbered by their position among them. */
function hashTransit(hash: Hash, transit: Transit, chosen: Int32Array): void {
  const { stops, timetable, rules, insideWalks } = transit;
  const text = (value: unknown) => hash.update(`${JSON.stringify(value)}\n`);
  const numbers = new Map(Array.from(chosen, (stop, number) => [stop, number]));
  text(Array.from(chosen, (stop) => stops[stop].doors));
  for (const changes of [rules, insideWalks]) {
    for (const { from, to, ...rest } of changes) {
      if (!numbers.has(from) || !numbers.has(to)) continue;
      text([numbers.get(from), numbers.get(to), rest]);
    }
  }
  const { patternCount, firstCall, callStop, callRules, tripCount, firstTime } = timetable;
  const patterns: string[] = [];
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const calls: number[] = [];
    for (let call = firstCall[pattern]; call < firstCall[pattern + 1]; call++) {
      if (numbers.has(callStop[call])) calls.push(call);
    }
    if (calls.length < 2) continue;
    const digest = createHash('sha256');
    for (const call of calls) {
      digest.update(`${numbers.get(callStop[call])} ${callRules[call]} ${tripCount[pattern]};`);
      const at = firstTime[pattern] + (call - firstCall[pattern]) * tripCount[pattern];
      digest.update(timetable.arrivals.subarray(at, at + tripCount[pattern]));
      digest.update(timetable.departures.subarray(at, at + tripCount[pattern]));
    }
    patterns.push(digest.digest('hex'));
  }
  // Patterns come in an order of the numbers of all stops.
  text(patterns.sort());
}
