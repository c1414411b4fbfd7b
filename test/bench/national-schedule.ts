import type { CountyEstimate } from '../../builder/plan/county-estimate.ts';
import { cutUnits, DEFAULT_UNIT_BLOCKS } from '../../builder/plan/cut-units.ts';
import type { CountyFips, Seconds } from '../../shards/units.ts';
import { Dice } from '../transit/dice.ts';
import { figure } from './figure.ts';
import {
  ASSUMED,
  hoursMoving,
  NATION,
  nationalMoved,
  nationalPairs,
  READING,
  unitCosts,
} from './national-estimate.ts';
import { readRecord } from './scale.ts';
import { schedule } from './schedule.ts';

/**
 * Standard deviation of the logarithm of a county's number of blocks. Assumed: half of the counties
 * have 0.55 to 1.8 times the median.
 */
const SPREAD = 0.9;
/** Columns of the grid in which counties are assumed to lie. */
const COLUMNS = 64;
const PITCH_DEGREES = 0.5;
/** Batches of cells of the extracts: cells are divided until each batch has at most 100 MB. */
const BATCHES = Math.ceil((1.5 * ASSUMED.extractMegabytes) / 100);

/** Parts of the join, of up to 200,000 blocks each, taken to be equal. */
const PARTS = Math.ceil(NATION.blocks / 200_000);

/** Hashing and storing the inputs of a plan, in seconds. */
const PLANNED = 300;
/**
 * Threads of a worker for searching, transposing and drawing tiles, and of the planning machine for
 * preparation jobs. All other work takes one thread.
 */
const CORES = 8;
/** Dollars per core and hour: on demand, c7g.large in us-east-1, as in `backends.ts`. */
const CORE_HOUR = 0.0725 / 2;
const WORKERS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const HOUR: Seconds = 3_600;

/**
 * Draws counties of random sizes, since block counts by county are not available. The number of
 * counties and the total of blocks are real. Counties with more blocks have more around each block.
 */
export function simulatedNation(seed: number): Record<CountyFips, CountyEstimate> {
  const dice = new Dice(seed);
  const drawn = Array.from({ length: NATION.counties }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
    return Math.exp(SPREAD * normal);
  });
  const total = drawn.reduce((sum, size) => sum + size, 0);
  const sizes = drawn.map((size) => Math.max(1, Math.round((size / total) * NATION.blocks)));
  // The largest county takes the rounding remainder.
  const largest = sizes.indexOf(Math.max(...sizes));
  sizes[largest] += NATION.blocks - sizes.reduce((sum, size) => sum + size, 0);
  const weights = sizes.map((blocks) => blocks ** 1.5);
  const weight = weights.reduce((sum, one) => sum + one, 0);
  const fips = (i: number) => String(10_001 + i);
  return Object.fromEntries(
    sizes.map((blocks, i) => {
      const [column, row] = [i % COLUMNS, Math.floor(i / COLUMNS)];
      const beside = [column > 0 && i - 1, column < COLUMNS - 1 && i + 1, i - COLUMNS, i + COLUMNS];
      const near = beside.filter((j) => j !== false && j >= 0 && j < NATION.counties) as number[];
      const sketch: CountyEstimate = {
        blocks,
        lon: -120 + column * PITCH_DEGREES,
        lat: 25 + row * PITCH_DEGREES,
        pairs: Math.round((weights[i] / weight) * nationalPairs().blocks),
        near: near.map(fips).sort(),
      };
      return [fips(i), sketch];
    }),
  );
}

/**
 * Prints hours, dollars and bytes of a national release with 1 to 500 workers; simulated, not
 * measured.
 */
export async function benchNationalSchedule(): Promise<void> {
  const costs = unitCosts(await readRecord());
  const pairs = nationalPairs();
  const moved = nationalMoved(costs);
  const moving = (step: keyof typeof moved) => HOUR * hoursMoving(moved[step], costs);
  const counties = simulatedNation(1);
  const units = cutUnits(counties, DEFAULT_UNIT_BLOCKS).map((unit) => {
    const of = (what: 'blocks' | 'pairs') =>
      unit.reduce((sum, county) => sum + counties[county][what], 0);
    return { blocks: of('blocks'), pairs: of('pairs') * (1 + pairs.pois / pairs.blocks) };
  });
  const transposed = pairs.blocks * costs.reachToPair + pairs.pois * costs.catchmentPair;
  const parts = new Array<Seconds>(PARTS).fill((transposed / CORES + moving('join')) / PARTS);
  const tiles = units.map(({ blocks }) => (blocks * costs.blockInTiles) / CORES);
  const seconds = units.map(
    ({ blocks, pairs }) =>
      blocks * costs.blockMadeReady +
      (pairs * costs.searchedPair) / CORES +
      (blocks / NATION.blocks) * moving('units'),
  );
  const slicing = ASSUMED.extractMegabytes * READING.megabyteSliced;
  const inCells = ASSUMED.extractMegabytes * READING.megabyteInCells;
  const preparation = [new Array<Seconds>(BATCHES).fill(inCells / BATCHES)];
  const before =
    PLANNED +
    NATION.blocks * costs.blockRead +
    slicing +
    moving('blocks, prepared') +
    moving('OpenStreetMap, prepared');
  const work = { before, preparation, units: seconds, join: [parts, tiles] };
  const gigabytes =
    Object.values(moved).reduce((sum, { read, written }) => sum + read + written, 0) / 1e9;
  for (const workers of WORKERS) {
    const { elapsed, criticalPath, paid } = schedule(work, workers, CORES + workers - 1);
    figure('nation.schedule', elapsed / HOUR, 'h', {
      simulated: true,
      workers,
      units: units.length,
      critical_path_hours: Number((criticalPath / HOUR).toPrecision(3)),
      dollars: Math.round((paid / HOUR) * CORES * CORE_HOUR),
      gigabytes_moved: Math.round(gigabytes),
      before_hours: Number((before / HOUR).toPrecision(3)),
      preparation_core_hours: Number(((slicing + inCells) / HOUR).toPrecision(3)),
    });
  }
}
