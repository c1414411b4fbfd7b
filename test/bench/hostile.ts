import { constants } from 'node:os';
import path from 'node:path';
import { runHour } from '../conformance/hostile-hour/run-hour.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';

const PROGRAMS = path.resolve('dist/test/conformance/hostile-hour');
const WANTED_MS = 100;
const SECONDS = 15;
/**
 * Requests per minute. The honest client stays within `limited`, which hostile keys soon reach;
 * `unlimited` is never reached.
 */
const LIMITS = { limited: 1_200, unlimited: 1e9 };

/**
 * Measures the latency of an honest client alongside a hostile one on 64 connections, and the peak
 * memory of the service. `idle_p99_ms`, of the honest client alone, is the machine's baseline.
 */
export async function benchHostile({ store, folder }: Built): Promise<void> {
  for (const [name, perMinute] of Object.entries(LIMITS)) {
    const ledger = path.join(folder, `hostile-ledger-${name}`);
    const hour = await runHour(store, ledger, {
      perMinute,
      programs: PROGRAMS,
      seconds: SECONDS,
      // Real attackers have their own machines: here they get what the service leaves.
      priority: constants.priority.PRIORITY_LOW,
    });
    const { idle, beside, hostile, peakMb, maxMb } = hour;
    figure(`hostile.${name}.honest_p99`, beside.p99, 'ms', {
      wanted_ms: WANTED_MS,
      idle_p99_ms: idle.p99,
      p50_ms: beside.p50,
      longest_ms: beside.longest,
      requests: beside.requests,
      failed: beside.failures.length,
      attacks: hostile.attacks,
      statuses: hostile.statuses,
    });
    figure(`hostile.${name}.peak_memory`, peakMb, 'MB', { wanted_mb: maxMb });
  }
}
