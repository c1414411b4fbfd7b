import { ordinalIn, ordinalsOf, rankIn } from '../../../shards/arrays/sorted.ts';
import {
  BLOCKS_PER_BLOCK_GROUP,
  countyOfBlock,
  countyRanges,
  type GeoidNumber,
  geoidFromNumber,
} from '../../../shards/geoid.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyBlock, CountyFips } from '../../../shards/units.ts';
import { hasMargin, marginOf, type SummedBlocks } from '../../../shards/weights/margin.ts';
import { Problem } from '../../http/problem.ts';
import type { SearchedArea } from '../searched-area.ts';
import { allBlocksIn, type CountyBlocks } from './drawn-blocks.ts';
import { blocksOfPlace, locatePlace } from './places.ts';

export type Area =
  | { readonly kind: 'drawn'; readonly drawn: SearchedArea }
  | { readonly kind: 'places'; readonly geoids: readonly string[] }
  | { readonly kind: 'counties'; readonly fips: readonly CountyFips[] }
  | { readonly kind: 'blocks' /** Ascending. */; readonly geoids: Float64Array };

/**
 * The blocks of an area, county by county, each block once. Throws `place-not-found`,
 * `county-not-found` or `block-not-found` for what the release lacks.
 */
export async function blocksOfArea(release: Release, area: Area): Promise<CountyBlocks[]> {
  switch (area.kind) {
    case 'drawn':
      return blocksDrawn(release, area.drawn);
    case 'places':
      return blocksOfPlaces(release, area.geoids);
    case 'counties':
      return blocksOfCounties(release, area.fips);
    case 'blocks':
      return blocksNamed(release, area.geoids);
  }
}

/**
 * `blocksOfArea` for sums over an area, and for what is within reach of it. Throws
 * `point-not-covered` for an area without a block, whose rows would be zeros that are paid for.
 */
export async function someBlocksOfArea(release: Release, area: Area): Promise<CountyBlocks[]> {
  const parts = await blocksOfArea(release, area);
  requireBlocks(parts);
  return parts;
}

/** Throws `point-not-covered` if an area has no block in any county. */
export function requireBlocks(counties: readonly unknown[]): void {
  if (counties.length > 0) return;
  const detail = 'no block of this release has its centre in the area';
  throw new Problem('point-not-covered', detail);
}

export function findCounty(release: Release, fips: CountyFips): CountyManifest {
  const county = release.county(fips);
  if (county) return county;
  throw new Problem('county-not-found', `this release has no county ${fips}`, { fips });
}

/** Reads all blocks of several counties; reads nothing if the release lacks one of the counties. */
function blocksOfCounties(release: Release, fips: readonly CountyFips[]): Promise<CountyBlocks[]> {
  const counties = fips.map((one) => findCounty(release, one));
  return Promise.all(counties.map((county) => blocksOfCounty(release, county)));
}

async function blocksOfCounty(release: Release, county: CountyManifest): Promise<CountyBlocks> {
  const index = await release.index(county);
  const ordinals = new Uint32Array(index.count);
  for (let i = 0; i < ordinals.length; i++) ordinals[i] = i;
  return { county, index, ordinals };
}

async function blocksDrawn(release: Release, drawn: SearchedArea): Promise<CountyBlocks[]> {
  const all: CountyBlocks[] = [];
  for await (const part of allBlocksIn(release, drawn)) {
    if (part.ordinals.length > 0) all.push(part);
  }
  return all;
}

/** The blocks of several census places, which may share counties but no blocks. */
async function blocksOfPlaces(
  release: Release,
  geoids: readonly string[],
): Promise<CountyBlocks[]> {
  const located = await Promise.all(geoids.map((geoid) => locatePlace(release, geoid)));
  const byCounty = new Map<CountyManifest, CountyBlocks>();
  for (const place of located) {
    for await (const part of blocksOfPlace(release, place, 0, Number.POSITIVE_INFINITY)) {
      const before = byCounty.get(part.county)?.ordinals;
      const ordinals = before ? together(before, part.ordinals) : part.ordinals;
      byCounty.set(part.county, { ...part, ordinals });
      await release.turns.yieldIfOverdue();
    }
  }
  return [...byCounty.values()].sort((a, b) => a.index.geoids[0] - b.index.geoids[0]);
}

/** Merges two disjoint lists of ordinals; sorted ascending. */
function together(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both.sort();
}

/**
 * Finds blocks by `geoids`, sorted ascending; throws `block-not-found` if the release lacks one.
 */
async function blocksNamed(release: Release, geoids: Float64Array): Promise<CountyBlocks[]> {
  const { parts, lacking } = await knownBlocks(release, geoids);
  if (lacking.length > 0) throw noSuchBlock(lacking[0]);
  return parts;
}

/** Finds the blocks of a release among `geoids`, sorted ascending, and those that it lacks. */
export async function knownBlocks(
  release: Release,
  geoids: Float64Array,
): Promise<{ parts: CountyBlocks[]; lacking: GeoidNumber[] }> {
  const parts: CountyBlocks[] = [];
  const lacking: GeoidNumber[] = [];
  for (const { fips, first, end } of countyRanges(geoids)) {
    const own = geoids.subarray(first, end);
    const county = release.county(fips);
    const index = county && (await release.index(county));
    const ordinals = index ? ordinalsOf(index.geoids, own) : new Uint32Array();
    if (county && index && ordinals.length > 0) parts.push({ county, index, ordinals });
    if (ordinals.length === own.length) continue;
    for (const one of own) if (!index || ordinalIn(index.geoids, one) === -1) lacking.push(one);
  }
  return { parts, lacking };
}

export function noSuchBlock(number: GeoidNumber): Problem {
  const geoid = geoidFromNumber(number);
  return new Problem('block-not-found', `there is no census block ${geoid}`, { geoid });
}

export function countiesOf(parts: readonly CountyBlocks[]): CountyFips[] {
  return parts.map(({ index, ordinals: [first] }) => countyOfBlock(index.geoids[first]));
}

/** Builds the `area` of a response, with the margins of the weights that it sums. */
export async function areaFactsOf(
  release: Release,
  parts: readonly CountyBlocks[],
  weights: readonly string[],
) {
  return { ...sizeOf(parts), margin: await marginsOf(release, parts, weights) };
}

export function sizeOf(parts: readonly CountyBlocks[]) {
  let [blocks, land_area_m2] = [0, 0];
  for (const { index, ordinals } of parts) {
    blocks += ordinals.length;
    land_area_m2 += index.landAreaOf(ordinals);
  }
  return { blocks, land_area_m2 };
}

/** The weights whose sums have a margin, which the manifest decides, not the stored counts. */
export function noisyAmong(release: Release, weights: readonly string[]): string[] {
  return weights.filter((name) => {
    const weight = release.weight(name);
    return weight !== undefined && hasMargin(weight);
  });
}

export async function marginsOf(
  release: Release,
  parts: Iterable<Pick<CountyBlocks, 'index' | 'ordinals'>>,
  weights: readonly string[],
): Promise<Record<string, number | null>> {
  const summed = await summedBlocks(release, parts);
  const margins = weights.map((name) => [name, marginOf(release.weight(name)!, summed)]);
  return Object.fromEntries(margins);
}

/** Counts the blocks with people of an area, and those of the block groups that they are in. */
async function summedBlocks(
  { turns }: Release,
  parts: Iterable<Pick<CountyBlocks, 'index' | 'ordinals'>>,
): Promise<SummedBlocks> {
  let [blocks, ofBlockGroups, blockGroups] = [0, 0, 0];
  for (const { index, ordinals } of parts) {
    const isPeopled = (block: CountyBlock) => (index.population(block) ?? 0) > 0;
    let next = 0;
    for (const block of ordinals) {
      if (!isPeopled(block)) continue;
      blocks++;
      if (block < next) continue;
      blockGroups++;
      const group = Math.floor(index.geoids[block] / BLOCKS_PER_BLOCK_GROUP);
      next = rankIn(index.geoids, (group + 1) * BLOCKS_PER_BLOCK_GROUP);
      for (let i = rankIn(index.geoids, group * BLOCKS_PER_BLOCK_GROUP); i < next; i++) {
        if (isPeopled(i)) ofBlockGroups++;
      }
    }
    await turns.yieldIfOverdue();
  }
  return { blocks, ofBlockGroups, blockGroups };
}
