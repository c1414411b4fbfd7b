import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { nullIfMissing } from '../../shards/errors.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { StoreBusy } from '../errors.ts';
import { type LockWait, SWEEP_LOCK, withLock } from './locks.ts';

/** Folder of leases, one for each build whose objects workers write. */
const LEASES = 'leases/';
/**
 * Time from a lease's last renewal until it expires; longer than any pause between two attempts at
 * a job.
 */
export const LEASE_LAPSES_MS: Millis = 10 * 60_000;
const RENEWALS = 10;
const SWEEP_WAIT_MS: Millis = 5 * 60_000;

/** How long the beginning of a lease waits for garbage collection, by default five minutes. */
type SweepWait = Partial<LockWait> & Pick<LockWait, 'onWait'>;

/**
 * Declares that workers write objects of a build, which no manifest names yet, so that they are not
 * garbage-collected until the lease ends or expires. All workers of a build share its lease, and
 * keep it between jobs. Waits for a process that is removing objects, or beginning a lease at this
 * moment. Rejects with `StoreBusy` if that takes longer than `patience` allows.
 */
export function beginLease(
  store: WritableStore,
  build: string,
  patience: SweepWait,
): Promise<void> {
  const refusal = (owner: string) =>
    `${owner} is removing unused objects, or about to write to it; wait until it is done`;
  return withLock(store, SWEEP_LOCK, refusal, () => renew(store, build), {
    ms: SWEEP_WAIT_MS,
    ...patience,
  });
}

/** Runs `work` under a build's lease, which stays in place for the build's later jobs. */
export async function withLease<T>(
  store: WritableStore,
  build: string,
  work: () => Promise<T>,
  { lapsesMs = LEASE_LAPSES_MS, ...patience }: SweepWait & { lapsesMs?: Millis },
): Promise<T> {
  await beginLease(store, build, patience);
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // A failed renewal may succeed next time; if the lease expires, publication detects what is
    // missing.
    renewing = renewing.then(() => renew(store, build)).catch(() => {});
  }, lapsesMs / RENEWALS);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewing;
  }
}

/** Ends a build's lease once its manifest names what it has written. */
export function endLease(store: WritableStore, build: string): Promise<void> {
  return store.remove(nameOf(build));
}

/**
 * Runs `work`, which removes unneeded objects, while no worker writes. Rejects with `StoreBusy` if
 * a lease was renewed less than `lapsesMs` ago by the store's own clock.
 */
export function withWritesExcluded<T>(
  store: WritableStore,
  work: () => Promise<T>,
  lapsesMs = LEASE_LAPSES_MS,
): Promise<T> {
  const refusal = (owner: string) => `${owner} is about to write to it or clean it up; try again`;
  return withLock(store, SWEEP_LOCK, refusal, async () => {
    const leases = (await store.list(LEASES)).filter(({ name }) => name.endsWith('.json'));
    const nowMs = leases.length === 0 ? 0 : await clockOf(store);
    for (const { name, modifiedMs } of leases) {
      const agoMs = nowMs - modifiedMs;
      if (agoMs > lapsesMs) continue;
      const lease = await nullIfMissing(store.readWhole(name));
      // It has ended since it was listed.
      if (lease === null) continue;
      const minutes = Math.ceil((lapsesMs - agoMs) / 60_000);
      throw new StoreBusy(
        `${store.location}: workers of a build are writing to it (last ${Buffer.from(lease.bytes)}, ${Math.max(0, Math.round(agoMs / 1000))} s ago); wait until it is done or, if they have died, ${minutes} minutes`,
      );
    }
    return work();
  });
}

function nameOf(build: string): string {
  return `${LEASES}${build}.json`;
}

async function renew(store: WritableStore, build: string): Promise<void> {
  // The content always differs, since unchanged content would not be written again.
  const lease = `process ${process.pid} on ${hostname()}, renewal ${randomUUID().slice(0, 8)}`;
  await store.putContent(nameOf(build), Buffer.from(lease));
}

/** Returns the time by the clock that dates objects, possibly that of another machine. */
async function clockOf(store: WritableStore): Promise<Millis> {
  const probe = `${LEASES}clock`;
  await store.putContent(probe, Buffer.from(randomUUID()));
  const [now] = await store.list(probe);
  await store.remove(probe);
  return now?.modifiedMs ?? Date.now();
}
