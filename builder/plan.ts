import type { Bytes } from '../shards/units.ts';
import { type BuildRequest, DEFAULT_MEMORY } from './build-request.ts';
import type { CountyScope } from './county/county-scope.ts';
import { BuildError } from './errors.ts';
import type { LinkedRegion } from './region/build-world.ts';
import { ROUTING } from './routing-parameters.ts';
import { ChunkSearch } from './search/search-chunk.ts';
import type { SearchWorld } from './search/search-world.ts';

/** How a build goes about it. */
export interface BuildPlan {
  readonly threads: number;
  /** What entries on their way through a transposition may take. */
  readonly transposeMemory: Bytes;
  /** In words, for the person who waits. */
  readonly summary: string;
}

/** Blocks searched to tell how long the rest will take. */
const SAMPLE_BLOCKS = 16;
/** The program itself, a thread of it, and what garbage collection leaves lying about. */
const BASE_BYTES: Bytes = 350 * 2 ** 20;
const THREAD_BYTES: Bytes = 80 * 2 ** 20;
const LEAST_TRANSPOSE_BYTES: Bytes = 64 * 2 ** 20;
const MIB = 2 ** 20;

/**
 * Fits a build into its memory: as many threads as there is room for, up to those asked for; the
 * rest goes to the transposition. Searches some blocks to tell how long all will take. Throws a
 * `BuildError` when not even one thread fits.
 */
export function planBuild(
  request: BuildRequest,
  { world, links, region }: LinkedRegion,
  toSearch: readonly CountyScope[],
): BuildPlan {
  const memory = request.memory ?? DEFAULT_MEMORY;
  const held = process.memoryUsage().heapUsed;
  const shared = bytesOf(world);
  const free = memory - BASE_BYTES - held - shared;
  const perThread = THREAD_BYTES + threadBytes(world);
  const room = Math.floor(free / perThread);
  if (room < 1) {
    throw new BuildError(
      `this build needs about ${Math.ceil((memory - free + perThread) / MIB)} MiB and may use ${Math.floor(memory / MIB)}; give it more with --memory, or fewer counties`,
    );
  }
  const threads = Math.max(1, Math.min(request.workers ?? 1, room));
  const blocks = toSearch.reduce((sum, { firstBlock, endBlock }) => sum + endBlock - firstBlock, 0);
  const seconds = (blocks * secondsABlock(world, toSearch)) / threads;
  const routable = links.filter((l) => l.some(({ status }) => status === 'linked')).length;
  return {
    threads,
    transposeMemory: Math.max(LEAST_TRANSPOSE_BYTES, Math.floor(free / 2)),
    summary: `plan: ${region.counties.size} counties, ${toSearch.length} of them to search; ${world.blocks} blocks (${routable} routable), ${world.places} places, ${region.transit?.stops.length ?? 0} stops; ${threads} ${threads === 1 ? 'thread' : 'threads'}, up to ${Math.floor(memory / MIB)} MiB; searches will take about ${describeSeconds(seconds)}`,
  };
}

/** Typed arrays anywhere in a value. */
function bytesOf(value: unknown): Bytes {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, member) => sum + bytesOf(member), 0);
}

/** The labels, queues and results that each thread has of its own. */
function threadBytes({ walk, bike, transit }: SearchWorld): Bytes {
  const street = [walk, bike].reduce(
    (sum, { graph, terminals }) =>
      sum + graph.vertexCount * 12 + graph.arcs.length * 8 + terminals.targetCount * 8,
    0,
  );
  const stops = transit?.timetable.stopCount ?? 0;
  const events = stops * ROUTING.transit.departures * 6;
  const chunks = walk.terminals.targetCount * 64;
  return street + events + stops * 40 + chunks;
}

function secondsABlock(world: SearchWorld, scopes: readonly CountyScope[]): number {
  const [scope] = scopes;
  if (!scope) return 0;
  const search = new ChunkSearch(world);
  const everyPlace = Int32Array.from({ length: world.places }, (_, i) => i);
  const everyBlock = Int32Array.from({ length: world.blocks }, (_, i) => i);
  const step = Math.max(1, Math.floor((scope.endBlock - scope.firstBlock) / SAMPLE_BLOCKS));
  let [count, begun] = [0, performance.now()];
  for (let from = scope.firstBlock; from < scope.endBlock; from += step) {
    search.run({
      from,
      to: from + 1,
      firstRow: 0,
      windowStart: scope.windowStart,
      placeOrdinals: everyPlace,
      blockOrdinals: everyBlock,
    });
    // The first few run cold.
    if (++count === SAMPLE_BLOCKS / 4) [count, begun] = [0, performance.now()];
  }
  return (performance.now() - begun) / 1000 / Math.max(1, count);
}

function describeSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
