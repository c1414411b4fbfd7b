import { z } from 'zod';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openManifest } from '../../shards/release/release-source.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { buildRegion, readRegionReceipt } from '../build-region.ts';
import type { Resources } from '../build-request.ts';
import { BuildError } from '../errors.ts';
import { exportTable } from '../export/publish-exports.ts';
import { joinPart, type Part, readPart } from '../join/join-part.ts';
import { findJoined, joinRelease, partOptionsOf } from '../join/join-release.ts';
import { keyOf } from '../plan/make-plan.ts';
import type { PathOf, PlannedInput } from '../plan/planned-input.ts';
import { readPlan, type StoredPlan } from '../plan/release-plan.ts';
import { runPreparationJob } from '../prepare/run-preparation-job.ts';
import { accumulator, type Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { RegionReceipt } from '../receipts/region-receipt.ts';
import type { Task, TaskOf } from './task.ts';

interface TaskContext extends Resources {
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly progress: Progress;
  /** Returns the paths of inputs on this machine, after copying them here if need be. */
  readonly localPaths: (inputs: readonly PlannedInput[]) => Promise<PathOf>;
}

/** Schema of what a task returns besides its receipt. */
export const taskResultSchema = z.strictObject({
  /** Counties that a unit has searched, instead of finding their objects. */
  searched: z.array(z.string()).readonly(),
  /** The notes of a preparation, see `JobResult`. */
  notes: z.array(z.string()).readonly(),
});
export type TaskResult = z.infer<typeof taskResultSchema>;

/** The units of the work of preparations. */
const WORK_UNITS = { osm: 'bytes', elevation: 'cells', feed: 'feeds' };
/** Memory for the cache of a release while a table of it is exported. */
const CACHE_BYTES: Bytes = 2 ** 28;

/** Runs a task on this machine. */
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
    case 'part': {
      const plan = await readPlan(store, task.plan);
      const options = partOptionsOf({ ...task.request, plan });
      const request = { ...context, ...options, plan, counties: task.counties };
      const regions = await regionsOf(task.units, plan, context);
      await joinPart(request, regions, store, progress, receipts);
      return { searched: [], notes: [] };
    }
    case 'join': {
      const plan = await readPlan(store, task.plan);
      const request = { ...context, ...task.request, plan };
      if (await findJoined(request, receipts)) return { searched: [], notes: [] };
      const regions = await regionsOf(task.units, plan, context);
      const options = partOptionsOf(request);
      const parts: Part[] = [];
      for (const counties of task.parts) {
        const part = await readPart(plan, counties, options, receipts);
        if (!part) throw lost(store, `the part of ${counties.join(', ')}`);
        parts.push(part);
      }
      await joinRelease(request, regions, parts, store, progress, receipts);
      return { searched: [], notes: [] };
    }
  }
}

/** The stage and the key of a preparation's receipt. */
export function receiptOf({ spec, inputs }: TaskOf<'prepare'>): [stage: string, key: string] {
  return [spec.kind, keyOf([spec, inputs])];
}

/** Runs a preparation, whose result becomes its receipt, and returns its notes. */
async function prepare(
  task: TaskOf<'prepare'>,
  { store, receipts, progress, localPaths }: TaskContext,
): Promise<readonly string[]> {
  const { spec, inputs } = task;
  const pathOf = await localPaths(inputs);
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    progress.note(`${inputs.map(({ name }) => name).join(', ')}: ${line}`);
  };
  await receipts.findOrMake(...receiptOf(task), z.unknown(), async () => {
    const stage = progress.start(spec.kind, null, WORK_UNITS[spec.kind]);
    const context = { store, note, onWork: accumulator(stage) };
    const value = await runPreparationJob(spec, inputs.map(pathOf), context);
    stage.finish();
    return value;
  });
  return notes;
}

async function regionsOf(
  units: readonly (readonly CountyFips[])[],
  plan: StoredPlan,
  { receipts, store }: TaskContext,
): Promise<RegionReceipt[]> {
  const regions: RegionReceipt[] = [];
  for (const counties of units) {
    const region = await readRegionReceipt(plan, counties, receipts);
    if (!region) throw lost(store, `the unit of ${counties.join(', ')}`);
    regions.push(region);
  }
  return regions;
}

/** Creates the error for a result that was there, but is not found. */
export function lost({ location }: WritableStore, what: string): BuildError {
  return new BuildError(
    `${location}: ${what} was built, but its receipt or an object it names is now missing or damaged; build again, intact objects are reused`,
  );
}
