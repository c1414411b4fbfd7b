import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeGtfs } from '../../infra/demo/gtfs-writer.ts';
import { catalogueFile, serviceArea } from '../fetch/catalogue-file.ts';
import { type MadeFeed, manyFeeds, putFeeds } from '../fetch/many-feeds.ts';
import { PATHS } from '../fetch/maryland.ts';
import type { Mirror } from '../fetch/mirror.ts';
import { putCensus, putMap, STATE } from '../fetch/nation-mirror.ts';
import { type MadeArea, makeNation } from '../support/made-nation.ts';

/**
 * Shares of the blocks, blocks of a county, and the most blocks of an area, by kind: a million
 * blocks make 390 counties. Half of the blocks are urban, of which those of two metropolises are a
 * tenth.
 */
const KINDS = [
  { kind: 'metropolis', share: 0.05, ofCounty: 6_250, most: Infinity, areas: 2 },
  { kind: 'urban', share: 0.45, ofCounty: 5_625, most: 22_500, areas: 1 },
  { kind: 'rural', share: 0.5, ofCounty: 1_650, most: 8_250, areas: 1 },
] as const;
/** The smallest area that can be made. */
const LEAST = { blocks: 500, counties: 2 };
const FEEDS = { feeds: 200, twins: 20, defective: 30 };
const SEED = 11;
const DRAWN = new Date('2026-01-04T00:00:00Z');

/** The inputs of a made nation, as services on the web would serve them. */
export interface ServedNation {
  readonly counties: number;
  readonly feeds: readonly MadeFeed[];
  readonly extractBytes: number;
}

/** The areas of a nation of about this many blocks, 3,000 or more. */
export function areasOf(blocks: number): MadeArea[] {
  return KINDS.flatMap(({ kind, share, ofCounty, most, areas: least }) => {
    const areas = Math.max(least, Math.ceil((share * blocks) / most));
    const each = Math.max(LEAST.blocks, Math.round((share * blocks) / areas));
    const counties = Math.max(LEAST.counties, Math.round(each / ofCounty));
    return Array.from({ length: areas }, (): MadeArea => ({ kind, blocks: each, counties }));
  });
}

/**
 * Serves the map, the census layers and the catalogue of a made nation: 200 feeds, those of its
 * areas and lines of three stops, of which 20 are twins of others and 30 defective in twelve ways.
 */
export async function serveNation(
  blocks: number,
  mirror: Mirror,
  folder: string,
): Promise<ServedNation> {
  await mkdir(folder, { recursive: true });
  const nation = makeNation(areasOf(blocks), STATE, SEED);
  await putCensus(nation, mirror, folder);
  await putMap({ ...nation.osm, timestamp: DRAWN }, mirror, folder);
  const ofAreas: MadeFeed[] = [];
  for (const [n, tables] of nation.feeds.entries()) {
    const zip = path.join(folder, 'feed.zip');
    await writeGtfs(zip, tables());
    const entry = {
      id: `mdb-${100 + n}`,
      provider: `Transit ${n + 1}`,
      'urls.latest': `${mirror.url}/mdb-${100 + n}/latest.zip`,
      ...serviceArea(nation.osm.box),
    };
    ofAreas.push({ entry, archive: await readFile(zip), faults: [], reason: null, isLost: false });
  }
  const boxes = nation.counties.map(({ box }) => box);
  const others = { ...FEEDS, feeds: FEEDS.feeds - ofAreas.length };
  const feeds = [...ofAreas, ...(await manyFeeds(others, boxes, mirror.url))];
  putFeeds(mirror, feeds);
  mirror.put(PATHS.catalogue, catalogueFile(feeds.map(({ entry }) => entry)));
  await rm(folder, { recursive: true });
  const extractBytes = mirror.served(PATHS.osm).bytes.length;
  return { counties: nation.counties.length, feeds, extractBytes };
}
