import path from 'node:path';
import { runFuzz } from '../conformance/fuzz/run-fuzz.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';

const REQUESTS = 1_000_000;
const SEED = 20_260_105;

/**
 * Sends random requests to the service, valid and invalid, and counts the outcomes. Throws, with
 * the requests that show it, if any response was wrong or its charge differed from what was
 * delivered and debited. `FUZZ_REQUESTS` sets the number of requests, `FUZZ_SEED` selects them.
 */
export async function benchFuzz({ store, folder }: Built): Promise<void> {
  const requests = Number(process.env.FUZZ_REQUESTS ?? REQUESTS);
  const seed = Number(process.env.FUZZ_SEED ?? SEED);
  const report = await runFuzz(store, path.join(folder, 'fuzz-ledger'), { requests, seed });
  const charged = [...report.charged.values()];
  figure('fuzz.faults', report.faultCount, 'responses', {
    requests: report.requests,
    seed,
    follow_ups: report.followUps,
    statuses: Object.fromEntries([...report.statuses].sort(([a], [b]) => a - b)),
    tokens: charged.reduce((sum, { tokens }) => sum + tokens, 0),
    worth: charged.reduce((sum, { worth }) => sum + worth, 0),
    accounts: charged.filter(({ tokens }) => tokens > 0).length,
    largest_error_bytes: report.largestError,
    requests_per_second: Math.round(report.requests / report.seconds),
  });
  if (report.faultCount > 0) throw new Error(`seed ${seed}:\n${report.faults.join('\n')}`);
}
