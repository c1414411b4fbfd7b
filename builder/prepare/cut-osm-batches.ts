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

/**
 * Number of ranges per batch by which nodes are counted; by default each is a second or two of
 * work.
 */
const RANGES_PER_BATCH = 4;
/** Memory to count the nodes of a range: a few unpacked blocks of the file. */
const COUNT_BYTES: Bytes = 100e6;

export interface OsmPath {
  readonly path: string;
  readonly claims: ExtractCoverage;
  readonly bytes: Bytes;
}

/** Cells that are read together. */
interface CellBatch {
  readonly cells: CellRectangle;
  /**
   * The size of the part of the files in the cells and those around them, which are held together.
   */
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
 * cell, and empty cells with empty surroundings are left out.
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
  for (const { path } of near) {
    const ranges = await rangesOf(path, most / RANGES_PER_BATCH);
    jobs.push(ranges.map((range) => countingJob(path, cells.grown(), range)));
  }
  const counts = await prepareByJobs(jobs.flat(), nodeCountsSchema, preparation, stage);
  const byCell = new Map<number, Bytes>();
  for (const [i, file] of near.entries()) {
    for (const [cell, bytes] of bytesByCell(file.bytes, counts.splice(0, jobs[i].length))) {
      byCell.set(cell, (byCell.get(cell) ?? 0) + bytes);
    }
  }
  const batches = [...cut(cells, byCell, most)];
  stage.finish(`${counted(batches.length, 'batch', 'batches')} of cells to read`);
  return { batches, isPart: true };
}

/** Defines the job that counts the nodes of a range of a file. */
function countingJob(path: string, { edges }: CellRectangle, range: PbfRange): PreparationJob {
  return {
    spec: { kind: 'osm-nodes', edges, ...range },
    paths: [path],
    memory: COUNT_BYTES,
    work: range.to - range.from,
  };
}

/** Estimates the bytes of a file in each non-empty cell from the number of nodes there. */
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
  byCell: ReadonlyMap<number, Bytes>,
  most: Bytes,
): Generator<CellBatch> {
  const lines = linesHeld(cells, byCell);
  const held = lines.reduce((sum, bytes) => sum + bytes, 0);
  if (held === 0) return;
  if (held <= most || cells.side === 1) yield { cells, bytes: held };
  else for (const part of cells.cutAfter(mostEven(lines))) yield* cut(part, byCell, most);
}

/**
 * Returns the line to cut after so that the larger part holds least and few batches exceed the
 * limit; of equal lines, the one nearest to the middle. `lines` is the result of `linesHeld`.
 */
function mostEven(lines: Float64Array): number {
  const side = lines.length - 2;
  const before = [0];
  for (const bytes of lines) before.push(before.at(-1)! + bytes);
  const cuts = Array.from({ length: side - 1 }, (_, line) => ({
    line,
    // Each part is held with the line beyond the cut.
    larger: Math.round(Math.max(before[line + 3], before.at(-1)! - before[line + 1])),
    toMiddle: Math.abs(2 * line - (side - 2)),
  }));
  cuts.sort((a, b) => a.larger - b.larger || a.toMiddle - b.toMiddle);
  return cuts[0].line;
}

/**
 * Returns the bytes in the line before the first line of cells, in each line, and in the line after
 * the last. Includes the cells around the given ones, which are read too since their elements may
 * reach in.
 */
function linesHeld(cells: CellRectangle, byCell: ReadonlyMap<number, Bytes>): Float64Array {
  const lines = new Float64Array(cells.side + 2);
  const held = cells.grown();
  for (const [cell, bytes] of byCell) if (held.has(cell)) lines[1 + cells.lineOf(cell)] += bytes;
  return lines;
}

export function bytesOf(files: readonly OsmPath[]): Bytes {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
