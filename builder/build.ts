import { readLatest } from '../shards/release/latest.ts';
import type { Latest, Manifest } from '../shards/release/manifest.ts';
import { readManifest } from '../shards/release/manifests.ts';
import type { ReleaseNotes } from '../shards/release/release-notes.ts';
import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import { jobsOf, runBuildJob } from './build-jobs.ts';
import type { BuildRequest } from './build-request.ts';
import { findJoined } from './join/join-release.ts';
import { planRelease } from './plan/make-plan.ts';
import type { Progress } from './progress.ts';
import { type NamedRelease, noteRelease } from './publish/note-release.ts';
import { putManifest } from './publish/publish.ts';
import { OwnReceipts } from './receipts/receipts.ts';

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
 * Builds and publishes a release from open data within this process: first the plan, then its jobs
 * one after another. Results of an earlier build that are still intact are reused.
 */
export async function buildRelease(
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
): Promise<BuildResult> {
  const receipts = new OwnReceipts(store);
  const planned = await planRelease(request, store, progress, receipts);
  const { searched } = await stageRelease(planned, request, store, progress, receipts);
  const { pathOf, ...plan } = planned;
  const context = { ...request, plan, pathOf, store, progress, receipts };
  await runBuildJob(jobsOf(plan, request.unitBlocks).publish, context);
  const latest = await readLatest(store);
  const { manifest } = await readManifest(store, latest.manifest);
  return { latest, manifest, searched };
}

/** Builds a release from its plan as `buildRelease` does, but leaves the current one current. */
export async function stageRelease(
  { pathOf, ...plan }: Plan,
  request: BuildRequest,
  store: WritableStore,
  progress: Progress,
  receipts: OwnReceipts,
): Promise<StagedRelease> {
  const context = { ...request, plan, pathOf, store, progress, receipts };
  const { units, join } = jobsOf(plan, request.unitBlocks);
  const searched: CountyFips[] = [];
  if (!(await findJoined(context, receipts))) {
    for (const [i, unit] of units.entries()) {
      if (units.length > 1) {
        progress.note(`unit ${i + 1} of ${units.length}: ${unit.counties.join(', ')}`);
      }
      searched.push(...(await runBuildJob(unit, context)));
    }
    await runBuildJob(join, context);
  }
  const manifest = await findJoined(context, receipts);
  if (!manifest) throw new Error(`release ${request.release} was joined, but has no receipt`);
  const { name } = await putManifest(store, manifest);
  const notes = await noteRelease(store, { name, manifest });
  return { name, manifest, notes, searched: searched.sort() };
}
