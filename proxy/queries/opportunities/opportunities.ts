import type { Matrix } from '../../../shards/matrix/matrix.ts';
import {
  MAX_POI_MINUTES,
  MINUTES,
  type ModeRow,
  TENTHS,
} from '../../../shards/matrix/row-codec.ts';
import type { CountyManifest, Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { sized } from '../../../shards/release/release-cache.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { DestTypeId, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { countsByTarget } from '../../../shards/weights/counts-by-target.ts';
import { invalidParameter, invalidParameters } from '../../http/problem.ts';
import { typeFault } from '../modes-and-types.ts';
import type { BlockOrigin, OriginBlock } from '../origins/origin-block.ts';
import type { Decay } from './decay.ts';

/** Something to count: a weight of the blocks within reach, or the POIs of some types. */
export interface Opportunity {
  /** `jobs`, or `type:101`, whether requested by id or label. */
  readonly of: string;
  /** Leaf types; null for a weight. */
  readonly types: readonly DestTypeId[] | null;
}

const OF_TYPE = /^type:(?:(\d+)|(\w+))$/;

/**
 * Returns the requested opportunities, sorted by name; throws for a weight or type that the release
 * lacks.
 */
export function requestedOpportunities(
  release: Release,
  asked: readonly string[],
  direction: Direction,
  part: 'query' | 'body' = 'query',
): Opportunity[] {
  const known = release.weights.map(({ weight }) => weight);
  const fault = (msg: string, type: string) => invalidParameter([part, 'of'], msg, type);
  const spelled = asked.map((of) => {
    const [, id, label] = OF_TYPE.exec(of) ?? [];
    const name = label ?? (id && Number(id));
    if (name === undefined) return { of, type: undefined };
    const faults = typeFault(release, name, [part, 'of']);
    if (faults.length > 0) throw invalidParameters(faults);
    const type = release.taxonomy.idOf(name)!;
    return { of: `type:${type}`, type };
  });
  const typeOf = new Map(spelled.map(({ of, type }) => [of, type]));
  return [...typeOf.keys()].sort().map((of) => {
    const type = typeOf.get(of);
    if (type === undefined) {
      if (known.includes(of)) return { of, types: null };
      const all = known.join(', ');
      throw fault(
        `release ${release.version} has no weight ${of}; it has ${all}`,
        'unknown_weight',
      );
    }
    if (direction === 'to') {
      throw fault(`${of} has no direction to: POIs are counted from a block`, 'conflict');
    }
    return { of, types: release.taxonomy.expand([type]) };
  });
}

/** Throws for minutes beyond those up to which POIs are known, if POIs are to be counted. */
export function checkPoiMinutes(
  opportunities: readonly Opportunity[],
  minutes: readonly Minutes[],
  loc: readonly string[],
): void {
  const pois = opportunities.find(({ types }) => types !== null);
  if (!pois || minutes.every((level) => level <= MAX_POI_MINUTES)) return;
  throw invalidParameter(
    [...loc],
    `${pois.of} is known up to ${MAX_POI_MINUTES} minutes`,
    'out_of_range',
  );
}

/**
 * Returns the objects that the opportunities of an origin depend on, apart from those that locate
 * it.
 */
export function opportunityObjects(
  release: Release,
  { counties }: BlockOrigin,
  opportunities: readonly Opportunity[],
  direction: Direction,
): ObjectRef[] {
  const weights = opportunities.filter(({ types }) => types === null);
  const hasPois = weights.length < opportunities.length;
  return counties.flatMap((county) => [
    ...(hasPois ? [county.objects.pois] : []),
    ...(weights.length > 0 ? [release.reachObject(county, direction)] : []),
    // The index states the populations of blocks, and which blocks the counts of a weight are for.
    ...(weights.length > 0
      ? reached(release, county, direction).flatMap((one) => [
          one.objects.index,
          ...weights.map(({ of }) => release.weightObject(one, of)),
        ])
      : []),
  ]);
}

function reached(
  release: Release,
  { reach }: CountyManifest,
  direction: Direction,
): CountyManifest[] {
  return reach[direction].flatMap((fips) => release.county(fips) ?? []);
}

export class CountsByTime {
  readonly #counts: Float64Array;
  readonly #perMinute: number;

  /** `counts` are indexed by time, in units of 1 / `perMinute` minutes. */
  constructor(counts: Float64Array, perMinute: number) {
    this.#counts = counts;
    this.#perMinute = perMinute;
  }

  /** Returns how many opportunities there are within each of the time limits, which ascend. */
  within(limits: readonly Minutes[]): number[] {
    let [sum, time] = [0, 0];
    return limits.map((limit) => {
      const end = Math.min(this.#counts.length, limit * this.#perMinute + 1);
      for (; time < end; time++) sum += this.#counts[time];
      return sum;
    });
  }

  /**
   * Returns the sum of all opportunities, each weighted by the decay at its time, to three
   * decimals.
   */
  decayed(decay: Decay): number {
    let sum = 0;
    for (let time = 0; time < this.#counts.length; time++) {
      if (this.#counts[time] > 0) sum += this.#counts[time] * decay(time / this.#perMinute);
    }
    return Math.round(sum * 1_000) / 1_000;
  }
}

/**
 * Counts the opportunities of a block, by mode, then in the order of `opportunities`. Blocks
 * outside the release have no counts. Takes at most one range read for all weights and one for all
 * POIs, once the heads and the weights are cached.
 */
export async function countOpportunities(
  block: OriginBlock,
  modes: readonly ReleaseMode[],
  opportunities: readonly Opportunity[],
  direction: Direction,
): Promise<CountsByTime[][]> {
  const byOpportunity = await Promise.all([
    countWeights(block, modes, opportunities, direction),
    countPois(block, modes, opportunities),
  ]);
  const [weights, pois] = byOpportunity;
  return modes.map((_, m) =>
    opportunities.map(({ of, types }) => (types === null ? weights : pois).get(of)![m]),
  );
}

type CountsByMode = Map<string, CountsByTime[]>;

async function countWeights(
  { release, county, ordinal }: OriginBlock,
  modes: readonly ReleaseMode[],
  opportunities: readonly Opportunity[],
  direction: Direction,
): Promise<CountsByMode> {
  const found: CountsByMode = new Map();
  const weights = opportunities.filter(({ types }) => types === null);
  if (weights.length === 0) return found;
  const matrix = await release.reach(county, direction);
  const columns: Uint32Array[] = [];
  for (const { of } of weights) {
    columns.push(await weightByTarget(release, matrix, county, direction, of));
  }
  const row = await matrix.encodedRow(ordinal);
  for (const { of } of weights) found.set(of, []);
  for (const mode of modes) {
    const reachedBy = row.mode(mode);
    weights.forEach(({ of }, w) => {
      found.get(of)!.push(new CountsByTime(weighed(reachedBy, columns[w]), 1));
    });
    await release.turns.yieldIfOverdue();
  }
  return found;
}

function weighed({ targets, times }: ModeRow, column: Uint32Array): Float64Array {
  const counts = new Float64Array(MINUTES.most + 1);
  for (let i = 0; i < targets.length; i++) counts[times[i]] += column[targets[i]];
  return counts;
}

/**
 * Returns a weight by the targets of a county's reach; computed once for the counties involved,
 * then cached.
 */
function weightByTarget(
  release: Release,
  matrix: Matrix,
  county: CountyManifest,
  direction: Direction,
  weight: string,
): Promise<Uint32Array> {
  const sources = reached(release, county, direction).flatMap((one) => [
    one.objects.index.sha256,
    release.weightObject(one, weight).sha256,
  ]);
  return release.cachedFrom(matrix.ref, `${weight} of ${sources.join(' ')}`, async () => {
    const [value] = await countsByTarget(matrix.targets, 1, async (fips) => {
      const of = release.county(fips);
      if (!of) return null;
      const { geoids } = await release.index(of);
      return { geoids, columns: [await release.weightCounts(of, weight)] };
    });
    return sized(value);
  });
}

async function countPois(
  { release, county, ordinal }: OriginBlock,
  modes: readonly ReleaseMode[],
  opportunities: readonly Opportunity[],
): Promise<CountsByMode> {
  const found: CountsByMode = new Map();
  if (opportunities.every(({ types }) => types === null)) return found;
  const { matrix, table } = await release.pois(county);
  const row = await matrix.encodedRow(ordinal);
  for (const { of, types } of opportunities) {
    if (types === null) continue;
    const wanted = table.ofTypes(types);
    const byMode: CountsByTime[] = [];
    for (const mode of modes) {
      const { targets, times } = row.mode(mode);
      const counts = new Float64Array(TENTHS.most + 1);
      for (let i = 0; i < targets.length; i++) if (wanted.has(targets[i])) counts[times[i]]++;
      byMode.push(new CountsByTime(counts, 10));
    }
    found.set(of, byMode);
    await release.turns.yieldIfOverdue();
  }
  return found;
}
