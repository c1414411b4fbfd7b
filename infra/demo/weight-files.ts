import { gzipSync } from 'node:zlib';
import { writeFileWhole } from '../../builder/inputs/whole-file.ts';
import { writeZip } from '../../builder/inputs/zip-writer.ts';
import { blocksOf, type DemoBlock } from './census-blocks.ts';
import type { DemoCounty } from './census-ids.ts';
import type { CityPlan } from './city-plan.ts';
import { centrality } from './poi-placement.ts';
import { Random } from './seeded-random.ts';

/** LODES by workplace and by residence, and PL 94-171, named as they are published. */
export const WEIGHT_FILES = [
  'zz_wac_S000_JT00_2022.csv.gz',
  'zz_rac_S000_JT00_2022.csv.gz',
  'zz2020.pl.zip',
] as const;

/** Jobs of a block: most of them downtown, none in most blocks outside. */
const JOBS = { downtown: 900, outskirts: 8, chanceOutside: 0.25 };
const WORKERS_PER_PERSON = 0.45;
const ADULTS_PER_PERSON = 0.78;
const STREAM = 0x40b5;

interface BlockCounts {
  readonly geoid: string;
  readonly jobs: ByWage;
  readonly workers: ByWage;
  readonly people: number;
  readonly adults: number;
  readonly hispanic: number;
  readonly whiteNotHispanic: number;
  /**
   * White, Black, American Indian, Asian, Pacific Islander, other, two or more; they add up to all
   * people.
   */
  readonly races: readonly number[];
  readonly housing: number;
  readonly households: number;
}

type ByWage = readonly [low: number, mid: number, high: number];

export async function writeWeightFiles(
  plan: CityPlan,
  counties: readonly DemoCounty[],
  [wac, rac, pl]: readonly string[],
): Promise<void> {
  const counts = counties.flatMap((county) =>
    [...blocksOf(plan, county)].map((block) => countsOf(plan, block)),
  );
  await writeLodes(
    wac,
    'w_geocode',
    counts.map(({ geoid, jobs }) => ({ geoid, byWage: jobs })),
  );
  await writeLodes(
    rac,
    'h_geocode',
    counts.map(({ geoid, workers }) => ({ geoid, byWage: workers })),
  );
  await writePl94171(pl, counts);
}

function countsOf(plan: CityPlan, { geoid, cell, population, housing }: DemoBlock): BlockCounts {
  const random = new Random(plan.seed, STREAM, ...geoid.match(/\d{5}/g)!.map(Number));
  const middle = cell === null ? 0 : centrality(plan, cell);
  const hasJobs = population > 0 && random.chance(Math.max(middle, JOBS.chanceOutside));
  const jobs = hasJobs
    ? Math.round((JOBS.outskirts + JOBS.downtown * middle ** 3) * random.between(0.5, 1.5))
    : 0;
  // The west is poorer, and its groups differ from those of the east.
  const west = cell === null ? 0 : 1 - cell.column / plan.lattice.columns;
  const hispanic = part(population, 0.5 * west * random.between(0.6, 1.4));
  const races = parts(population, [
    0.75 - 0.5 * west,
    0.1 + 0.3 * west,
    0.01,
    0.08,
    0.01,
    0.1 * west,
    0.06,
  ]);
  return {
    geoid,
    jobs: parts(jobs, [0.2, 0.3, 0.5]) as unknown as ByWage,
    workers: parts(part(population, WORKERS_PER_PERSON), [
      0.15 + 0.2 * west,
      0.35,
      0.5 - 0.3 * west,
    ]) as unknown as ByWage,
    people: population,
    adults: part(population, ADULTS_PER_PERSON),
    hispanic,
    whiteNotHispanic: Math.min(races[0], population - hispanic),
    races,
    housing,
    households: part(housing, 0.93),
  };
}

function part(whole: number, share: number): number {
  return Math.min(whole, Math.round(whole * share));
}

/** Divides a whole into parts by their shares; the first takes the rest. */
function parts(whole: number, shares: readonly number[]): number[] {
  const all = shares.reduce((sum, share) => sum + share, 0);
  const found = shares.slice(1).map((share) => Math.floor((whole * share) / all));
  return [whole - found.reduce((sum, count) => sum + count, 0), ...found];
}

/** Writes a table as LODES does: blocks without a job have no row. */
async function writeLodes(
  file: string,
  key: string,
  blocks: readonly { readonly geoid: string; readonly byWage: ByWage }[],
): Promise<void> {
  const lines = blocks.flatMap(({ geoid, byWage }) => {
    const all = byWage[0] + byWage[1] + byWage[2];
    return all === 0 ? [] : [[geoid, all, ...byWage, 20_241_101].join()];
  });
  const text = [`${key},C000,CE01,CE02,CE03,createdate`, ...lines, ''].join('\n');
  await writeFileWhole(file, async function* () {
    yield gzipSync(text);
  });
}

const P1_CELLS = 71;
const P2_CELLS = 73;
const H1_CELLS = 3;

/** Writes the geographic header and two segments; cells that no weight is made from are 0. */
async function writePl94171(file: string, blocks: readonly BlockCounts[]): Promise<void> {
  const lines = { geo: [] as string[], one: [] as string[], two: [] as string[] };
  for (const [i, block] of blocks.entries()) {
    const record = String(i + 1).padStart(7, '0');
    const geo = ['PLST', 'ZZ', '750', '00', '00', '000', '00', record, `7500000US${block.geoid}`];
    lines.geo.push([...geo, block.geoid, ...new Array<string>(87).fill('')].join('|'));
    const segment = (number: string) => ['PLST', 'ZZ', '000', number, record];
    const { people, races, hispanic, whiteNotHispanic, adults, housing, households } = block;
    const oneRace = people - races[6];
    const p1 = cells(P1_CELLS, [people, oneRace, ...races]);
    const p2 = cells(P2_CELLS, [people, hispanic, people - hispanic, 0, whiteNotHispanic]);
    lines.one.push([...segment('01'), ...p1, ...p2].join('|'));
    const h1 = cells(H1_CELLS, [housing, households, housing - households]);
    const [p3, p4] = [cells(P1_CELLS, [adults]), cells(P2_CELLS, [adults])];
    lines.two.push([...segment('02'), ...p3, ...p4, ...h1].join('|'));
  }
  const text = (all: readonly string[]) => Buffer.from(all.map((line) => `${line}\n`).join(''));
  await writeZip(file, [
    { name: 'zzgeo2020.pl', chunks: () => [text(lines.geo)] },
    { name: 'zz000012020.pl', chunks: () => [text(lines.one)] },
    { name: 'zz000022020.pl', chunks: () => [text(lines.two)] },
  ]);
}

function cells(count: number, first: readonly number[]): number[] {
  return [...first, ...new Array<number>(count - first.length).fill(0)];
}
