import { silent } from '../../builder/progress.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { linkTargets } from '../../builder/streets/linked-targets.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { StreetSearch } from '../../builder/streets/street-search.ts';
import type { StreetMode } from '../../shards/modes.ts';
import { extractOsm, withBlocks } from '../support/prepared-city.ts';
import { figure, median } from './figure.ts';
import type { BenchInputs } from './inputs.ts';

const WORLD = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };
const MINUTE_MS = 60_000;
const ROUNDS = 5;

/** Measures searches per second of one core from each block to all blocks, by mode and limit. */
export async function benchRouting(inputs: BenchInputs): Promise<void> {
  const counties = inputs.counties.length > 0 ? inputs.counties : ['99001'];
  const blocks = await withBlocks(inputs.blocks, (tables) => tables.points(counties[0]));
  const extract = await extractOsm([inputs.osm], WORLD, silent);
  const streets = buildNetwork(extract.streets, extract.nodes);
  const cases: [StreetMode, number][] = [
    ['walk', 30],
    ['bike', 30],
    ['bike', 60],
  ];
  for (const [mode, minutes] of cases) {
    const { graph, linker } = buildModeNetwork(streets, mode, extract);
    const origins = blocks.flatMap(({ lon, lat }) => {
      const link = linker.link(lon, lat);
      return typeof link === 'string' ? [] : [link];
    });
    const links = origins.map((link, target) => ({ target, link }));
    const targets = linkTargets(graph, links.length, links);
    const search = new StreetSearch(graph, targets, minutes * MINUTE_MS);
    const rounds = Array.from({ length: ROUNDS }, () => {
      const [begun, relaxed] = [performance.now(), search.relaxed];
      let reached = 0;
      for (const origin of origins) reached += search.run(origin);
      const seconds = (performance.now() - begun) / 1000;
      return { seconds, relaxed: search.relaxed - relaxed, reached };
    });
    const seconds = median(rounds.map((round) => round.seconds));
    const name = `search.${mode}_${minutes}_min`;
    const about = {
      place: inputs.place,
      targets: links.length,
      reached_mean: Math.round(rounds[0].reached / origins.length),
    };
    figure(`${name}.origin`, (seconds / origins.length) * 1000, 'ms', about);
    figure(`${name}.searches`, origins.length / seconds, '1/s', about);
    figure(`${name}.edges_relaxed`, rounds[0].relaxed / seconds, '1/s', about);
  }
}
