import { publicTaxonomy } from '../../../builder/destinations/taxonomy.ts';
import { silent } from '../../../builder/progress.ts';
import { linkRegion } from '../../../builder/region/link-region.ts';
import type { Region } from '../../../builder/region/read-region.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../../../builder/routing-parameters.ts';
import { OriginSearch } from '../../../builder/search/origin-search.ts';
import { Linker } from '../../../builder/streets/linker.ts';
import { buildModeNetwork } from '../../../builder/streets/mode-network.ts';
import {
  NO_LINKING,
  RIDE,
  SELDOM_LINKED,
  throughTraits,
  withStress,
} from '../../../builder/streets/trait-bits.ts';
import type { Position } from '../../../shards/geometry/polygon.ts';
import type { Mode } from '../../../shards/modes.ts';
import { MODE_LABELS } from '../../../shards/modes.ts';
import { Taxonomy } from '../../../shards/taxonomy.ts';
import type { Minutes } from '../../../shards/units.ts';

/**
 * Unrounded minutes by the builder's searches between points that represent blocks: by mode, one
 * row per origin; Infinity beyond an hour.
 */
export function ourTimes(
  region: Region,
  origins: readonly Position[],
  targets: readonly Position[],
): Map<Mode, Minutes[][]> {
  const points = [...origins, ...targets].map(([lon, lat], i) => {
    const block = { isWater: false, geoid: i, county: '99001', lon, lat };
    return { ...block, population: null, landArea: null, area: { polygons: [] } };
  });
  const counties = new Map([['99001', points]]);
  const modes = MODE_LABELS.slice(0, region.transit ? 3 : 2);
  const { searchRegion } = linkRegion(
    { ...region, counties, targets: counties },
    modes,
    new Taxonomy(publicTaxonomy(() => region.transit !== null)),
    silent,
  );
  const search = new OriginSearch(searchRegion);
  const first = searchRegion.destinationCount + origins.length;
  const rows = new Map(modes.map((mode) => [mode, [] as Minutes[][]]));
  search.run([...origins.keys()], ROUTING.transit.windowStart, () => {
    modes.forEach((mode, at) => {
      const times = search.reached[at].times.subarray(first, first + targets.length);
      rows.get(mode)!.push(Array.from(times, inMinutes));
    });
  });
  return rows;
}

function inMinutes(time: number): Minutes {
  const minutes = time / MILLIS_PER_MINUTE;
  return minutes <= ROUTING.maxReachMinutes ? minutes : Infinity;
}

/** The region with an unbounded map, and no obstacles between a point and its nearest street. */
export function withoutCoverage(region: Region): Region {
  const walk = buildModeNetwork(region.streets, 'walk', { coverage: null });
  const bike = buildModeNetwork(region.streets, 'bike', { coverage: null });
  return { ...region, walk, bike, coverage: null };
}

/** The region without traffic stress for cyclists, and without transit. */
export function withoutStress(region: Region): Region {
  const traits = region.streets.traits.map((own) => withStress(own, 1, 1));
  const streets = { ...region.streets, traits };
  const bike = buildModeNetwork(streets, 'bike', { coverage: region.coverage });
  return { ...region, streets, bike, transit: null };
}

/**
 * The region with bicycle rides that begin and end where R5's do: only on streets that are ridden
 * both ways, even if the bicycle is pushed because of their traffic. R5 has no streets where trips
 * seldom begin.
 */
export function tiedAsByR5(region: Region): Region {
  const { coverage } = region;
  const traits = region.streets.traits.map((own) => {
    const alike = own & ~SELDOM_LINKED;
    return (own & RIDE) === RIDE ? alike : alike | NO_LINKING;
  });
  const streets = { ...region.streets, traits };
  const bike = buildModeNetwork(streets, 'bike', { coverage });
  const none = new Uint8Array(streets.edgeCount);
  const costs = { ...bike.costs, ridden: none };
  const linker = new Linker(streets, costs, bike.graph, none, { coverage });
  return { ...region, bike: { ...bike, linker } };
}

/**
 * The region as walked in R5: without private streets, and with trips beginning on all other
 * streets alike.
 */
export function walkedAsByR5(region: Region): Region {
  const traits = region.streets.traits.map((own) => throughTraits(own) & ~SELDOM_LINKED);
  const streets = { ...region.streets, traits };
  return { ...region, walk: buildModeNetwork(streets, 'walk', { coverage: region.coverage }) };
}

/** The region with stops that are entered at their location and in no time, as in R5. */
export function enteredAsByR5(region: Region): Region {
  const { transit } = region;
  if (!transit) return region;
  const stops = transit.stops.map((stop) => {
    const { lon, lat } = stop;
    const entrance = { lon, lat, secondsIn: 0, secondsOut: 0, secondsOfLevels: 0 };
    return { ...stop, entrances: [entrance] };
  });
  return { ...region, transit: { ...transit, stops, insideWalks: [] } };
}
