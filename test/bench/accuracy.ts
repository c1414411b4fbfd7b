import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { PLAIN_GRID, PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { walksOfBoth } from '../search/walks-of-both.ts';
import { plainGridBlock, plainGridWalk } from '../support/plain-grid-oracle.ts';
import { releaseIn } from '../support/release-in.ts';
import { buildSmallCity } from '../transit/built-city.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { type CityWithStops, randomCity } from '../transit/random-city.ts';
import { randomTimetable, SERVICE_DATE } from '../transit/random-timetable.ts';
import { walkingTimes } from '../transit/small-city.ts';
import { transitTimes, type Walks } from '../transit/time-expanded.ts';
import { figure } from './figure.ts';
import type { BenchInputs } from './inputs.ts';

const MINUTE_MS = 60_000;
/** Seeds of the random cities and timetables. */
const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);

/** Measures how times deviate from independent computations; `README.md` states the figures. */
export async function benchAccuracy(inputs: BenchInputs): Promise<void> {
  await onPlainGrid();
  await onTimetables();
  await againstSecondEngine(inputs);
}

/** Compares walks in a grid of straight streets with results worked out by hand. */
async function onPlainGrid(): Promise<void> {
  const city = { blocks: 500, seed: 1 };
  await inFolder(async (folder) => {
    const plan = planCity(city);
    const files = await writeDemoCity({ ...city, out: folder }, silent);
    const store = new FolderStore(path.join(folder, 'store'));
    const request = { osm: [files.osm], blocks: files.blocks, counties: ['99001'] };
    await buildRelease({ ...request, release: 'grid', tiles: false }, store, silent);
    const release = await releaseIn(store);
    const county = release.manifest.counties['99001'];
    const index = await release.index(county);
    const pois = await release.pois(county);
    const targets = Array.from(pois.matrix.targets.keys());
    const differences: number[] = [];
    for (let cell = 0; cell < PLAIN_GRID.side ** 2; cell++) {
      const column = cell % PLAIN_GRID.side;
      const row = Math.floor(cell / PLAIN_GRID.side);
      const ordinal = index.ordinalOf(plainGridBlock(plan, column, row).geoid);
      const [walk] = await pois.matrix.row(ordinal);
      for (const place of PLAIN_GRID_PLACES) {
        const target = targets.find((t) => pois.table.facts(t).name === place.name)!;
        const time = walk.times[walk.targets.indexOf(target)] / 10;
        differences.push(Math.abs(time - plainGridWalk({ column, row }, place)));
      }
    }
    await store.close();
    const pairs = differences.length;
    figure('accuracy.grid.largest_difference', Math.max(...differences), 'min', { pairs });
  });
}

/** Compares transit trips in random cities with a plain search over every event. */
async function onTimetables(): Promise<void> {
  const count = { pairs: 0, faster_than_walking: 0, as_the_plain_search: 0 };
  for (const seed of SEEDS) {
    await inFolder(async (folder) => {
      const city = randomCity(seed);
      const { feeds, runs, rules, inSeat } = randomTimetable(seed, city.stops);
      const files = [
        await writeFeed(path.join(folder, 'one.zip'), feeds[0], {}),
        await writeFeed(path.join(folder, 'two.zip'), feeds[1], {}),
      ];
      const built = await buildSmallCity(folder, city, files, { serviceDate: SERVICE_DATE });
      const reach = await built.reach();
      await built.close();
      const walks = walksOf(city);
      const plain = transitTimes(runs, rules, walks, inSeat);
      city.blocks.forEach((_, from) => {
        city.blocks.forEach((_, to) => {
          if (from === to) return;
          const [found, wanted] = [reach[from].get(to) ?? null, wholeMinutes(plain[from][to])];
          count.pairs++;
          if (found === wanted) count.as_the_plain_search++;
          if (plain[from][to] < walks.direct[from][to] - MINUTE_MS) count.faster_than_walking++;
        });
      });
    });
  }
  const { as_the_plain_search, ...about } = count;
  const share = (100 * as_the_plain_search) / count.pairs;
  figure('accuracy.transit.same_minute', share, '%', { cities: SEEDS.length, ...about });
}

function wholeMinutes(time: number): number | null {
  const minutes = Math.max(1, Math.ceil(time / MINUTE_MS));
  return minutes <= 60 ? minutes : null;
}

/** The walks of a city as found by a plain router. */
function walksOf(city: CityWithStops): Walks {
  const times = walkingTimes(city, [...city.blocks, ...city.stops]);
  const firstStop = city.blocks.length;
  const [fromBlocks, fromStops] = [times.slice(0, firstStop), times.slice(firstStop)];
  return {
    access: fromBlocks.map((row) => row.slice(firstStop)),
    between: fromStops.map((row) => row.slice(firstStop)),
    egress: fromStops.map((row) => row.slice(0, firstStop)),
    direct: fromBlocks.map((row) => row.slice(0, firstStop)),
  };
}

/** Compares half-hour walks in Baltimore with an engine that shares no code with the builder. */
async function againstSecondEngine({ osm, blocks: files, counties }: BenchInputs): Promise<void> {
  const { walks, origins } = await walksOfBoth(osm, files, counties[0]);
  const both = walks.filter(({ ours, theirs }) => Number.isFinite(ours) && Number.isFinite(theirs));
  const deviations = both.map(({ ours, theirs }) => ours / theirs - 1);
  const onlyOne = walks.length - both.length;
  const sizes = Float64Array.from(deviations, Math.abs).sort();
  const at = (share: number) => 100 * sizes[Math.floor(share * (sizes.length - 1))];
  const about = { place: 'Baltimore', pairs: sizes.length, origins };
  const mean = deviations.reduce((sum, deviation) => sum + deviation, 0) / deviations.length;
  const within = sizes.filter((size) => size <= 0.05).length;
  figure('accuracy.walk.mean_deviation', 100 * mean, '%', about);
  figure('accuracy.walk.median_deviation', at(0.5), '%', about);
  figure('accuracy.walk.p95_deviation', at(0.95), '%', about);
  figure('accuracy.walk.p99_deviation', at(0.99), '%', about);
  figure('accuracy.walk.within_5_percent', (100 * within) / (sizes.length + onlyOne), '%', about);
  figure('accuracy.walk.reached_by_one_only', onlyOne, 'pairs', about);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-accuracy-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
