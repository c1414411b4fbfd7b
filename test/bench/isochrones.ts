import path from 'node:path';
import { countWithin, reachable } from '../../proxy/isochrone/reachable.ts';
import { locateOrigin, originOfGeoid } from '../../proxy/queries/origins/origin-block.ts';
import { unroutedReason } from '../../proxy/queries/origins/unrouted.ts';
import type { Geoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { loadWatched } from './load-watched.ts';
import { openAccounts } from './service.ts';
import { someBlocks } from './targets.ts';
import type { Target } from './wrk.ts';

const MODE = 'walk';
const MINUTES = 30;
const WANTED_MS = 3;
/** The longest that one isochrone may hold up other requests. */
const WANTED_HELD_MS = 20;
const ORIGINS = 200;
const SECONDS = 6;

/**
 * Measures isochrones that are computed afresh each time, with block outlines in memory, for one
 * client. The client is a member, since a debit would wait for the disk. Also measures how long
 * isochrones hold the event loop.
 */
export async function benchIsochrones({ store, release, place, folder }: Built): Promise<void> {
  const ledger = path.join(folder, 'isochrones-ledger');
  const [member] = await openAccounts(ledger, 1, { member: true });
  const origins: Geoid[] = [];
  let blocks = 0;
  for (const geoid of await someBlocks(release, Infinity)) {
    const reached = await reachedFrom(release, geoid);
    if (reached === 0) continue;
    blocks += reached;
    if (origins.push(geoid) === ORIGINS) break;
  }
  const targets = origins.map((geoid): Target => {
    return { path: `/v1/isochrone?block=${geoid}&mode=${MODE}&minutes=${MINUTES}`, key: member };
  });
  const { p50, p99, requests, held } = await loadWatched(store, ledger, targets, SECONDS);
  const name = `isochrone.${MODE}_${MINUTES}_min`;
  const meanBlocks = Math.round(blocks / origins.length);
  const about = { place, blocks_mean: meanBlocks, requests, targets: targets.length };
  figure(name, p50, 'ms', { p99_ms: p99, wanted_ms: WANTED_MS, ...about });
  const { max, p999 } = held;
  figure(`${name}.loop_held`, max, 'ms', { p999_ms: p999, wanted_ms: WANTED_HELD_MS, place });
}

/** The number of blocks within reach of a block; 0 for one that the mode cannot start from. */
async function reachedFrom(release: Release, geoid: Geoid): Promise<number> {
  const block = await locateOrigin(release, originOfGeoid(release, geoid));
  if (unroutedReason(block.index, block.ordinal, MODE) !== null) return 0;
  return countWithin(await reachable(block, MODE, 'from'), MINUTES);
}
