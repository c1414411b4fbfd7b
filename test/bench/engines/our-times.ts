import { publicTaxonomy } from '../../../builder/destinations/taxonomy.ts';
import { silent } from '../../../builder/progress.ts';
import { linkRegion } from '../../../builder/region/link-region.ts';
import type { Region } from '../../../builder/region/read-region.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../../../builder/routing-parameters.ts';
import { OriginSearch } from '../../../builder/search/origin-search.ts';
import { buildModeNetwork } from '../../../builder/streets/mode-network.ts';
import { withStress } from '../../../builder/streets/trait-bits.ts';
import type { Position } from '../../../shards/geometry/polygon.ts';
import { BASE_MODES, type Mode } from '../../../shards/modes.ts';
import { Taxonomy } from '../../../shards/taxonomy.ts';
import type { Millis, Minutes } from '../../../shards/units.ts';

/** Unrounded minutes by mode, one row per origin; Infinity beyond an hour. */
export type OurMinutes = ReadonlyMap<Mode, readonly (readonly Minutes[])[]>;

/**
 * Minutes by the builder's searches between points that represent blocks. `windowStart`: when the
 * window for which the region was read opens.
 */
export function ourTimes(
  region: Region,
  origins: readonly Position[],
  targets: readonly Position[],
  windowStart: Millis = ROUTING.transit.windowStart,
): OurMinutes {
  const { search, first, modes } = searchOf(region, origins, targets);
  const rows = new Map(modes.map((mode) => [mode, [] as Minutes[][]]));
  search.run([...origins.keys()], [windowStart], () => {
    modes.forEach((mode, at) => {
      const times = search.reached[at].times.subarray(first, first + targets.length);
      rows.get(mode)!.push(Array.from(times, inMinutes));
    });
  });
  return rows;
}

/**
 * Milliseconds of processor time for an origin, by all modes, to all targets: those of a second
 * round, by compiled code.
 */
export function ourProcessorTime(
  region: Region,
  origins: readonly Position[],
  targets: readonly Position[],
): number {
  const { search } = searchOf(region, origins, targets);
  const round = () => search.run([...origins.keys()], [ROUTING.transit.windowStart], () => {});
  round();
  const before = process.cpuUsage();
  round();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / origins.length;
}

function searchOf(region: Region, origins: readonly Position[], targets: readonly Position[]) {
  const points = [...origins, ...targets].map(([lon, lat], i) => {
    const block = { isWater: false, geoid: i, county: '99001', lon, lat };
    return { ...block, population: null, landArea: null, area: { polygons: [] } };
  });
  const counties = new Map([['99001', points]]);
  const further = region.networks.slice(2).map(({ mode }) => mode);
  const modes = [...BASE_MODES.slice(0, region.riders.length > 0 ? 3 : 2), ...further];
  const { searchRegion } = linkRegion(
    { ...region, counties, targets: counties },
    modes,
    new Taxonomy(publicTaxonomy(() => region.riders.length > 0)),
    silent,
  );
  const first = searchRegion.destinationCount + origins.length;
  return { search: new OriginSearch(searchRegion), first, modes };
}

function inMinutes(time: number): Minutes {
  const minutes = time / MILLIS_PER_MINUTE;
  return minutes <= ROUTING.maxReachMinutes ? minutes : Infinity;
}

/** The region in which bicycles ride any street that is open to them, and without transit. */
export function withoutStress(region: Region): Region {
  const traits = region.streets.traits.map((own) => withStress(own, 1, 1));
  const streets = { ...region.streets, traits };
  const networks = region.networks.map((network) => {
    const own = network.mode === 'step_free' ? network.streets : streets;
    return buildModeNetwork(own, network.mode, region, region.rulesOfR5);
  });
  return { ...region, streets, networks, riders: [] };
}
