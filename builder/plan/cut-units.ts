import type { Bytes, CountyFips } from '../../shards/units.ts';
import { type CountyEstimate, connectedParts } from './county-estimate.ts';

/** The default maximum number of blocks per unit, which fit in about 4 GB. */
export const DEFAULT_UNIT_BLOCKS = 100_000;
const BLOCK_BYTES: Bytes = 4e9 / DEFAULT_UNIT_BLOCKS;

export function bytesOfUnit(blocks: number): Bytes {
  return blocks * BLOCK_BYTES;
}

export function blocksOf(
  counties: Readonly<Record<CountyFips, CountyEstimate>>,
  group: readonly CountyFips[],
): number {
  return sumOf(group, (county) => counties[county].blocks);
}

/**
 * Divides counties into units of work. Each unit is connected and has at most `maxBlocks` blocks,
 * or is a single county. Units are balanced by pairs of blocks to search, since density determines
 * the time. A group with too many blocks is repeatedly cut across its longer side, in proportion to
 * the number of units on either side. Units come in the order of their first counties, and the
 * counties of a unit ascend.
 */
export function cutUnits(
  counties: Readonly<Record<CountyFips, CountyEstimate>>,
  maxBlocks: number,
): CountyFips[][] {
  const units: CountyFips[][] = [];
  const cut = (group: readonly CountyFips[]): void => {
    const blocks = blocksOf(counties, group);
    if (group.length < 2 || blocks <= maxBlocks) units.push([...group].sort());
    else for (const half of halve(counties, group, Math.ceil(blocks / maxBlocks))) cut(half);
  };
  const all = Object.keys(counties).sort();
  for (const part of connectedParts(all, (county) => counties[county].near)) cut(part);
  return units.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Splits a connected group into two connected groups that are to become `units` units in all. */
function halve(
  counties: Readonly<Record<CountyFips, CountyEstimate>>,
  group: readonly CountyFips[],
  units: number,
): [CountyFips[], CountyFips[]] {
  const along = lineAcross(group.map((county) => counties[county]));
  const inOrder = [...group].sort(
    (a, b) => along(counties[a]) - along(counties[b]) || (a < b ? -1 : 1),
  );
  // A county without a neighbour in reach still takes some time.
  const weight = (county: CountyFips) => counties[county].pairs + counties[county].blocks;
  const wanted = (sumOf(group, weight) * Math.floor(units / 2)) / units;
  let [count, taken] = [0, 0];
  while (count < group.length - 1) {
    const next = taken + weight(inOrder[count]);
    // The county that the line passes through goes to the side with the larger part of it.
    if (count > 0 && next - wanted > wanted - taken) break;
    taken = next;
    count++;
  }
  return connectSides(counties, inOrder.slice(0, count), inOrder.slice(count));
}

function connectSides(
  counties: Readonly<Record<CountyFips, CountyEstimate>>,
  one: readonly CountyFips[],
  other: readonly CountyFips[],
): [CountyFips[], CountyFips[]] {
  const near = (county: CountyFips) => counties[county].near;
  const [first, ...strayOfOne] = largestFirst(connectedParts(one, near));
  const [second, ...strayOfOther] = largestFirst(
    connectedParts([...other, ...strayOfOne.flat()], near),
  );
  return [[...first, ...strayOfOther.flat()], second];
}

function largestFirst(parts: CountyFips[][]): CountyFips[][] {
  return parts.sort((a, b) => b.length - a.length);
}

function lineAcross(counties: readonly CountyEstimate[]): (county: CountyEstimate) => number {
  const lons = counties.map(({ lon }) => lon);
  const lats = counties.map(({ lat }) => lat);
  const [south, north] = [Math.min(...lats), Math.max(...lats)];
  const wide =
    (Math.max(...lons) - Math.min(...lons)) * Math.cos((((south + north) / 2) * Math.PI) / 180);
  return wide > north - south ? ({ lon }) => lon : ({ lat }) => lat;
}

function sumOf(group: readonly CountyFips[], of: (county: CountyFips) => number): number {
  return group.reduce((sum, county) => sum + of(county), 0);
}
