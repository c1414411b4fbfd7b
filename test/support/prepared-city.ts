import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Destination } from '../../builder/destinations/destination.ts';
import type { OsmExtract } from '../../builder/extract/extract-osm.ts';
import { describeInput } from '../../builder/plan/planned-input.ts';
import { BlockTables, writeBlocks } from '../../builder/prepare/blocks.ts';
import { FeedTables, writeFeeds } from '../../builder/prepare/feeds.ts';
import { poisWithin, writePois } from '../../builder/prepare/pois.ts';
import type { PreparationByJobs } from '../../builder/prepare/preparation.ts';
import { OsmTables } from '../../builder/prepare/read-osm-cells.ts';
import { writeOsmCells } from '../../builder/prepare/write-osm-cells.ts';
import { type Progress, silent } from '../../builder/progress.ts';
import { OwnReceipts, type Receipts } from '../../builder/receipts/receipts.ts';
import { type Region, readRegion } from '../../builder/region/read-region.ts';
import { OWN_RULES, type RulesOfR5 } from '../../builder/routing-parameters.ts';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import type { Executor } from '../../builder/tasks/executor.ts';
import { preparingBy } from '../../builder/tasks/plan-release.ts';
import { ThreadExecutor } from '../../builder/tasks/thread-executor.ts';
import type { DatedFeeds } from '../../builder/transit/date-feeds.ts';
import type { SearchedWindow } from '../../builder/transit/transit-region.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import type { FurtherWalk } from '../../shards/modes.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { AM } from './joined-feeds.ts';

/** Provides the dependencies of preparation, in a store that is removed afterwards. */
function withPreparation<T>(work: (context: PreparationContext) => Promise<T>): Promise<T> {
  return inScratchFolder(undefined, async (scratch) => {
    const store = new FolderStore(path.join(scratch, 'store'));
    try {
      const receipts = new OwnReceipts(store);
      const run = jobsBy(new ThreadExecutor(store, {}, silent, receipts), store, receipts);
      return await work({ store, receipts, run, scratch, progress: silent });
    } finally {
      await store.close();
    }
  });
}

interface PreparationContext {
  readonly store: FolderStore;
  readonly receipts: Receipts;
  readonly run: PreparationByJobs['run'];
  readonly scratch: string;
  readonly progress: Progress;
}

/** Runs preparation jobs on files by an executor. */
export function jobsBy(
  executor: Executor,
  store: FolderStore,
  receipts: Receipts,
  preparing = preparingBy,
): PreparationByJobs['run'] {
  const runJob = preparing(executor, store, receipts);
  return async (job, at) => {
    const inputs = job.paths.map((path) => describeInput(path));
    return runJob(job, await Promise.all(inputs), at);
  };
}

/** A key for the inputs of an artifact. */
export const keyOf = (madeOf: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(madeOf)).digest('hex');

const tablesOf = async (paths: readonly string[], context: PreparationContext) =>
  new BlockTables(context.store, await writeBlocks({ ...context, paths, populations: [], keyOf }));

const preparedOf = (feeds: DatedFeeds, context: PreparationContext) =>
  writeFeeds(feeds, { ...context, keyOf });

const osmOf = async (paths: readonly string[], context: PreparationContext, area = EVERYWHERE) =>
  new OsmTables(context.store, await writeOsmCells({ ...context, paths, area, mapped: [], keyOf }));

const poisOf = async (paths: readonly string[], context: PreparationContext, area = EVERYWHERE) => {
  const prepared = await writePois({ ...context, paths, area, keyOf });
  return (within: BoundingBox) => poisWithin(context.store, prepared, within);
};

/** The contents of OpenStreetMap files within an area, as a unit reads them after preparation. */
export function extractOsm(
  paths: readonly string[],
  area: BoundingBox,
  progress: Progress,
): Promise<OsmExtract> {
  return withPreparation(async (context) => {
    const tables = await osmOf(paths, { ...context, progress }, area);
    return tables.extract(area, area, silent);
  });
}

/** The POIs of lists within an area, as a unit reads them after preparation. */
export function readPois(
  paths: readonly string[],
  area: BoundingBox,
  progress: Progress,
): Promise<Destination[]> {
  return withPreparation(async (context) => {
    const pois: Destination[] = [];
    const within = await poisOf(paths, { ...context, progress }, area);
    for await (const poi of within(area)) pois.push(poi);
    return pois.sort((a, b) => a.destId - b.destId);
  });
}

/** Provides the blocks of some files. */
export function withBlocks<T>(
  paths: readonly string[],
  work: (blocks: BlockTables) => Promise<T>,
): Promise<T> {
  return withPreparation(async (context) => work(await tablesOf(paths, context)));
}

/** The input files of a region. */
interface Files {
  readonly osm: readonly string[];
  readonly pois?: readonly string[];
  readonly blocks: readonly string[];
  readonly feeds: DatedFeeds | null;
  /** The window for which the feeds are read; by default that of every release. */
  readonly window?: SearchedWindow;
  /** Counties to read; if empty, all available ones. */
  readonly counties: readonly CountyFips[];
  readonly rulesOfR5?: RulesOfR5;
  /** Street modes besides walking and cycling. */
  readonly further?: readonly FurtherWalk[];
}

/** Reads a region from files. */
export function readFiles(files: Files): Promise<Region> {
  return withPreparation(async (context) => {
    const blocks = await tablesOf(files.blocks, context);
    const counties = files.counties.length > 0 ? files.counties : blocks.counties;
    const { window = AM } = files;
    const windows = files.feeds
      ? [new FeedTables(context.store, (await preparedOf(files.feeds, context)).prepared, window)]
      : [];
    const osm = await osmOf(files.osm, context);
    const pois = await poisOf(files.pois ?? [], context);
    const { rulesOfR5 = OWN_RULES, further = [] } = files;
    const shared = { heightsAt: null, osm, blocks, poisWithin: pois, counties };
    const inputs = { ...shared, windows, rulesOfR5, further };
    return readRegion(inputs, silent);
  });
}
