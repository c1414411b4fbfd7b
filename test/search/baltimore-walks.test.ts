import path from 'node:path';
import { expect, test } from 'vitest';
import { readBlocks } from '../../builder/census/blocks.ts';
import { extractOsm } from '../../builder/extract/extract-osm.ts';
import { silent } from '../../builder/progress.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { buildNetwork } from '../../builder/streets/network.ts';
import { StreetSearch } from '../../builder/streets/street-search.ts';
import { hangTerminals } from '../../builder/streets/terminals.ts';
import { BALTIMORE_OSM, describeBaltimore } from '../osm/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { SecondEngine } from './second-engine.ts';

const BLOCKS = path.resolve('../shared/data/baltimore/blocks/tl_24510_tabblock20.zip');
const HALF_HOUR_MS = 30 * 60_000;
/** Every so many blocks is an origin. */
const STRIDE = 40;

describeBaltimore('walks between the blocks of Baltimore', () => {
  test('take within 5 % of what a second engine finds, for all but one pair in a hundred', async () => {
    await ensureDebianPackage('osmium-tool', 'osmium');
    const blocks = (await readBlocks([BLOCKS], ['24510'], () => {})).counties.get('24510')!;
    const world = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };
    const extract = await extractOsm([BALTIMORE_OSM], world, silent);
    const streets = buildNetwork(extract.streets, extract.nodes);
    const { graph, linker } = buildModeNetwork(streets, 'walk', extract.coverage);
    const points = blocks.flatMap(({ lon, lat }) => {
      const link = linker.link(lon, lat);
      return typeof link === 'string' ? [] : [{ link, at: [lon, lat] as const }];
    });
    const targets = points.map(({ link }, target) => ({ target, link }));
    const terminals = hangTerminals(graph, points.length, targets);
    const search = new StreetSearch(graph, terminals, HALF_HOUR_MS);

    const origins = points.map((_, i) => i).filter((i) => i % STRIDE === 0);
    const second = new SecondEngine(BALTIMORE_OSM).times(
      points.map(({ at }) => at),
      origins,
      HALF_HOUR_MS * 1.2,
    );
    let pairs = 0;
    let agree = 0;
    origins.forEach((origin, row) => {
      const reached = new Set(search.reached.subarray(0, search.run(points[origin].link)));
      for (let target = 0; target < points.length; target++) {
        if (target === origin) continue;
        const [ours, theirs] = [search.times[target], second[row][target]];
        // Pairs at the cap may fall on either side of it.
        if (!reached.has(target) && theirs > HALF_HOUR_MS * 0.95) continue;
        pairs++;
        if (reached.has(target) && Math.abs(ours / theirs - 1) <= 0.05) agree++;
      }
    });
    expect(pairs).toBeGreaterThan(20_000);
    expect(agree / pairs).toBeGreaterThan(0.99);
  }, 60_000);
});
