import { scopeCounties } from '../../builder/county/county-scope.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { datesOf } from '../../builder/plan/make-plan.ts';
import { silent } from '../../builder/progress.ts';
import { linkRegion } from '../../builder/region/link-region.ts';
import { ROUTING } from '../../builder/routing-parameters.ts';
import { OriginSearch } from '../../builder/search/origin-search.ts';
import { unpackLink } from '../../builder/streets/street-region.ts';
import { LANES } from '../../builder/transit/lane-search.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import { readFiles } from '../support/prepared-city.ts';
import { figure, median } from './figure.ts';
import type { BenchInputs } from './inputs.ts';

const ORIGINS = 200;
const ROUNDS = 3;
const WANTED_MS = { transit: 15, all: 12 };

/**
 * Time of one core for all departures of the window from one block, to all places and blocks: the
 * extra cost of a search by all modes over one without transit.
 */
export async function benchTransitRouting(inputs: BenchInputs): Promise<void> {
  const given = { ...inputs, osm: [inputs.osm] };
  const region = await readFiles({ ...given, feeds: await datesOf(given, silent) });
  const taxonomy = new Taxonomy(TAXONOMY);
  const linked = linkRegion(region, MODE_LABELS, taxonomy, silent);
  const { searchRegion } = linked;
  const [{ windowStart }] = scopeCounties(linked);
  const origins: number[] = [];
  for (let block = 0; block < searchRegion.blockCount; block++) {
    if (unpackLink(searchRegion.walk.blockLinks, block)) origins.push(block);
  }
  // Neighbours, as in a build, from all parts of the city.
  const stride = LANES * Math.ceil(origins.length / ORIGINS);
  const some = origins.filter((_, i) => i % stride < LANES);
  const all = new OriginSearch(searchRegion);
  const streets = new OriginSearch({ ...searchRegion, transit: null });
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [streetsMs, allMs] = [streets, all].map((search) => {
      const begun = performance.now();
      search.run(some, windowStart, () => {});
      return (performance.now() - begun) / some.length;
    });
    return { allMs, transitMs: allMs - streetsMs };
  });
  let faster = 0;
  all.run(some, windowStart, () => {
    const [walk, , transit] = all.reached.map(({ times }) => times);
    for (let t = 0; t < transit.length; t++) if (transit[t] < walk[t]) faster++;
  });
  const { departures } = ROUTING.transit;
  const about = {
    place: inputs.place,
    origins: some.length,
    targets: searchRegion.destinationCount + searchRegion.blockCount,
    faster_than_walking_mean: Math.round(faster / some.length),
  };
  figure(
    `search.transit_${departures}_departures.origin`,
    median(rounds.map(({ transitMs }) => transitMs)),
    'ms',
    { ...about, wanted_ms: WANTED_MS.transit },
  );
  figure('search.all_modes.origin', median(rounds.map(({ allMs }) => allMs)), 'ms', {
    ...about,
    wanted_ms: WANTED_MS.all,
  });
}
