import { silent } from '../../builder/progress.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { linkTargets } from '../../builder/streets/linked-targets.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { StreetSearch } from '../../builder/streets/street-search.ts';
import { SELDOM_LINKED } from '../../builder/streets/trait-bits.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { extractOsm, withBlocks } from '../support/prepared-city.ts';
import { SecondEngine } from './second-engine.ts';

const HALF_HOUR_MS = 30 * 60_000;
/** One origin per this many blocks. */
const STRIDE = 40;

/** A walk between two blocks, in milliseconds; infinite where none is found within half an hour. */
export interface WalkOfBoth {
  readonly ours: number;
  readonly theirs: number;
}

/**
 * Times walks of up to half an hour between the blocks of a county, by the builder's search and by
 * an engine that shares no code with it, for the pairs that either finds. Near the cap a time may
 * fall on either side, so pairs there that only the second engine finds are left out.
 */
export async function walksOfBoth(
  osm: string,
  blockFiles: readonly string[],
  county: string,
): Promise<{ walks: WalkOfBoth[]; origins: number }> {
  await ensureDebianPackage('osmium-tool', 'osmium');
  const blocks = await withBlocks(blockFiles, (tables) => tables.points(county));
  const world = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };
  const extract = await extractOsm([osm], world, silent);
  const mapped = buildNetwork(extract.streets, extract.nodes);
  // The second engine links to the nearest street of any kind.
  const streets = { ...mapped, traits: mapped.traits.map((own) => own & ~SELDOM_LINKED) };
  const { graph, linker } = buildModeNetwork(streets, 'walk', extract);
  const points = blocks.flatMap(({ lon, lat }) => {
    const link = linker.link(lon, lat);
    // The second engine has no first and last legs on private streets.
    const isPublic = typeof link !== 'string' && graph.chains.lastLeg[link.chain] === link.chain;
    return isPublic ? [{ link, at: [lon, lat] as const }] : [];
  });
  const links = points.map(({ link }, target) => ({ target, link }));
  const targets = linkTargets(graph, points.length, links);
  const search = new StreetSearch(graph, targets, HALF_HOUR_MS);
  const origins = Array.from(points.keys()).filter((i) => i % STRIDE === 0);
  const second = new SecondEngine(osm).times(
    points.map(({ at }) => at),
    origins,
    HALF_HOUR_MS * 1.2,
  );
  const walks: WalkOfBoth[] = [];
  origins.forEach((origin, row) => {
    const reached = new Set(search.reached.subarray(0, search.run(points[origin].link)));
    second[row].forEach((theirs, target) => {
      if (target === origin) return;
      const ours = reached.has(target) ? search.times[target] : Number.POSITIVE_INFINITY;
      if (Number.isFinite(ours) || theirs <= HALF_HOUR_MS * 0.95) walks.push({ ours, theirs });
    });
  });
  return { walks, origins: origins.length };
}
