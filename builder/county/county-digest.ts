import { createHash, type Hash } from 'node:crypto';
import { FORMAT_VERSION } from '../../shards/format-version.ts';
import { TAXONOMY, TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import type { LinkedRegion } from '../region/build-world.ts';
import { ROUTING } from '../routing-parameters.ts';
import { CLOSED } from '../streets/mode-costs.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import type { StreetNetwork } from '../streets/network.ts';
import type { CountyScope } from './county-scope.ts';

/** Change it when the same inputs come to give other rows: it makes all counties new. */
const SEARCH_VERSION = 1;

/**
 * A digest of everything a county's searched objects follow from, and of nothing else: its blocks,
 * and of its scope the streets as each mode may use them, the places, the timetable, and the blocks
 * one may go to. Equal digests, equal objects.
 */
export function countyDigest(linked: LinkedRegion, scope: CountyScope): string {
  const { region, world, blocks } = linked;
  const hash = createHash('sha256');
  const text = (value: unknown) => hash.update(`${JSON.stringify(value)}\n`);
  text([FORMAT_VERSION, SEARCH_VERSION, ROUTING, TAXONOMY_VERSION, TAXONOMY.length]);
  text([scope.county, scope.windowStart, scope.reach]);
  for (let i = scope.firstBlock; i < scope.endBlock; i++) text([blocks[i], linked.links[i]]);
  for (const county of scope.reach) {
    for (const { geoid, lon, lat } of region.counties.get(county)!) text([geoid, lon, lat]);
  }
  for (const place of scope.places) text(region.destinations[place]);
  for (const network of [region.walk, region.bike])
    hashStreets(hash, region.streets, network, scope);
  if (region.transit) {
    const { stops, rules, insideWalks } = region.transit;
    text([stops, rules, insideWalks]);
    for (const array of Object.values(world.transit!.timetable)) {
      if (ArrayBuffer.isView(array)) hash.update(array as Int32Array);
    }
  }
  return hash.digest('hex');
}

function hashStreets(
  hash: Hash,
  streets: StreetNetwork,
  { costs }: ModeNetwork,
  { ground }: CountyScope,
): void {
  const { edgeCount, firstPoint, pointLon, pointLat } = streets;
  // Gathered first: a hash takes few large pieces much faster than many small ones.
  const gathered = new Float64Array(1 << 14);
  let count = 0;
  const take = (value: number) => {
    gathered[count++] = value;
    if (count < gathered.length) return;
    hash.update(gathered);
    count = 0;
  };
  for (let edge = 0; edge < edgeCount; edge++) {
    if (costs.forward[edge] === CLOSED && costs.backward[edge] === CLOSED) continue;
    const [first, last] = [firstPoint[edge], firstPoint[edge + 1] - 1];
    const isNear =
      ground.has(pointLon[first], pointLat[first]) || ground.has(pointLon[last], pointLat[last]);
    if (!isNear) continue;
    take(costs.forward[edge]);
    take(costs.backward[edge]);
    for (let point = first; point <= last; point++) {
      take(pointLon[point]);
      take(pointLat[point]);
    }
  }
  hash.update(gathered.subarray(0, count));
}
