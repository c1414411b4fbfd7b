import { groupBy } from '../../../shards/arrays/group-by.ts';
import {
  ComparedCounty,
  type ReleasePair,
  union,
} from '../../../shards/changes/compared-county.ts';
import { countyOfBlock } from '../../../shards/geoid.ts';
import type { Release } from '../../../shards/release/release.ts';
import { type Area, blocksOfArea, findCounty, knownBlocks, noSuchBlock } from '../areas/area.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { locatePlace, placeOf } from '../areas/places.ts';

/**
 * Opens the blocks that an area has in either of two releases, county by county, ascending. Throws
 * `place-not-found`, `county-not-found` or `block-not-found` for what both releases lack.
 */
export async function areaOfBoth(pair: ReleasePair, area: Area): Promise<ComparedCounty[]> {
  const parts = await partsIn(pair, area);
  const byCounty = groupBy(parts, ({ index }) => countyOfBlock(index.geoids[0]));
  const opened: ComparedCounty[] = [];
  for (const [fips, own] of [...byCounty].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const lists = own.map(({ index, ordinals }) =>
      Float64Array.from(ordinals, (i) => index.geoids[i]),
    );
    opened.push(await ComparedCounty.open(pair, fips, union(lists)));
    await pair.after.turns.yieldIfOverdue();
  }
  return opened;
}

/** The blocks of an area in each of the releases, with at least one block in each part. */
async function partsIn({ before, after }: ReleasePair, area: Area): Promise<CountyBlocks[]> {
  const releases = [before, after];
  const parts: CountyBlocks[] = [];
  if (area.kind === 'blocks') {
    const found = await Promise.all(releases.map((one) => knownBlocks(one, area.geoids)));
    const lacking = found[0].lacking.find((geoid) => found[1].lacking.includes(geoid));
    if (lacking !== undefined) throw noSuchBlock(lacking);
    for (const { parts: own } of found) parts.push(...own);
  } else {
    for (const release of releases) {
      const own = await knownPart(release, area);
      if (own !== null) parts.push(...(await blocksOfArea(release, own)));
    }
    await requireInEither({ before, after }, area);
  }
  return parts.filter(({ ordinals }) => ordinals.length > 0);
}

/** The part of an area that is named by what a release has; null if there is none. */
async function knownPart(release: Release, area: Area): Promise<Area | null> {
  if (area.kind === 'places') {
    const geoids: string[] = [];
    for (const geoid of area.geoids) if (await placeOf(release, geoid)) geoids.push(geoid);
    return geoids.length === 0 ? null : { kind: 'places', geoids };
  }
  if (area.kind === 'counties') {
    const fips = area.fips.filter((one) => release.county(one));
    return fips.length === 0 ? null : { kind: 'counties', fips };
  }
  return area;
}

async function requireInEither({ before, after }: ReleasePair, area: Area): Promise<void> {
  if (area.kind === 'places') {
    for (const geoid of area.geoids) {
      if (!(await placeOf(before, geoid))) await locatePlace(after, geoid);
    }
  }
  if (area.kind === 'counties') {
    for (const fips of area.fips) if (!before.county(fips)) findCounty(after, fips);
  }
}
