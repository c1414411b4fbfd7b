import { whileOpen } from '../shards/concurrency/while-open.ts';
import type { Latest, Manifest } from '../shards/release/manifest.ts';
import type { ReleaseNotes } from '../shards/release/release-notes.ts';
import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import type { BuildRequest } from './build-request.ts';
import { lost } from './errors.ts';
import { joinReceipt, publishRelease } from './join/join-release.ts';
import type { StoredPlan } from './plan/release-plan.ts';
import type { Progress } from './progress.ts';
import { type NamedRelease, noteRelease } from './publish/note-release.ts';
import { putManifest } from './publish/publish.ts';
import { OwnReceipts } from './receipts/receipts.ts';
import { type Executor, type OpenExecutor, perform } from './tasks/executor.ts';
import { planBy } from './tasks/plan-release.ts';
import { type Task, tasksOf } from './tasks/task.ts';
import { ThreadExecutor } from './tasks/thread-executor.ts';

export type { BuildRequest } from './build-request.ts';

export interface BuildResult {
  readonly latest: Latest;
  readonly manifest: Manifest;
  /** Counties that were searched; the objects of all other counties already existed. */
  readonly searched: readonly CountyFips[];
}

/** A release whose objects, manifest and notes are in the store, though it may not be current. */
interface StagedRelease extends NamedRelease {
  readonly notes: ReleaseNotes;
}

/**
 * Builds and publishes a release from open data: first the plan, then its tasks, by the threads of
 * this process unless another executor is given. Results of an earlier build that are still intact
 * are reused.
 */
export async function buildRelease(
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
  open?: OpenExecutor,
): Promise<BuildResult> {
  const receipts = new OwnReceipts(store);
  const threads = () => new ThreadExecutor(store, request, progress, receipts);
  return whileOpen((open ?? threads)(), async (executor) => {
    const plan = await planBy(executor, request, store, progress, receipts);
    const { manifest, searched } = await joinBy(executor, plan, request, store, receipts);
    return { latest: await publishRelease(store, manifest), manifest, searched };
  });
}

/** Builds a release from its plan as `buildRelease` does, but leaves the current one current. */
export async function stageRelease(
  executor: Executor,
  plan: StoredPlan,
  request: BuildRequest,
  store: WritableStore,
  receipts: OwnReceipts,
): Promise<StagedRelease> {
  const { manifest } = await joinBy(executor, plan, request, store, receipts);
  const { name } = await putManifest(store, manifest);
  return { name, manifest, notes: await noteRelease(store, { name, manifest }) };
}

async function joinBy(
  executor: Executor,
  plan: StoredPlan,
  request: BuildRequest,
  store: WritableStore,
  receipts: OwnReceipts,
): Promise<Omit<BuildResult, 'latest'>> {
  const root = tasksOf(plan, request, request.unitBlocks);
  const receipt = joinReceipt({ ...request, plan });
  const isDone = async (task: Task) =>
    task === root.task && (await receipts.find(...receipt)) !== null;
  const searched = await perform(root, executor, isDone);
  const joined = await receipts.read(...receipt);
  if (joined === null) throw lost(store, `release ${request.release}`);
  return { ...joined, searched };
}
