import { z } from 'zod';
import { whileOpen } from '../shards/concurrency/while-open.ts';
import { releaseSchema } from '../shards/release/manifest.ts';
import { MANIFESTS, releaseOfName } from '../shards/release/manifests.ts';
import type { ReleaseNotes } from '../shards/release/release-notes.ts';
import { putBodyOf, sha256Of } from '../shards/store/put-body.ts';
import type { WritableStore } from '../shards/store/store.ts';
import { stageRelease } from './build.ts';
import { type BuildRequest, pathsIn } from './build-request.ts';
import { joinReceipt } from './join/join-release.ts';
import type { Progress } from './progress.ts';
import { forgetDamagedPublication } from './publish/first-publication.ts';
import { reasonsAgainst, type Thresholds } from './publish/judge-release.ts';
import { whileBuilding } from './publish/output.ts';
import { latestIfAny, promoteRelease, wasPublished } from './publish/promote-release.ts';
import { encodeManifest } from './publish/publish.ts';
import { OwnReceipts, type Receipts } from './receipts/receipts.ts';
import type { OpenExecutor } from './tasks/executor.ts';
import { planBy } from './tasks/plan-release.ts';
import { ThreadExecutor } from './tasks/thread-executor.ts';

export interface Refreshed {
  readonly outcome: 'promoted' | 'nothing-new' | 'refused';
  /** The name of the manifest that the inputs give; current after a promotion. */
  readonly manifest: string;
  readonly release: string;
  readonly notes: ReleaseNotes;
  /** Why the release is refused; empty for other outcomes. */
  readonly reasons: readonly string[];
}

/** The inputs and options of the last refresh as one hash, and the label of its release. */
const lastSchema = z.strictObject({ made_of: z.string(), release: releaseSchema });
const LAST = ['refresh', 'last'] as const;

/**
 * Builds a release from inputs that may have changed, and makes it current if it differs from the
 * current one by no more than the thresholds. A refused release stays in the store, to be looked at
 * and promoted by hand. Inputs whose release was current before are nothing new, so that a rollback
 * lasts. After an interruption, the same call continues. `open`: see `buildRelease`.
 */
export async function refreshRelease(
  request: Omit<BuildRequest, 'release'>,
  thresholds: Thresholds,
  store: WritableStore,
  progress: Progress,
  now: Date,
  open?: OpenExecutor,
): Promise<Refreshed> {
  const receipts = new OwnReceipts(store);
  const threads = () => new ThreadExecutor(store, request, progress, receipts);
  const stage = () =>
    whileOpen((open ?? threads)(), async (executor) => {
      const plan = await planBy(executor, request, store, progress, receipts);
      const release = await labelFor({ ...request, plan }, store, receipts, now);
      return stageRelease(executor, plan, { ...request, release }, store, receipts);
    });
  const { name, manifest, notes } = await whileBuilding(
    store,
    pathsIn(request),
    stage,
    open !== undefined,
  );
  await forgetDamagedPublication(store, name);
  const refreshed = { manifest: name, release: manifest.release, notes };
  if (await wasPublished(store, name)) {
    return { ...refreshed, outcome: 'nothing-new', reasons: [] };
  }
  const reasons = reasonsAgainst(notes, thresholds);
  if (reasons.length > 0) return { ...refreshed, outcome: 'refused', reasons };
  await promoteRelease(store, name, now, notes.before?.manifest ?? null);
  return { ...refreshed, outcome: 'promoted', reasons: [] };
}

/**
 * Returns the label for a release: that of the current one if its plan and options give the same,
 * or that of the last refresh if it had this plan and these options; otherwise the date, with a
 * number if other releases have it.
 */
async function labelFor(
  request: Omit<Parameters<typeof joinReceipt>[0], 'release'>,
  store: WritableStore,
  receipts: Receipts,
  now: Date,
): Promise<string> {
  const latest = await latestIfAny(store);
  if (latest !== null) {
    const same = await receipts.find(...joinReceipt({ ...request, release: latest.release }));
    const sha256 = same && (await sha256Of(putBodyOf(encodeManifest(same.manifest))));
    if (sha256 === latest.sha256) return latest.release;
  }
  const [, madeOf] = joinReceipt({ ...request, release: '' });
  const last = await receipts.find(...LAST, lastSchema);
  if (last?.made_of === madeOf) return last.release;
  const taken = new Set((await store.list(MANIFESTS)).map(({ name }) => releaseOfName(name)));
  const date = now.toISOString().slice(0, 10);
  let release = date;
  for (let n = 2; taken.has(release); n++) release = `${date}.${n}`;
  await receipts.keep(...LAST, { made_of: madeOf, release });
  return release;
}
