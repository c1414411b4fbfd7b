import { counted } from '../../shards/number-words.ts';
import type { Bytes } from '../../shards/units.ts';
import { type ExtractCoverage, mayReach } from '../extract/extract-coverage.ts';
import type { CellRectangle } from '../geo/cell-rectangle.ts';
import { type PbfRange, rangesOf } from '../osm/blob-reader.ts';
import { startBytes } from '../progress.ts';
import { type NodeCounts, nodeCountsSchema } from './count-nodes.ts';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { prepareByJobs } from './prepare-by-jobs.ts';

/** Nodes are counted by ranges smaller than a batch: by default a second or two of work. */
const RANGES_PER_BATCH = 4;
/** Memory to count a range: a few blocks, unpacked. */
const COUNT_BYTES: Bytes = 100e6;

export interface OsmPath {
  readonly path: string;
  readonly claims: ExtractCoverage;
  readonly bytes: Bytes;
}

/** Cells that are read together. */
interface CellBatch {
  readonly cells: CellRectangle;
  /** The part of the files in them and in those around them, which is held with them. */
  readonly bytes: Bytes;
}

/** All cells, divided into batches. */
export interface OsmBatches {
  readonly batches: readonly CellBatch[];
  /** Whether the files exceed memory, so that only the part of each that a batch needs is held. */
  readonly isPart: boolean;
}

/**
 * Divides cells into batches whose part of the files fits into memory: up to `most` bytes, unless a
 * single cell and those around it have more. If the files are larger, jobs count the nodes in each
 * cell; empty cells with empty surroundings are left out.
 */
export async function cutBatches(
  cells: CellRectangle,
  files: readonly OsmPath[],
  most: Bytes,
  preparation: PreparationByJobs,
): Promise<OsmBatches> {
  const near = files.filter(({ claims }) => mayReach(claims, cells.box));
  const bytes = bytesOf(near);
  if (bytes <= most) return { batches: [{ cells, bytes }], isPart: false };
  const stage = startBytes(preparation.progress, 'osm by cells', bytes);
  const jobs: PreparationJob[][] = [];
  for (const [i, { path }] of near.entries()) {
    const ranges = await rangesOf(path, most / RANGES_PER_BATCH);
    jobs.push(ranges.map((range) => countingJob(path, i, cells.grown(), range, preparation)));
  }
  const counts = await prepareByJobs(jobs.flat(), nodeCountsSchema, preparation, stage);
  const byCell = near.map((file, i) => bytesByCell(file.bytes, counts.splice(0, jobs[i].length)));
  const batches = [...cut(cells, byCell, most)];
  stage.finish(`${counted(batches.length, 'batch', 'batches')} of cells to read`);
  return { batches, isPart: true };
}

/** The job that counts a range of a file; `file`: its position among the files. */
function countingJob(
  path: string,
  file: number,
  { edges }: CellRectangle,
  range: PbfRange,
  { keyOf }: PreparationByJobs,
): PreparationJob {
  return {
    spec: { kind: 'osm-nodes', edges, ...range },
    paths: [path],
    key: keyOf([file, edges, range]),
    memory: COUNT_BYTES,
    work: range.to - range.from,
  };
}

/** The share of a file in each non-empty cell, estimated from its nodes. */
function bytesByCell(bytes: Bytes, ranges: readonly NodeCounts[]): Map<number, Bytes> {
  const nodes = new Map<number, number>();
  for (const [cell, count] of ranges.flatMap(({ byCell }) => byCell)) {
    nodes.set(cell, (nodes.get(cell) ?? 0) + count);
  }
  const all = ranges.reduce((sum, range) => sum + range.all, 0);
  return new Map(Array.from(nodes, ([cell, count]) => [cell, (bytes * count) / all]));
}

function* cut(
  cells: CellRectangle,
  files: readonly ReadonlyMap<number, Bytes>[],
  most: Bytes,
): Generator<CellBatch> {
  const held = heldWith(cells, files);
  if (held === 0) return;
  const parts = held > most ? mostEven(cells, files) : [];
  if (parts.length === 0) yield { cells, bytes: held };
  else for (const part of parts) yield* cut(part, files, most);
}

/**
 * The cut whose larger part is smallest, so that batches read at once take about as long; of equal
 * cuts the one nearest the middle. Empty for a single cell.
 */
function mostEven(
  cells: CellRectangle,
  files: readonly ReadonlyMap<number, Bytes>[],
): readonly CellRectangle[] {
  let best: readonly CellRectangle[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const parts of cells.cuts()) {
    const larger = Math.max(...parts.map((part) => heldWith(part, files)));
    if (larger < least) [best, least] = [parts, larger];
  }
  return best;
}

/** The bytes in cells and in those around them, which are read too: elements may reach in. */
function heldWith(cells: CellRectangle, files: readonly ReadonlyMap<number, Bytes>[]): Bytes {
  return bytesIn(cells.grown(), files);
}

function bytesIn(cells: CellRectangle, files: readonly ReadonlyMap<number, Bytes>[]): Bytes {
  let sum = 0;
  for (const file of files) for (const [cell, bytes] of file) if (cells.has(cell)) sum += bytes;
  return sum;
}

export function bytesOf(files: readonly OsmPath[]): Bytes {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
