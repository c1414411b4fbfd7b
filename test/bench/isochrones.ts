import path from 'node:path';
import { countWithin, reachable } from '../../proxy/isochrone/reachable.ts';
import { locateOrigin, originOfGeoid } from '../../proxy/queries/origins/origin-block.ts';
import { unroutedReason } from '../../proxy/queries/origins/unrouted.ts';
import type { Geoid } from '../../shards/geoid.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Minutes } from '../../shards/units.ts';
import { build } from './build.ts';
import { type Built, withBuilt } from './built.ts';
import { figure } from './figure.ts';
import type { BenchInputs } from './inputs.ts';
import { loadWatched } from './load-watched.ts';
import { openAccounts } from './service.ts';
import { someBlocks } from './targets.ts';
import type { Target } from './wrk.ts';

const ORIGINS = 200;
const SECONDS = 6;

/** Isochrones of a mode and size, and the requirements on them. */
interface Case {
  readonly mode: Mode;
  readonly minutes: Minutes;
  readonly wantedMs: number;
  /** Only origins that reach at least this many blocks. */
  readonly minBlocks: number;
}

export const WALK_30: Case = { mode: 'walk', minutes: 30, wantedMs: 3, minBlocks: 1 };
const BIKE_60: Case = { mode: 'bike', minutes: 60, wantedMs: 25, minBlocks: 5000 };
/** The longest that one isochrone may hold up other requests. */
const WANTED_HELD_MS = 20;

/** Measures the largest possible isochrones, in a city built for the purpose. */
export async function benchLargeIsochrones(city: BenchInputs, folder: string): Promise<void> {
  const store = path.join(folder, 'large-city', 'store');
  await build(['--osm', city.osm, '--blocks', ...city.blocks, '--no-tiles', '--out', store]);
  await withBuilt(store, city, folder, (built) => benchIsochrones(built, [WALK_30, BIKE_60]));
}

/**
 * Measures isochrones that are computed afresh each time, with block outlines in memory, for one
 * client. The client is a member, since a debit would wait for the disk. Also measures how long
 * isochrones hold the event loop.
 */
export async function benchIsochrones(built: Built, cases: readonly Case[]): Promise<void> {
  const { store, release, place, folder } = built;
  const ledger = path.join(folder, `isochrones-ledger-${path.basename(path.dirname(store))}`);
  const [member] = await openAccounts(ledger, 1, { member: true });
  for (const wanted of cases) {
    const { mode, minutes, wantedMs } = wanted;
    const { origins, meanBlocks } = await originsOf(release, wanted);
    const targets = origins.map((geoid): Target => {
      return { path: `/v1/isochrone?block=${geoid}&mode=${mode}&minutes=${minutes}`, key: member };
    });
    const { p50, p99, requests, held } = await loadWatched(store, ledger, targets, SECONDS);
    const name = `isochrone.${mode}_${minutes}_min`;
    const about = { place, blocks_mean: meanBlocks, requests, targets: targets.length };
    figure(name, p50, 'ms', { p99_ms: p99, wanted_ms: wantedMs, ...about });
    const { max, p999 } = held;
    figure(`${name}.loop_held`, max, 'ms', { p999_ms: p999, wanted_ms: WANTED_HELD_MS, place });
  }
}

/** Origins of isochrones, in a seeded order, and the mean number of blocks that they reach. */
async function originsOf(
  release: Release,
  { mode, minutes, minBlocks }: Case,
): Promise<{ origins: Geoid[]; meanBlocks: number }> {
  const origins: Geoid[] = [];
  let blocks = 0;
  for (const geoid of await someBlocks(release, Infinity)) {
    const reached = await reachedFrom(release, geoid, mode, minutes);
    if (reached < minBlocks) continue;
    origins.push(geoid);
    blocks += reached;
    if (origins.length === ORIGINS) break;
  }
  if (origins.length === 0) throw new Error(`no ${mode} reaches ${minBlocks} blocks`);
  return { origins, meanBlocks: Math.round(blocks / origins.length) };
}

/** The number of blocks within reach of a block; 0 for one that the mode cannot start from. */
async function reachedFrom(
  release: Release,
  geoid: Geoid,
  mode: Mode,
  minutes: Minutes,
): Promise<number> {
  const block = await locateOrigin(release, originOfGeoid(release, geoid));
  if (unroutedReason(block.index, block.ordinal, mode) !== null) return 0;
  return countWithin(await reachable(block, mode, 'from'), minutes);
}
