import { counted, withCommas } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes, EpochMillis } from '../../shards/units.ts';
import { type ExtractCoverage, extractCoverageOf, mayReach } from '../extract/extract-coverage.ts';
import { noStreetsIn, type OsmFile } from '../extract/extract-osm.ts';
import { PASSES } from '../extract/gather-osm.ts';
import { type OsmSurvey, SLICING_PASSES, sliceOsm, surveyOsm } from '../extract/slice-osm.ts';
import { maxFrequent, POI_KEYS, type UnmappedValue } from '../extract/unmapped-values.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { sizeOf } from '../inputs/fingerprint.ts';
import { accumulator, type Progress, startBytes } from '../progress.ts';
import { putJson } from '../publish/put-object.ts';
import { joinMaps } from './base-map-cells.ts';
import {
  type AreaPreparation,
  type OsmJobSpec,
  type PreparationByJobs,
  type PreparationJob,
  prepareByJobs,
} from './preparation.ts';
import { type PreparedBatch, preparedBatchSchema } from './prepare-osm-batch.ts';
import type { PreparedOsm } from './read-osm-cells.ts';

/** Maximum bytes of the packed files of which a batch holds the part in its cells. */
const BATCH_BYTES: Bytes = 100e6;
/**
 * Memory of a batch per byte of its files. A node of a street takes 110 bytes in memory and 5 to 10
 * in the file, and about every third node belongs to a street.
 */
const MEMORY_PER_BYTE = 6;
/** Memory of a batch per byte of its slices, which are not compressed. */
const MEMORY_PER_SLICED_BYTE = 7;
/** The number of values without a type that are reported for each key, the most frequent first. */
const REPORTED_VALUES = 20;

interface OsmPreparation extends AreaPreparation, PreparationByJobs {
  /** The areas of which a base map is made, within `area`. */
  readonly mapped: readonly BoundingBox[];
  readonly scratch: string;
  /** Maximum bytes of the packed files of which a job holds the contents in memory. */
  readonly batchBytes?: Bytes;
}

interface OsmPath {
  readonly path: string;
  readonly claims: ExtractCoverage;
  readonly bytes: Bytes;
}

/**
 * Reads OpenStreetMap files once for all units, by jobs that divide their contents within an area
 * by cell and store the cells (`prepare-osm-batch.ts`). Files that exceed the memory of a job are
 * cut into slices, one for each batch of cells. If the declared extent of a file is not nearby,
 * only its header is read. Throws a `BuildError` for an area without streets.
 */
export async function writeOsmCells(preparation: OsmPreparation): Promise<PreparedOsm> {
  const { paths, store, progress } = preparation;
  const files: OsmPath[] = [];
  for (const path of paths) {
    files.push({ path, claims: await extractCoverageOf(path), bytes: await sizeOf(path) });
  }
  const grid = CellRectangle.of(preparation.area);
  const near = files.filter(({ claims }) => mayReach(claims, grid.box));
  const { jobs, newestMs } = await jobsOf(grid, near, preparation);
  const toRead = jobs.reduce((sum, { work }) => sum + work, 0);
  const stage = startBytes(progress, 'osm', toRead);
  const batches = await prepareByJobs(jobs, preparedBatchSchema, preparation, stage);
  const streets = batches.reduce((sum, batch) => sum + batch.streets, 0);
  if (streets === 0) {
    stage.finish('no streets');
    throw noStreetsIn(preparation.area, paths);
  }
  const newest = newestMs ?? batches[0].newest_ms;
  const known = files.map((file): OsmFile => {
    return { ...file.claims, newestMs: newest[near.indexOf(file)] ?? file.claims.cutMs };
  });
  const cells = Object.assign({}, ...batches.map((batch) => batch.cells));
  // Each batch that a wide area enters has produced the same object for it.
  const wide = new Map(batches.flatMap((batch) => batch.wide.map((w) => [w.object.name, w])));
  stage.finish(`streets in ${counted(Object.keys(cells).length, 'cell')}`);
  const unmapped = unmappedIn(batches);
  noteUnmapped(unmapped, progress);
  noteUnread(batches, progress);
  return {
    files: await putJson(store, 'prepared/osm', known),
    cells,
    wide: [...wide.values()].sort((a, b) => (a.object.name < b.object.name ? -1 : 1)),
    map: joinMaps(batches.map(({ map }) => map)),
    unmapped,
  };
}

interface OsmJobs {
  readonly jobs: readonly PreparationJob[];
  /** Per file near: when its newest element was edited; null if the jobs read it from the files. */
  readonly newestMs: readonly EpochMillis[] | null;
}

/** Defines a job on the files, or jobs on slices of them, one for each batch of cells. */
async function jobsOf(
  cells: CellRectangle,
  near: readonly OsmPath[],
  preparation: OsmPreparation,
): Promise<OsmJobs> {
  const { batchBytes: most = BATCH_BYTES, mapped, scratch, progress } = preparation;
  const paths = near.map(({ path }) => path);
  const size = bytesOf(near);
  if (size <= most) {
    const read = { paths, memory: size * MEMORY_PER_BYTE, work: PASSES * size };
    return { jobs: [{ spec: specOf(cells, mapped), ...read }], newestMs: null };
  }
  const stage = startBytes(progress, 'osm slices', SLICING_PASSES * size);
  const onRead = accumulator(stage);
  const survey = await surveyOsm(paths, cells, scratch, onRead);
  const batches = cutBatches(cells, bytesByCell(near, survey.counts), most);
  const { slices, newestMs } = await sliceOsm(paths, survey, batches, scratch, onRead);
  const jobs = batches.flatMap((batch, i): PreparationJob[] => {
    const bytes = bytesOf(slices[i]);
    if (bytes === 0) return [];
    const memory = bytes * MEMORY_PER_SLICED_BYTE;
    const read = { paths: slices[i].map(({ path }) => path), memory, work: PASSES * bytes };
    return [{ spec: specOf(batch, mapped), ...read }];
  });
  stage.finish(`${counted(jobs.length, 'batch', 'batches')} of cells to read`);
  return { jobs, newestMs };
}

/** Estimates the bytes of files in each non-empty cell from the number of nodes there. */
function bytesByCell(files: readonly OsmPath[], counts: OsmSurvey['counts']): Map<number, Bytes> {
  const sums = new Map<number, Bytes>();
  for (const [i, { all, byCell }] of counts.entries()) {
    for (const [cell, nodes] of byCell) {
      sums.set(cell, (sums.get(cell) ?? 0) + (files[i].bytes * nodes) / all);
    }
  }
  return sums;
}

function bytesOf(files: readonly { readonly bytes: Bytes }[]): Bytes {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function specOf(cells: CellRectangle, areas: readonly BoundingBox[]): OsmJobSpec {
  return { kind: 'osm', edges: cells.edges, mapped: mappedCells(cells, areas) };
}

/** The cells that the base map reads, ascending. */
function mappedCells(cells: CellRectangle, areas: readonly BoundingBox[]): number[] {
  const all = new Set(areas.flatMap((box) => cells.touching(box)));
  return [...all].sort((a, b) => a - b);
}

function unmappedIn(batches: readonly PreparedBatch[]): UnmappedValue[] {
  const counts = new Map<string, number>();
  for (const { unmapped } of batches) {
    for (const [text, elements] of Object.entries(unmapped)) {
      counts.set(text, (counts.get(text) ?? 0) + elements);
    }
  }
  return maxFrequent(counts, REPORTED_VALUES);
}

function noteUnmapped(unmapped: readonly UnmappedValue[], progress: Progress): void {
  for (const key of POI_KEYS) {
    const ofKey = unmapped.filter((one) => one.key === key);
    if (ofKey.length === 0) continue;
    const counts = ofKey
      .map(({ value, elements }) => `${value} (${withCommas(elements)})`)
      .join(', ');
    progress.note(`most frequent values of ${key} without a type: ${counts}`);
  }
}

/** The number of durations that cannot be read which are quoted. */
const QUOTED_DURATIONS = 5;

/** Reports the durations that cannot be read, those of a way in several batches once. */
function noteUnread(batches: readonly PreparedBatch[], progress: Progress): void {
  const all = batches.flatMap((batch) => batch.unread_durations);
  const unread = new Set(all.map(([way, text]) => `way ${way}: ${text}`));
  if (unread.size === 0) return;
  const quoted = [...unread].slice(0, QUOTED_DURATIONS).join('; ');
  progress.note(
    `${counted(unread.size, 'duration')} of ferries and elevators cannot be read, so the defaults hold there: ${quoted}${unread.size > QUOTED_DURATIONS ? '; …' : ''}`,
  );
}

/**
 * Divides cells into batches of up to `most` bytes, unless a single cell has more. `byCell` has the
 * bytes of each cell that is not empty.
 */
function cutBatches(
  cells: CellRectangle,
  byCell: ReadonlyMap<number, Bytes>,
  most: Bytes,
): CellRectangle[] {
  const lines = linesOf(cells, byCell);
  const bytes = lines.reduce((sum, line) => sum + line, 0);
  if (bytes <= most || cells.side === 1) return [cells];
  return cells.cutAfter(mostEven(lines)).flatMap((part) => cutBatches(part, byCell, most));
}

/**
 * Returns the line to cut after so that the larger part has least and few batches exceed the limit;
 * of equal lines, the one nearest to the middle.
 */
function mostEven(lines: Float64Array): number {
  const before = [0];
  for (const bytes of lines) before.push(before.at(-1)! + bytes);
  const cuts = Array.from({ length: lines.length - 1 }, (_, line) => ({
    line,
    larger: Math.round(Math.max(before[line + 1], before.at(-1)! - before[line + 1])),
    toMiddle: Math.abs(2 * line - (lines.length - 2)),
  }));
  cuts.sort((a, b) => a.larger - b.larger || a.toMiddle - b.toMiddle);
  return cuts[0].line;
}

function linesOf(cells: CellRectangle, byCell: ReadonlyMap<number, Bytes>): Float64Array {
  const lines = new Float64Array(cells.side);
  for (const [cell, bytes] of byCell) if (cells.has(cell)) lines[cells.lineOf(cell)] += bytes;
  return lines;
}
