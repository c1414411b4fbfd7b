import { ordinalIn, rankIn } from '../../shards/arrays/sorted.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { Weight } from '../../shards/weights/weight.ts';
import type { WeightColumn } from '../../shards/weights/weight-table.ts';
import { BuildError } from '../errors.ts';
import type { CountedArea, WeightFacts, WeightFile } from './weight-file.ts';

export interface CountedCounty {
  /** GEOIDs, ascending. */
  readonly geoids: Float64Array;
  /** Populations in the order of `geoids`; 0 where unknown. */
  readonly populations: Uint32Array;
}

const BLOCK_DIGITS = 15;
const BLOCKS_PER_TRACT = 10_000;
/** The share of a release's blocks that a weight must cover. */
const LEAST_COVERAGE = 0.9;

/** A weight while its files are read. */
interface Tally {
  readonly facts: WeightFacts;
  readonly sources: Set<string>;
  readonly years: Set<number | null>;
  readonly paths: Set<string>;
  readonly omitsZeros: boolean;
  isModelled: boolean;
  readonly counts: ReadonlyMap<CountyFips, Uint32Array>;
  readonly isCounted: ReadonlyMap<CountyFips, Uint8Array>;
}

/** The weights of some counties, added up from files. */
export class BlockCounts {
  readonly #counties: ReadonlyMap<CountyFips, CountedCounty>;
  readonly #tallies = new Map<string, Tally>();

  constructor(counties: ReadonlyMap<CountyFips, CountedCounty>) {
    this.#counties = counties;
  }

  /**
   * Adds all rows of a file, except those of other counties. Throws a `BuildError` for an unknown
   * area, for a block that a weight counts twice, and for a file without a row for any of the
   * counties.
   */
  async add(file: WeightFile): Promise<void> {
    const tallies = file.weights.map((facts) => this.#tallyOf(facts, file));
    let used = 0;
    for await (const row of file.rows) {
      const county = this.#counties.get(row.area.slice(0, 5));
      if (!county) continue;
      used++;
      addRow(file, row, county, tallies);
    }
    if (used > 0) return;
    throw new BuildError(
      `${file.path}: has no row for ${[...this.#counties.keys()].join(', ')}; is it of another state?`,
    );
  }

  #tallyOf(facts: WeightFacts, { path, omitsZeros }: WeightFile): Tally {
    const { weight, source, year } = facts;
    const tally = this.#tallies.get(weight) ?? this.#newTally(facts, omitsZeros);
    this.#tallies.set(weight, tally);
    tally.sources.add(source);
    tally.years.add(year);
    tally.paths.add(path);
    return tally;
  }

  #newTally(facts: WeightFacts, omitsZeros: boolean): Tally {
    const perBlock = <T>(make: (blocks: number) => T) =>
      new Map([...this.#counties].map(([fips, { geoids }]) => [fips, make(geoids.length)]));
    return {
      facts,
      omitsZeros,
      sources: new Set(),
      years: new Set(),
      paths: new Set(),
      isModelled: false,
      counts: perBlock((blocks) => new Uint32Array(blocks)),
      isCounted: perBlock((blocks) => new Uint8Array(blocks)),
    };
  }

  /**
   * Throws a `BuildError` for a weight that covers fewer blocks than `LEAST_COVERAGE`. In files
   * that omit blocks without a count, one row covers its whole tract.
   */
  requireCoverage(): void {
    for (const { facts, isCounted, omitsZeros, paths } of this.#tallies.values()) {
      let [covered, blocks] = [0, 0];
      for (const [fips, counted] of isCounted) {
        const { geoids } = this.#counties.get(fips)!;
        blocks += geoids.length;
        covered += omitsZeros ? inCountedTracts(geoids, counted) : sum(counted);
      }
      if (covered >= LEAST_COVERAGE * blocks) continue;
      const percent = (100 * covered) / blocks;
      throw new BuildError(
        `${[...paths].join(', ')}: ${facts.weight} covers ${covered} of ${blocks} blocks (${percent.toFixed(1)} %), less than ${100 * LEAST_COVERAGE} %; add the missing rows, or --partial-weights if the others have none`,
      );
    }
  }

  /** The weights, in an order that does not depend on that of the files. */
  get weights(): Weight[] {
    return this.#ordered().map(({ facts, sources, years, isModelled, counts }) => ({
      ...facts,
      source: [...sources].sort().join(', '),
      year: years.size === 1 ? [...years][0] : null,
      modelled: isModelled,
      total: [...counts.values()].reduce((total, column) => total + sum(column), 0),
    }));
  }

  /** The columns of a county, in the order of `weights`. */
  columnsOf(county: CountyFips): WeightColumn[] {
    return this.#ordered().map(({ facts: { weight }, counts }) => ({
      weight,
      counts: counts.get(county)!,
    }));
  }

  #ordered(): Tally[] {
    const names = [...this.#tallies.keys()].sort();
    return names.map((name) => this.#tallies.get(name)!);
  }
}

function addRow(
  { path, weights }: WeightFile,
  { area, counts, row }: CountedArea,
  { geoids, populations }: CountedCounty,
  tallies: readonly Tally[],
): void {
  const fips = area.slice(0, 5);
  const [first, end] = blocksIn(area, geoids);
  if (first === end) {
    throw new BuildError(
      `${path}: ${row}: ${area} is not in the census blocks of county ${fips}; use data of the same census (2020)`,
    );
  }
  const isArea = area.length < BLOCK_DIGITS;
  for (const [i, tally] of tallies.entries()) {
    const [column, isCounted] = [tally.counts.get(fips)!, tally.isCounted.get(fips)!];
    const twice = isCounted.subarray(first, end).indexOf(1);
    if (twice !== -1) {
      throw new BuildError(
        `${path}: ${row}: ${weights[i].weight} of block ${geoidFromNumber(geoids[first + twice])} is counted twice; remove one of the rows or files`,
      );
    }
    isCounted.fill(1, first, end);
    if (isArea) {
      tally.isModelled = true;
      column.set(spread(counts[i], populations.subarray(first, end)), first);
    } else column[first] = counts[i];
  }
}

/** Returns the blocks of an area as a half-open range of ordinals; empty if there are none. */
function blocksIn(area: string, geoids: Float64Array): [first: number, end: number] {
  if (area.length === BLOCK_DIGITS) {
    const block = ordinalIn(geoids, Number(area));
    return block === -1 ? [0, 0] : [block, block + 1];
  }
  const scale = 10 ** (BLOCK_DIGITS - area.length);
  return [rankIn(geoids, Number(area) * scale), rankIn(geoids, (Number(area) + 1) * scale)];
}

/** Number of blocks in tracts with at least one counted block. */
function inCountedTracts(geoids: Float64Array, isCounted: Uint8Array): number {
  let covered = 0;
  for (let first = 0; first < geoids.length; ) {
    const tract = Math.floor(geoids[first] / BLOCKS_PER_TRACT);
    const end = rankIn(geoids, (tract + 1) * BLOCKS_PER_TRACT);
    if (isCounted.subarray(first, end).includes(1)) covered += end - first;
    first = end;
  }
  return covered;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/**
 * Spreads a count over blocks in proportion to their populations, or evenly if all of these are 0.
 * Returns whole numbers that add up to the count, by the method of largest remainders (Hamilton);
 * ties go to the first blocks.
 */
export function spread(count: number, populations: Uint32Array): Uint32Array {
  const people = populations.reduce((sum, population) => sum + population, 0);
  const shares = people === 0 ? populations.map(() => 1) : populations;
  const all = people === 0 ? populations.length : people;
  const spreadCounts = new Uint32Array(shares.length);
  const remainders = new Float64Array(shares.length);
  let left = count;
  for (let i = 0; i < shares.length; i++) {
    // The product is exact, since it is below 2³² × 2²¹.
    const product = count * shares[i];
    remainders[i] = product % all;
    spreadCounts[i] = (product - remainders[i]) / all;
    left -= spreadCounts[i];
  }
  const byRemainder = Array.from(shares.keys()).sort(
    (a, b) => remainders[b] - remainders[a] || a - b,
  );
  for (const i of byRemainder.slice(0, left)) spreadCounts[i]++;
  return spreadCounts;
}
