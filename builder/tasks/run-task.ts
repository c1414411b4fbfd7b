import { z } from 'zod';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openManifest } from '../../shards/release/release-source.ts';
import type { Bytes } from '../../shards/units.ts';
import { makeAccessClasses, readAccessClasses } from '../access/build-access-classes.ts';
import { buildRegion, regionReceipt } from '../build-region.ts';
import type { Resources } from '../build-request.ts';
import { lost } from '../errors.ts';
import { exportTable } from '../export/publish-exports.ts';
import { joinPart, partReceipt } from '../join/join-part.ts';
import { joinReceipt, joinRelease, partOptionsOf } from '../join/join-release.ts';
import { classesOfRelease, drawUnit, tilesOfRelease } from '../join/release-tiles.ts';
import { makeStates, statesReceipt } from '../join/state-objects.ts';
import { keyOf } from '../plan/make-plan.ts';
import { type LocalInput, type PlannedInput, requireUnchanged } from '../plan/planned-input.ts';
import { readPlan } from '../plan/release-plan.ts';
import { prepareHeights } from '../prepare/heights.ts';
import type { JobSpec, PreparationJobContext } from '../prepare/preparation.ts';
import { prepareFeed } from '../prepare/prepare-feed.ts';
import { prepareOsmBatch } from '../prepare/prepare-osm-batch.ts';
import { accumulator } from '../progress.ts';
import type { StageContext } from '../receipts/receipts.ts';
import { inScratchFolder } from '../scratch-folder.ts';
import { joinArchives, readArchives } from '../tiles/join-archives.ts';
import type { Task, TaskOf } from './task.ts';

interface TaskContext extends Resources, StageContext {
  /** Returns inputs on this machine, after copying them here if need be. */
  readonly localInputs: (inputs: readonly PlannedInput[]) => Promise<readonly LocalInput[]>;
}

/** Schema of what a task returns besides its receipt. */
export const taskResultSchema = z.strictObject({
  /** Counties that a unit has searched, instead of finding their objects. */
  searched: z.array(z.string()).readonly(),
  /** The notes of a preparation, see `JobResult`. */
  notes: z.array(z.string()).readonly(),
});
export type TaskResult = z.infer<typeof taskResultSchema>;

const WORK_UNITS = { osm: 'bytes', elevation: 'cells', feed: 'feeds' };
/** Memory for the cache of a release while a table of it is exported. */
const CACHE_BYTES: Bytes = 2 ** 28;

export async function runTask(task: Task, context: TaskContext): Promise<TaskResult> {
  const { store, progress, receipts } = context;
  switch (task.kind) {
    case 'prepare':
      return { searched: [], notes: await prepare(task, context) };
    case 'table': {
      const release = await openManifest(store, task.latest, new ReleaseCache(CACHE_BYTES));
      await exportTable(release, task.table, store, progress);
      return { searched: [], notes: [] };
    }
    case 'unit': {
      const plan = await readPlan(store, task.plan);
      const request = { ...context, plan, counties: task.counties };
      const { searched } = await buildRegion(request, store, progress, receipts);
      return { searched, notes: [] };
    }
    case 'part':
    case 'states':
    case 'tiles':
    case 'archives':
    case 'join':
      await runJoinTask(task, context);
      return { searched: [], notes: [] };
  }
}

/** Runs a task of a join, from what those before it have left in the store. */
async function runJoinTask(
  task: TaskOf<'part' | 'states' | 'tiles' | 'archives' | 'join'>,
  context: TaskContext,
): Promise<void> {
  const { store, progress, receipts } = context;
  const plan = await readPlan(store, task.plan);
  const request = { ...context, ...task.request, plan };
  if (task.kind === 'join' && (await receipts.find(...joinReceipt(request)))) return;
  const found = async <T>(what: string, read: Promise<T | null>): Promise<T> => {
    const receipt = await read;
    if (receipt === null) throw lost(store, what);
    return receipt;
  };
  const regions = await Promise.all(
    task.units.map((counties) => {
      const what = `the unit of ${counties.join(', ')}`;
      return found(what, receipts.read(...regionReceipt(plan, counties)));
    }),
  );
  const options = partOptionsOf(request);
  if (task.kind === 'part') {
    const part = { ...context, ...options, plan, counties: task.counties };
    await joinPart(part, regions, store, progress, receipts);
    return;
  }
  const parts = await Promise.all(
    task.parts.map((counties) => {
      const what = `the part of ${counties.join(', ')}`;
      return found(what, receipts.read(...partReceipt(plan, counties, options)));
    }),
  );
  const places = parts.map((part) => part.places);
  if (task.kind === 'states') {
    await makeStates(store, places, receipts);
    return;
  }
  const states = await found('the list of states', receipts.read(...statesReceipt(places)));
  const work = tilesOfRelease(plan, regions, parts, states);
  const counted = classesOfRelease(plan, options, regions, parts);
  if (task.kind === 'tiles') {
    const unit = work.units.findIndex(({ counties }) => counties.includes(task.counties[0]));
    await drawUnit(work, unit, context, context);
    if (counted.length > 0) await makeAccessClasses(counted[unit], context);
  } else if (task.kind === 'archives') {
    await inScratchFolder(context.scratch, (scratch) =>
      joinArchives(work, task.group, { store, receipts, scratch }),
    );
  } else {
    const tiles = options.tiles
      ? await found('the list of tile archives', readArchives(work, receipts))
      : {};
    const read = readAccessClasses(counted, receipts);
    const classes = await found('the list of access classes', read);
    const joined = { regions, parts, states, tiles, classes };
    await joinRelease(request, joined, store, progress, receipts);
  }
}

export function receiptOf({ spec, inputs }: TaskOf<'prepare'>): [stage: string, key: string] {
  return [spec.kind, keyOf([spec, inputs])];
}

/** Runs a preparation, whose result becomes its receipt, and returns its notes. */
async function prepare(
  task: TaskOf<'prepare'>,
  { store, receipts, progress, localInputs }: TaskContext,
): Promise<readonly string[]> {
  const { spec, inputs } = task;
  const local = await localInputs(inputs);
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    progress.note(`${inputs.map(({ name }) => name).join(', ')}: ${line}`);
  };
  await receipts.findOrMake(...receiptOf(task), z.unknown(), async () => {
    const stage = progress.start(spec.kind, null, WORK_UNITS[spec.kind]);
    const context = { store, note, onWork: accumulator(stage) };
    const paths = local.map(({ path }) => path);
    const value = await readInputs(spec, paths, context);
    await requireUnchanged(local);
    stage.finish();
    return value;
  });
  return notes;
}

function readInputs(
  spec: JobSpec,
  paths: readonly string[],
  context: PreparationJobContext,
): Promise<unknown> {
  switch (spec.kind) {
    case 'osm':
      return prepareOsmBatch(paths, spec, context);
    case 'elevation':
      return prepareHeights(paths, spec, context);
    case 'feed':
      return prepareFeed(paths[0], spec, context);
  }
}
