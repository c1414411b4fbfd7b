import cluster from 'node:cluster';
import { createBirpc } from 'birpc';
import type { Write } from '../../portal/accounts/sqlite/operations.ts';
import type { Writer } from '../../portal/accounts/sqlite/writer.ts';
import type { ProcessCount } from '../../proxy/services.ts';
import { describe } from '../errors.ts';
import { CLOSE_WITHIN_MS, endsWithinMs } from '../listen.ts';
import { openService, type Serving } from '../serve.ts';
import { shutDownOnSignals } from '../shutdown-signals.ts';
import type { Metrics, ParentMethods, RateName, WorkerMethods } from './methods.ts';
import { ParentWriter } from './parent-writer.ts';
import { LeasedRates } from './rate-leases.ts';

/** Entry point of one of several processes, which serves as its parent directs. */
let serving: Serving | undefined;
let withinMs = CLOSE_WITHIN_MS;
let processes: ProcessCount = { serving: 1, wanted: 1, haveStarted: false };
const ending = shutDownOnSignals({
  // A service that is not open yet has no request to finish.
  close: async () => serving?.close(),
  cutOff: async () => serving?.cutOff(),
  withinMs: () => withinMs,
});

const methods: WorkerMethods = {
  async recall(of, subject) {
    // A lease that has just arrived takes a few microtask turns to be recorded.
    await new Promise(setImmediate);
    return rates[of].giveBack(subject);
  },
  async metrics() {
    return ((await serving?.registry?.getMetricsAsJSON()) ?? []) as Metrics;
  },
  setProcesses(count) {
    processes = count;
  },
  end: () => ending.begin(),
  cutOff: () => ending.cutShort(),
};
const parent = createBirpc<ParentMethods, WorkerMethods>(methods, {
  post: (message) => process.connected && process.send!(message, undefined, undefined, () => {}),
  on: (listener) => process.on('message', listener),
  // Calls do not time out: a debit that was given up here, and made later, would not be repaid.
  // Clients have their own limits.
  timeout: -1,
});
const leased = (of: RateName) =>
  new LeasedRates((subject, unused) => parent.lease(of, subject, unused));
const rates = { accounts: leased('accounts'), addresses: leased('addresses') };

/**
 * Opens a writer in this process. Loads its module only then, since other ledgers do not need it.
 */
async function openOwnWriter(file: string): Promise<Writer> {
  const { openWriter } = await import('../../portal/accounts/sqlite/writer.ts');
  return openWriter(file);
}
const committing = {
  isThere: () => process.connected,
  commit: (writes: readonly Write[]) => parent.commit(writes),
};

// By default a process whose parent is gone would exit in the middle of its responses.
cluster.worker!.exitedAfterDisconnect = true;
process.on('disconnect', () => {
  parent.$close();
  ending.begin();
});

try {
  const first = await parent.begin();
  if (first === null) process.exit(0);
  const { number, settings } = first;
  withinMs = endsWithinMs(settings);
  // Known before the parent has counted this process.
  processes = { ...processes, wanted: settings.processes };
  serving = await openService(settings, {
    accountRates: rates.accounts,
    addressRates: rates.addresses,
    processes: () => processes,
    openWriter: (file) => new ParentWriter(committing, () => openOwnWriter(file)),
  });
  serving.registry?.setDefaultLabels({ process: number });
  await serving.listen();
  await parent.serving(serving.releases.current.version);
} catch (error) {
  await parent.failed(describe(error)).catch(() => {});
  process.exit(1);
}
