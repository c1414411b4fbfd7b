import { z } from 'zod';
import { whileOpen } from '../../shards/concurrency/while-open.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { PlanRequest, Resources } from '../build-request.ts';
import { lost } from '../errors.ts';
import { makePlan, type RunJob } from '../plan/make-plan.ts';
import type { StoredPlan } from '../plan/release-plan.ts';
import { type Progress, silent } from '../progress.ts';
import { OwnReceipts, type Receipts } from '../receipts/receipts.ts';
import type { Executor } from './executor.ts';
import { receiptOf } from './run-task.ts';
import { idOf } from './task.ts';
import { ThreadExecutor } from './thread-executor.ts';

/** Plans a release by the threads of this process; see `makePlan`. */
export function planRelease(
  request: PlanRequest & Resources,
  store: WritableStore,
  progress: Progress,
): Promise<StoredPlan> {
  const receipts = new OwnReceipts(store);
  const threads = new ThreadExecutor(store, request, progress, receipts);
  return whileOpen(threads, (executor) => planBy(executor, request, store, progress, receipts));
}

/** Plans a release, whose preparations are tasks of an executor; see `makePlan`. */
export function planBy(
  executor: Executor,
  request: PlanRequest & Resources,
  store: WritableStore,
  progress: Progress,
  receipts: Receipts,
): Promise<StoredPlan> {
  const runJob = preparingBy(executor, store, receipts);
  return makePlan(request, store, progress, receipts, runJob);
}

/** Returns a function that runs preparation jobs by an executor, unless they have receipts. */
export function preparingBy(executor: Executor, store: WritableStore, receipts: Receipts): RunJob {
  return async ({ spec, memory }, inputs, at) => {
    const task = { kind: 'prepare' as const, spec, inputs: inputs.map(({ input }) => input) };
    const [stage, key] = receiptOf(task);
    const kept = await receipts.find(stage, key, z.unknown());
    if (kept !== null) return { value: kept, notes: [] };
    const id = `${idOf([key])}-${stage}`;
    const node = { id, task, after: [], inputs, memory };
    const { notes } = await executor.run(node, {
      ...silent,
      start: () => ({ at, finish: () => {} }),
    });
    const value = await receipts.read(stage, key, z.unknown());
    if (value === null) throw lost(store, stage);
    return { value, notes };
  };
}
