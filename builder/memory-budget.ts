import { counted, withCommas } from '../shards/number-words.ts';
import type { Bytes } from '../shards/units.ts';
import { DEFAULT_MEMORY, type Resources } from './build-request.ts';
import type { CountyScope } from './county/county-scope.ts';
import { bytesOfColumns } from './county/nth-columns.ts';
import { OutOfMemory } from './errors.ts';
import { duration } from './progress.ts';
import { isLinked, type LinkedRegion } from './region/link-region.ts';
import { rankOfPercentile } from './routing-parameters.ts';
import { ChunkSearch } from './search/search-chunk.ts';
import type { SearchRegion } from './search/search-region.ts';
import { BASE_BYTES, THREAD_BYTES } from './threads/memory-limit.ts';
import { LANES } from './transit/lane-search.ts';
import type { TransitRegion } from './transit/transit-region.ts';

interface SearchFit {
  readonly threads: number;
  /** The plan of the searches as text, shown while the build runs. */
  readonly summary: string;
}

interface JoinFit {
  /** Threads that transpose matrices. */
  readonly threads: number;
  readonly tileThreads: number;
  /** Memory for the entries that a transposition holds at a time. */
  readonly transposeMemory: Bytes;
  readonly summary: string;
}

/** Stretches of blocks that are searched to estimate the time for the rest. */
const SAMPLE_STRETCHES = 6;
const MIN_TRANSPOSE_BYTES: Bytes = 64 * 2 ** 20;
const MIB = 2 ** 20;

/**
 * Fits the searches of a region into its memory: as many threads as there is room for, up to the
 * requested number. Searches some blocks to estimate the total time. Throws `OutOfMemory` when not
 * even one thread fits.
 */
export function fitSearch(
  request: Resources,
  { searchRegion, links, region, modes }: LinkedRegion,
  toSearch: readonly CountyScope[],
  used = memoryInUse(),
): SearchFit {
  const memory = request.memory ?? DEFAULT_MEMORY;
  const free = memory - BASE_BYTES - used - resultBytes(searchRegion, modes.length, toSearch);
  const perThread = THREAD_BYTES + threadBytes(searchRegion);
  // Threads of a pool share a copy of the region; a single thread needs none.
  const room = Math.floor((free - bytesOf(searchRegion)) / perThread);
  if (free < perThread) {
    throw new OutOfMemory(
      `this build needs about ${Math.ceil((memory - free + perThread) / MIB)} MiB but may use only ${Math.floor(memory / MIB)}; allow more with --memory, or build fewer counties`,
    );
  }
  const threads = Math.max(1, Math.min(request.workers ?? 1, room));
  const seconds = secondsToSearch(searchRegion, links, toSearch) / threads;
  const routable = links.filter(isLinked).length;
  const around = region.targets.size - region.counties.size;
  return {
    threads,
    summary: `plan: ${counted(region.counties.size, 'county', 'counties')}, ${toSearch.length} of them to search${around > 0 ? `, plus ${around} around them` : ''}; ${counted(searchRegion.blockCount, 'block')} (${withCommas(routable)} routable), ${counted(searchRegion.destinationCount, 'POI')}, ${counted(region.riders[0]?.windows[0].stops.length ?? 0, 'stop')}; ${inWords(threads, memory)}; searches will take about ${duration(seconds)}`,
  };
}

/**
 * Fits a join into its memory. The transpositions get a part of what is free; the tiles are drawn
 * afterwards by as many threads as fit, at least one, each of which holds `tileBytes`.
 */
export function fitJoin(
  request: Resources,
  counties: number,
  tileBytes: Bytes,
  used = memoryInUse(),
): JoinFit {
  const memory = request.memory ?? DEFAULT_MEMORY;
  const threads = Math.max(1, request.workers ?? 1);
  const free = memory - BASE_BYTES - used;
  const room = Math.floor(free / (THREAD_BYTES + tileBytes));
  const tileThreads = Math.max(1, Math.min(threads, room));
  const fewer = tileThreads < threads ? `, ${tileThreads} of them for tiles` : '';
  return {
    threads,
    tileThreads,
    transposeMemory: Math.max(MIN_TRANSPOSE_BYTES, Math.floor((free - threads * THREAD_BYTES) / 2)),
    summary: `plan: ${counted(counties, 'county', 'counties')} to join; ${inWords(threads, memory)}${fewer}`,
  };
}

function memoryInUse(): Bytes {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function inWords(threads: number, memory: Bytes): string {
  return `${counted(threads, 'thread')}, up to ${Math.floor(memory / MIB)} MiB`;
}

/** Total size of the typed arrays anywhere in a value, each counted once. */
function bytesOf(value: unknown, counted = new Set<unknown>()): Bytes {
  if (value === null || typeof value !== 'object' || counted.has(value)) return 0;
  counted.add(value);
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return Object.values(value).reduce((sum: number, member) => sum + bytesOf(member, counted), 0);
}

/** Memory for the times to the n-th nearest POIs in the largest county to be searched. */
function resultBytes(
  { typeCount }: SearchRegion,
  modes: number,
  toSearch: readonly CountyScope[],
): Bytes {
  const blocks = toSearch.map(({ firstBlock, endBlock }) => endBlock - firstBlock);
  return bytesOfColumns({ blocks: Math.max(0, ...blocks), modes, types: typeCount });
}

/** Memory of each thread's own labels, queues and results. */
function threadBytes({ streets, riders }: SearchRegion): Bytes {
  const [walk] = streets;
  const toStops = riders.map((one) => streets[one.walk]);
  const street = [...streets, ...toStops].reduce(
    (sum, { graph, targets }) =>
      sum + graph.vertexCount * 12 + graph.arcs.length * 8 + targets.targetCount * 8,
    0,
  );
  const windows = riders
    .flatMap((one) => one.windows)
    .reduce((sum, one) => sum + bytesOfWindow(one), 0);
  const chunks = walk.targets.targetCount * 64;
  return street + windows + chunks;
}

function bytesOfWindow({ window, timetable, egress }: TransitRegion): Bytes {
  const { departures, percentiles } = window;
  const wanted = rankOfPercentile(Math.max(...percentiles), departures);
  // Labels of all calls, and per stop and lane the fastest departures and their bounds.
  const calls = timetable.arrivals.length * LANES;
  const fastest = timetable.stopCount * LANES * (wanted + 3) * 4;
  // Times from all lanes to their targets.
  const times = percentiles.length * egress.targets.length * LANES * 4;
  return calls + fastest + times;
}

/**
 * Estimates how many seconds one thread will take, from a sample of stretches of blocks spread over
 * all counties. A stretch has up to as many blocks as one search handles, at least one of them
 * routable.
 */
function secondsToSearch(
  searchRegion: SearchRegion,
  links: LinkedRegion['links'],
  scopes: readonly CountyScope[],
): number {
  const stretches = scopes.flatMap(({ county, firstBlock, endBlock, windowStarts }) =>
    Array.from({ length: Math.ceil((endBlock - firstBlock) / LANES) }, (_, i) => {
      const from = firstBlock + i * LANES;
      return { county, from, to: Math.min(from + LANES, endBlock), windowStarts };
    }).filter(({ from, to }) => links.slice(from, to).some(isLinked)),
  );
  const step = Math.max(1, Math.floor(stretches.length / SAMPLE_STRETCHES));
  const sample = stretches.filter((_, i) => i % step === 0);
  if (sample.length === 0) return 0;
  const search = new ChunkSearch(searchRegion);
  const destinationOrdinals = Int32Array.from(
    { length: searchRegion.destinationCount },
    (_, i) => i,
  );
  const blockOrdinals = Int32Array.from({ length: searchRegion.blockCount }, (_, i) => i);
  const run = (stretch: (typeof sample)[number]) =>
    search.run({ ...stretch, firstRow: 0, destinationOrdinals, blockOrdinals });
  run(sample[0]);
  const begun = performance.now();
  sample.forEach(run);
  const elapsed = (performance.now() - begun) / 1000;
  return (elapsed / sample.length) * stretches.length;
}
