import type { WritableStore } from '../shards/store/store.ts';
import type { CountyFips } from '../shards/units.ts';
import { buildRegion, findRegion } from './build-region.ts';
import type { ReleaseRequest, Resources } from './build-request.ts';
import { BuildError } from './errors.ts';
import { findJoined, joinRelease, publishRelease } from './join/join-release.ts';
import { cutUnits, DEFAULT_UNIT_BLOCKS } from './plan/cut-units.ts';
import type { PathOf } from './plan/planned-input.ts';
import type { StoredPlan } from './plan/release-plan.ts';
import type { Progress } from './progress.ts';
import type { Receipts } from './receipts/receipts.ts';
import type { RegionReceipt } from './receipts/region-receipt.ts';

type Unit = readonly CountyFips[];

/**
 * A job of a build after its plan. Its results go to the store, so it can be repeated, or run on
 * any machine.
 */
export type BuildJob =
  | { readonly kind: 'unit'; readonly counties: Unit }
  /** Runs when all units are done. */
  | { readonly kind: 'join'; readonly units: readonly Unit[] }
  /** Runs after the units are joined, while no other process writes a release. */
  | { readonly kind: 'publish' };

/** The work that follows from a plan: all units, in any order, the join, the publication. */
export interface BuildJobs {
  readonly units: readonly Extract<BuildJob, { kind: 'unit' }>[];
  readonly join: BuildJob;
  readonly publish: BuildJob;
}

export function jobsOf({ plan }: StoredPlan, unitBlocks = DEFAULT_UNIT_BLOCKS): BuildJobs {
  const units = cutUnits(plan.counties, unitBlocks);
  return {
    units: units.map((counties) => ({ kind: 'unit', counties })),
    join: { kind: 'join', units },
    publish: { kind: 'publish' },
  };
}

/** The context that the jobs of one build run in. */
interface JobContext extends ReleaseRequest, Resources {
  readonly plan: StoredPlan;
  readonly pathOf: PathOf;
  readonly store: WritableStore;
  readonly progress: Progress;
  readonly receipts: Receipts;
}

/** Runs a job, on any machine; returns the counties that were searched for it. */
export async function runBuildJob(job: BuildJob, context: JobContext): Promise<Unit> {
  const { store, progress, receipts } = context;
  switch (job.kind) {
    case 'unit': {
      const unit = { ...context, counties: job.counties };
      return (await buildRegion(unit, store, progress, receipts)).searched;
    }
    case 'join':
      if (await findJoined(context, receipts)) return [];
      await joinRelease(context, await regionsOf(job.units, context), store, progress, receipts);
      return [];
    case 'publish': {
      const manifest = await findJoined(context, receipts);
      if (!manifest) throw lost(store, `release ${context.release}`);
      await publishRelease(store, manifest);
      return [];
    }
  }
}

async function regionsOf(
  units: readonly Unit[],
  { plan, receipts, store }: JobContext,
): Promise<RegionReceipt[]> {
  const regions: RegionReceipt[] = [];
  for (const counties of units) {
    const region = await findRegion(plan, counties, receipts);
    if (!region) throw lost(store, `the unit of ${counties.join(', ')}`);
    regions.push(region);
  }
  return regions;
}

function lost({ location }: WritableStore, what: string): BuildError {
  return new BuildError(
    `${location}: ${what} was built, but its receipt or an object it names is now missing or damaged; build again, intact objects are reused`,
  );
}
