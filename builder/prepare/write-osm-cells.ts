import { counted, withCommas } from '../../shards/number-words.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { extractCoverageOf, mayReach } from '../extract/extract-coverage.ts';
import { noStreetsIn, type OsmFile } from '../extract/extract-osm.ts';
import { PASSES, PASSES_OF_PART } from '../extract/gather-osm.ts';
import { maxFrequent, POI_KEYS, type UnmappedValue } from '../extract/unmapped-values.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { type Progress, startBytes } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import { bytesOf, cutBatches, type OsmBatches, type OsmPath } from './cut-osm-batches.ts';
import type { AreaPreparation, PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { prepareByJobs } from './prepare-by-jobs.ts';
import { type PreparedBatch, preparedBatchSchema } from './prepare-osm-batch.ts';
import type { PreparedOsm } from './read-osm-cells.ts';
import { joinMaps } from './write-base-map-cells.ts';

/** Maximum bytes of the packed files that a batch holds. */
const BATCH_BYTES: Bytes = 250e6;
/**
 * Memory of a batch per byte of its files. A node of a street takes 110 bytes in memory and 5 to 10
 * in the file, and about every third node belongs to a street.
 */
const MEMORY_PER_BYTE = 6;
/** The number of values without a type that are reported for each key, the most frequent first. */
const REPORTED_VALUES = 20;

interface OsmPreparation extends AreaPreparation, PreparationByJobs {
  /** The areas of which a base map is made, within `area`. */
  readonly mapped: readonly BoundingBox[];
  /** Maximum bytes of the packed files that a job holds in memory. */
  readonly batchBytes?: Bytes;
}

/**
 * Reads OpenStreetMap files once for all units, by jobs that divide their contents within an area
 * by cell and store the cells (`prepare-osm-batch.ts`). There is one job or, for large files, one
 * per batch of cells. If the declared extent of a file is not nearby, only its header is read.
 * Throws a `BuildError` for an area without streets.
 */
export async function writeOsmCells(preparation: OsmPreparation): Promise<PreparedOsm> {
  const { paths, store, progress } = preparation;
  const files: OsmPath[] = [];
  for (const path of paths) {
    files.push({ path, claims: await extractCoverageOf(path), bytes: await sizeOf(path) });
  }
  const most = preparation.batchBytes ?? BATCH_BYTES;
  const cut = await cutBatches(CellRectangle.of(preparation.area), files, most, preparation);
  const jobs = jobsOf(cut, files, preparation);
  const toRead = jobs.reduce((sum, { work }) => sum + work, 0);
  const stage = startBytes(progress, 'osm', toRead);
  const batches = await prepareByJobs(jobs, preparedBatchSchema, preparation, stage);
  const streets = batches.reduce((sum, batch) => sum + batch.streets, 0);
  if (streets === 0) {
    stage.finish('no streets');
    throw noStreetsIn(preparation.area, paths);
  }
  const known = files.map(({ path, claims }): OsmFile => {
    const reader = jobs.findIndex((job) => job.paths.includes(path));
    const newestMs = batches[reader]?.newest_ms[jobs[reader].paths.indexOf(path)];
    return { ...claims, newestMs: newestMs ?? claims.cutMs };
  });
  const cells = Object.assign({}, ...batches.map((batch) => batch.cells));
  // Each batch that a wide area enters has produced the same object for it.
  const wide = new Map(batches.flatMap((batch) => batch.wide.map((w) => [w.object.name, w])));
  stage.finish(`streets in ${counted(Object.keys(cells).length, 'cell')}`);
  const unmapped = unmappedIn(batches);
  noteUnmapped(unmapped, progress);
  noteUnread(batches, progress);
  return {
    files: await putObject(store, 'prepared/osm', 'json', Buffer.from(JSON.stringify(known))),
    cells,
    wide: [...wide.values()].sort((a, b) => (a.object.name < b.object.name ? -1 : 1)),
    map: joinMaps(batches.map(({ map }) => map)),
    unmapped,
  };
}

/** Defines a job for each batch, on the files that may reach into the batch. */
function jobsOf(
  { batches, isPart }: OsmBatches,
  files: readonly OsmPath[],
  { mapped: areas }: OsmPreparation,
): PreparationJob[] {
  return batches.map(({ cells, bytes }) => {
    const near = files.filter(({ claims }) => mayReach(claims, cells.box));
    const mapped = mappedCells(cells, areas);
    return {
      spec: { kind: 'osm', edges: cells.edges, isPart, mapped },
      paths: near.map(({ path }) => path),
      memory: bytes * MEMORY_PER_BYTE,
      work: (isPart ? PASSES_OF_PART : PASSES) * bytesOf(near),
    };
  });
}

/** The cells that the base map reads, ascending. */
function mappedCells(cells: CellRectangle, areas: readonly BoundingBox[]): number[] {
  const all = new Set(areas.flatMap((box) => cells.touching(box)));
  return [...all].sort((a, b) => a - b);
}

/** Finds the most frequent values of all batches. */
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
