import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import { messageOf } from '../../shards/error-facts.ts';
import type { Release } from '../../shards/release.ts';
import { describe } from '../errors.ts';
import { CLOSE_WITHIN_MS, endsWithinMs } from '../listen.ts';
import { type Serving, serve } from '../serve.ts';
import type { Order, RatesOf, Report } from './messages.ts';
import { SharedRates } from './shared-rates.ts';

/** The program of one process of many: it serves what the parent says, and says how it fares. */
const report = (said: Report) => {
  // A parent that is gone hears nothing; that it is, `disconnect` says.
  if (process.connected) process.send!(said, () => {});
};
const ratesOf = (of: RatesOf) =>
  new SharedRates((subjects) => report({ report: 'take', of, subjects }));
const rates = { accounts: ratesOf('accounts'), addresses: ratesOf('addresses') };
let serving: Serving | null = null;
let prepared: Release | null = null;
/** Ends when everything that was said about releases is done, one thing after the other. */
let releaseOrders: Promise<void> = Promise.resolve();
let processes = { serving: 1, wanted: 1 };

let grace = closeWithGrace({ delay: CLOSE_WITHIN_MS }, async () => serving?.close());

process.on('message', (said: Order) => void obey(said));
// By itself a process whose parent is gone would end in the middle of its answers.
cluster.worker!.exitedAfterDisconnect = true;
report({ report: 'begun' });
process.on('disconnect', () => {
  // Nobody accepts connections for it any more, nor counts.
  for (const counter of Object.values(rates)) counter.cut();
  grace.close();
});

async function obey(said: Order): Promise<void> {
  switch (said.order) {
    case 'serve':
      return begin(said);
    case 'prepare':
      releaseOrders = releaseOrders.then(() => prepare(said));
      return releaseOrders;
    case 'swap':
      releaseOrders = releaseOrders.then(() => swap(said));
      return releaseOrders;
    case 'looked':
      if (serving) serving.releases.failuresInARow = said.failuresInARow;
      return;
    case 'taken':
      return rates[said.of].answered(said.taken);
    case 'count':
      processes = said.processes;
      return;
    case 'metrics':
      return tellMetrics();
    case 'close':
      grace.close();
  }
}

async function begin({ settings, latest }: Extract<Order, { order: 'serve' }>): Promise<void> {
  grace.uninstall();
  grace = closeWithGrace({ delay: endsWithinMs(settings) }, async () => serving?.close());
  try {
    serving = await serve(settings, {
      latest,
      accountRates: rates.accounts,
      addressRates: rates.addresses,
      processes: () => processes,
    });
    report({ report: 'serving', sha256: latest.sha256 });
  } catch (error) {
    process.send!({ report: 'failed', fault: describe(error) } satisfies Report, () =>
      process.exit(1),
    );
  }
}

async function tellMetrics(): Promise<void> {
  const metrics = (await serving?.registry?.getMetricsAsJSON()) ?? [];
  report({ report: 'metrics', metrics });
}

/** Opens a release beside the one in force, unless it is that. */
async function prepare({ latest }: Extract<Order, { order: 'prepare' }>): Promise<void> {
  const { sha256 } = latest;
  let fault: string | null = null;
  try {
    const isOpen = prepared?.latest.sha256 === sha256;
    if (!isOpen) prepared = await serving!.releases.prepare(latest);
  } catch (error) {
    fault = messageOf(error);
  }
  report({ report: 'prepared', sha256, fault });
}

/** Serves the release that was opened last, if that is the one. */
function swap({ sha256 }: Extract<Order, { order: 'swap' }>): void {
  const isOpen = prepared?.latest.sha256 === sha256;
  if (isOpen) serving!.releases.putInForce(prepared!);
  const fault = isOpen ? null : 'another release has been opened since';
  report({ report: 'swapped', sha256, fault });
}
