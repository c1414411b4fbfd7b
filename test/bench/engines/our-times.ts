import { publicTaxonomy } from '../../../builder/destinations/taxonomy.ts';
import { silent } from '../../../builder/progress.ts';
import { linkRegion } from '../../../builder/region/link-region.ts';
import type { Region } from '../../../builder/region/read-region.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../../../builder/routing-parameters.ts';
import { OriginSearch } from '../../../builder/search/origin-search.ts';
import { buildModeNetwork } from '../../../builder/streets/mode-network.ts';
import { NO_LINKING, RIDE, withStress } from '../../../builder/streets/traits.ts';
import type { Position } from '../../../shards/geometry/polygon.ts';
import type { Mode } from '../../../shards/modes.ts';
import { MODE_LABELS } from '../../../shards/modes.ts';
import { Taxonomy } from '../../../shards/taxonomy.ts';
import type { Minutes } from '../../../shards/units.ts';

/**
 * Minutes by the builder's searches, not rounded, between points that stand in for blocks: a row an
 * origin by mode; Infinity beyond an hour.
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
  const { world } = linkRegion(
    { ...region, counties, targets: counties },
    modes,
    new Taxonomy(publicTaxonomy(() => region.transit !== null)),
    silent,
  );
  const search = new OriginSearch(world);
  const first = world.destinations + origins.length;
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

/** The region as if its map had no end, and nothing lay between a point and its nearest street. */
export function withoutCoverage(region: Region): Region {
  const walk = buildModeNetwork(region.streets, 'walk', { coverage: null });
  const bike = buildModeNetwork(region.streets, 'bike', { coverage: null });
  return { ...region, walk, bike, coverage: null };
}

/** The region with streets that nobody fears to ride on, and no transit. */
export function withoutStress(region: Region): Region {
  const traits = region.streets.traits.map((own) => withStress(own, 1, 1));
  const streets = { ...region.streets, traits };
  const bike = buildModeNetwork(streets, 'bike', { coverage: region.coverage });
  return { ...region, streets, bike, transit: null };
}

/** The region with rides that begin and end where R5's do: on streets that are ridden both ways. */
export function tiedAsByR5(region: Region): Region {
  const traits = region.streets.traits.map((own) =>
    (own & RIDE) === RIDE ? own : own | NO_LINKING,
  );
  const streets = { ...region.streets, traits };
  const bike = buildModeNetwork(streets, 'bike', { coverage: region.coverage });
  return { ...region, bike };
}

/** The region with stops that are entered as R5's are: in the street, whatever their stations. */
export function enteredAsByR5(region: Region): Region {
  const transit = region.transit!;
  const stops = transit.stops.map(({ doors, ...stop }) => ({
    ...stop,
    doors: doors.map((door) => ({
      ...door,
      ...{ secondsIn: 0, secondsOut: 0, secondsOfLevels: 0 },
    })),
  }));
  return { ...region, transit: { ...transit, stops, insideWalks: [] } };
}
