import path from 'node:path';
import { Random } from '../../infra/demo/seeded-random.ts';
import { ReleaseCache } from '../../shards/release-cache.ts';
import { openRelease } from '../../shards/release-source.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { figure } from './figure.ts';
import type { Place } from './places.ts';
import { residentMemory } from './resident-memory.ts';
import { openAccounts, startService } from './service.ts';
import { ROUTES } from './targets.ts';
import { load, type Target } from './wrk.ts';

const ACCOUNTS = 64;
const REQUESTS = 200_000;
const SLICE_SECONDS = 5;
const SEED = 20_260_104;
const MEBIBYTE = 2 ** 20;
const ANSWER_CACHE_BYTES = 64 * MEBIBYTE;
const HEAD_CACHE_BYTES = 64 * MEBIBYTE;
/** What the process may take beside its caches. */
const BESIDE_MB = 250;

/** Many requests of all routes, mixed, and the memory the service comes to. */
export async function benchSoak(
  store: string,
  places: readonly Place[],
  folder: string,
): Promise<void> {
  const ledger = path.join(folder, 'soak-ledger');
  const keys = await openAccounts(ledger, ACCOUNTS);
  const opened = new FolderStore(store);
  const release = await openRelease(opened, new ReleaseCache(1 << 30));
  const env = {
    ANSWER_CACHE_BYTES: String(ANSWER_CACHE_BYTES),
    HEAD_CACHE_BYTES: String(HEAD_CACHE_BYTES),
  };
  const { address, pid, stop } = await startService(store, ledger, env);
  try {
    const measured = { release, places, address, key: keys[0] };
    const paths: string[] = [];
    for (const pathsOf of Object.values(ROUTES)) paths.push(...(await pathsOf(measured)));
    const targets = new Random(SEED).shuffle(paths).map((path, i): Target => {
      return { path, key: keys[i % keys.length] };
    });

    const samples: number[] = [];
    let requests = 0;
    while (requests < REQUESTS) {
      requests += (await load(address, targets, { seconds: SLICE_SECONDS })).requests;
      samples.push(await residentMemory(pid, 'VmRSS'));
    }
    figure('soak.peak_memory', await residentMemory(pid, 'VmHWM'), 'MB', {
      wanted_mb: (ANSWER_CACHE_BYTES + HEAD_CACHE_BYTES) / MEBIBYTE + BESIDE_MB,
      samples_mb: samples,
      sample_every_s: SLICE_SECONDS,
      requests,
      targets: targets.length,
    });
  } finally {
    await stop();
    await opened.close();
  }
}
