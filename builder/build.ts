import { readLatest } from '../shards/release/latest.ts';
import type { Latest, Manifest } from '../shards/release/manifest.ts';
import { readManifest } from '../shards/release/manifests.ts';
import type { ReleaseNotes } from '../shards/release/release-notes.ts';
import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import type { BuildRequest } from './build-request.ts';
import { findJoined } from './join/join-release.ts';
import { planRelease } from './plan/make-plan.ts';
import type { Progress } from './progress.ts';
import { type NamedRelease, noteRelease } from './publish/note-release.ts';
import { putManifest } from './publish/publish.ts';
import { OwnReceipts } from './receipts/receipts.ts';
import { isDone, runTask, type TaskContext } from './tasks/run-task.ts';
import { type TaskNode, tasksOf } from './tasks/task.ts';

export type { BuildRequest } from './build-request.ts';

export interface BuildResult {
  readonly latest: Latest;
  readonly manifest: Manifest;
  /** Counties that were searched; the objects of all other counties already existed. */
  readonly searched: readonly CountyFips[];
}

type Plan = Awaited<ReturnType<typeof planRelease>>;

/** A release whose objects, manifest and notes are in the store, though it may not be current. */
export interface StagedRelease extends NamedRelease {
  readonly notes: ReleaseNotes;
  readonly searched: readonly CountyFips[];
}

/**
 * Builds and publishes a release from open data within this process: first the plan, then its tasks
 * one after another. Results of an earlier build that are still intact are reused.
 */
export async function buildRelease(
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
): Promise<BuildResult> {
  const receipts = new OwnReceipts(store);
  const plan = await planRelease(request, store, progress, receipts);
  const context = contextOf(plan, request, store, progress, receipts);
  const searched = await perform(tasksOf(plan, request, request.unitBlocks), context);
  const latest = await readLatest(store);
  const { manifest } = await readManifest(store, latest.manifest);
  return { latest, manifest, searched: searched.sort() };
}

/** Builds a release from its plan as `buildRelease` does, but leaves the current one current. */
export async function stageRelease(
  plan: Plan,
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
  receipts: OwnReceipts,
): Promise<StagedRelease> {
  const context = contextOf(plan, request, store, progress, receipts);
  const { after } = tasksOf(plan, request, request.unitBlocks);
  const searched: CountyFips[] = [];
  for (const before of after) searched.push(...(await perform(before, context)));
  const manifest = await findJoined({ ...request, plan }, receipts);
  if (!manifest) throw new Error(`release ${request.release} was joined, but has no receipt`);
  const { name } = await putManifest(store, manifest);
  const notes = await noteRelease(store, { name, manifest });
  return { name, manifest, notes, searched: searched.sort() };
}

function contextOf(
  { pathOf, ...plan }: Plan,
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
  receipts: OwnReceipts,
): TaskContext {
  return { ...request, plan, localPaths: async () => pathOf, store, progress, receipts };
}

/** Runs a task after those before it; returns the counties that were searched. */
async function perform({ task, after }: TaskNode, context: TaskContext): Promise<CountyFips[]> {
  if (await isDone(task, context)) return [];
  const searched: CountyFips[] = [];
  for (const [i, before] of after.entries()) {
    if (before.task.kind === 'unit' && after.length > 1) {
      const { counties } = before.task;
      context.progress.note(`unit ${i + 1} of ${after.length}: ${counties.join(', ')}`);
    }
    searched.push(...(await perform(before, context)));
  }
  const own = await runTask(task, context);
  return [...searched, ...own.searched];
}
