import path from 'node:path';
import { Random } from '../../infra/demo/seeded-random.ts';
import { totalsOf, withLedger } from '../support/account-totals.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { residentMemory } from './resident-memory.ts';
import { openAccounts, startService } from './service.ts';
import { ROUTES } from './targets.ts';
import { CONNECTIONS, load, type Target } from './wrk.ts';

const ACCOUNTS = 64;
/** Number of requests; an hour's soak has ten million. */
const REQUESTS = Number(process.env.SOAK_REQUESTS ?? 200_000);
const SLICE_SECONDS = 5;
const SEED = 20_260_104;
const MEBIBYTE = 2 ** 20;
const CACHE_BYTES = 128 * MEBIBYTE;
/** Megabytes that the process may take besides its caches. */
const BESIDE_MB = 250;

/**
 * Sends many mixed requests of all routes (`SOAK_REQUESTS` sets the number), measures the peak
 * memory of the service, and checks that the ledger adds up.
 */
export async function benchSoak({ store, release, places, folder }: Built): Promise<void> {
  const ledger = path.join(folder, 'soak-ledger');
  const keys = await openAccounts(ledger, ACCOUNTS);
  const env = { CACHE_BYTES: String(CACHE_BYTES) };
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
      wanted_mb: CACHE_BYTES / MEBIBYTE + BESIDE_MB,
      samples_mb: samples,
      sample_every_s: SLICE_SECONDS,
      requests,
      targets: targets.length,
    });
    await stop();
    await checkBooks(ledger, requests, samples.length);
  } finally {
    await stop();
  }
}

/** Throws unless every completed request has been paid for, and every token is accounted for. */
async function checkBooks(folder: string, answered: number, slices: number): Promise<void> {
  let paid = 0;
  await withLedger(folder, async (ledger) => {
    for await (const { id } of ledger.allAccounts()) {
      const { granted, used, requests, balance } = await totalsOf(ledger, id);
      if (granted - used !== balance)
        throw new Error(`account ${id}: ${granted} − ${used} is not ${balance}`);
      paid += requests;
    }
  });
  // At the end of a slice, each connection has a request in flight that is not counted as
  // completed.
  const most = answered + slices * CONNECTIONS;
  if (paid < answered || paid > most) {
    throw new Error(`${paid} requests were paid for; ${answered} to ${most} were answered`);
  }
}
