import { scopeCounties } from '../../builder/county/county-scope.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { silent } from '../../builder/progress.ts';
import { linkRegion } from '../../builder/region/link-region.ts';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { OriginSearch } from '../../builder/search/origin-search.ts';
import { unpackLink } from '../../builder/streets/street-region.ts';
import { LANES } from '../../builder/transit/lane-search.ts';
import { BASE_MODES } from '../../shards/modes.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import { readFiles } from '../support/prepared-city.ts';
import { datesOf } from '../support/read-feeds.ts';
import { figure, median } from './figure.ts';
import type { BenchInputs } from './inputs.ts';

const ORIGINS = 200;
const ROUNDS = 3;
const WANTED_MS = { transit: 15, all: 12 };

/** Searches from some blocks of a region, and what they found. */
export interface TimedSearches {
  readonly origins: number;
  /** Destinations and blocks of the region. */
  readonly targets: number;
  readonly stops: number;
  /** Calls of all trips that run during the departure window. */
  readonly calls: number;
  /** Median milliseconds of one core per origin: by all modes, and the part that transit adds. */
  readonly allMs: number;
  readonly transitMs: number;
  /** Seconds to link the region and to find its transfers. */
  readonly linkSeconds: number;
  /**
   * Means per origin: targets within the limits, summed over modes, and targets that transit makes
   * nearer.
   */
  readonly reached: number;
  readonly fasterThanWalking: number;
}

/**
 * Measures the time of one core for all departures of the window from one block, to all
 * destinations and blocks: the extra cost of a search by all modes over one without transit.
 */
export async function benchTransitRouting(inputs: BenchInputs): Promise<void> {
  const searches = await timeSearches(inputs);
  const { departures } = ROUTING.transit;
  const about = {
    place: inputs.place,
    origins: searches.origins,
    targets: searches.targets,
    faster_than_walking_mean: Math.round(searches.fasterThanWalking),
  };
  figure(`search.transit_${departures}_departures.origin`, searches.transitMs, 'ms', {
    ...about,
    wanted_ms: WANTED_MS.transit,
  });
  figure('search.all_modes.origin', searches.allMs, 'ms', { ...about, wanted_ms: WANTED_MS.all });
}

/** Times searches by all modes from up to some hundred blocks in all parts of a region. */
export async function timeSearches(
  inputs: Pick<BenchInputs, 'osm' | 'gtfs' | 'blocks' | 'counties'>,
): Promise<TimedSearches> {
  const given = { ...inputs, osm: [inputs.osm] };
  const feeds = await datesOf(given);
  const region = await readFiles({ ...given, feeds });
  const taxonomy = new Taxonomy(TAXONOMY);
  const began = performance.now();
  const modes = BASE_MODES.filter((mode) => feeds !== null || mode !== 'transit');
  const linked = linkRegion(region, modes, taxonomy, silent);
  const linkSeconds = (performance.now() - began) / 1000;
  const { searchRegion } = linked;
  const [{ windowStarts }] = scopeCounties(linked);
  const origins: number[] = [];
  for (let block = 0; block < searchRegion.blockCount; block++) {
    if (unpackLink(searchRegion.streets[0].blockLinks, block)) origins.push(block);
  }
  // Groups of neighbouring blocks, as in a build, from all parts of the city.
  const stride = LANES * Math.ceil(origins.length / ORIGINS);
  const some = origins.filter((_, i) => i % stride < LANES);
  const all = new OriginSearch(searchRegion);
  const streets = new OriginSearch({ ...searchRegion, riders: [] });
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [streetsMs, allMs] = [streets, all].map((search) => {
      const begun = performance.now();
      search.run(some, windowStarts, () => {});
      return (performance.now() - begun) / some.length;
    });
    return { allMs, transitMs: allMs - streetsMs };
  });
  let [faster, reached] = [0, 0];
  all.run(some, windowStarts, () => {
    for (const { count } of all.reached) reached += count;
    const [walk, , transit] = all.reached.map(({ times }) => times);
    if (!transit) return;
    for (let t = 0; t < transit.length; t++) if (transit[t] < walk[t]) faster++;
  });
  return {
    origins: some.length,
    targets: searchRegion.destinationCount + searchRegion.blockCount,
    stops: region.riders[0]?.windows[0].stops.length ?? 0,
    calls: searchRegion.riders[0]?.windows[0].order.stop.length ?? 0,
    allMs: median(rounds.map(({ allMs }) => allMs)),
    transitMs: median(rounds.map(({ transitMs }) => transitMs)),
    linkSeconds,
    reached: reached / some.length,
    fasterThanWalking: faster / some.length,
  };
}
