import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RateWindow } from '../../portal/accounts/rate-window.ts';
import { proxyConfigSchema } from '../../proxy/config.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { readLatest } from '../../shards/latest.ts';
import type { Latest } from '../../shards/manifest.ts';
import { openStore } from '../../shards/store/open-store.ts';
import type { Store } from '../../shards/store/store.ts';
import { endsWithinMs, localUrl, settledPort, whereabouts } from '../listen.ts';
import { type MetricsServer, serveMetrics } from '../observe/metrics-server.ts';
import type { ServeSettings } from '../settings/api-server.ts';
import { Child } from './child.ts';
import type { RatesOf } from './messages.ts';
import { MetricsOfAll } from './metrics-of-all.ts';
import { LONGEST_PAUSE_MS, Restarts } from './restarts.ts';

const PROGRAM = fileURLToPath(new URL('./member.js', import.meta.url));

export interface ServingProcesses {
  readonly release: string;
  /** Where they are, for the person who started them. */
  readonly whereabouts: string;
  /** Where the metrics of all of them are; null if nowhere. */
  readonly metricsAddress: string | null;
  /** Resolves, with words for a person, when the processes die too often to be started again. */
  readonly gaveUp: Promise<string>;
  close(): Promise<void>;
}

/**
 * Serves the API by several processes that accept connections from one port. This one counts rates
 * for all, follows `latest.json`, and starts again what dies; it answers nothing itself. A
 * `UsageError` where they cannot begin.
 */
export async function serveByProcesses(
  settings: ServeSettings,
  note: (words: string) => void,
): Promise<ServingProcesses> {
  const store = await openStore(settings.store);
  const parent = new Parent(settings, store, await readLatest(store), note);
  try {
    const whereabouts = await parent.begin();
    return {
      ...{ whereabouts, release: parent.inForce.release, gaveUp: parent.gaveUp },
      metricsAddress: parent.metrics?.address ?? null,
      close: () => parent.close(),
    };
  } catch (error) {
    await parent.close();
    throw error;
  }
}

class Parent {
  readonly gaveUp: Promise<string>;
  /** What all serve. */
  inForce: Latest;
  metrics: MetricsServer | null = null;
  readonly #settings: ServeSettings;
  readonly #store: Store;
  readonly #note: (words: string) => void;
  readonly #rates: Readonly<Record<RatesOf, RateWindow>>;
  readonly #restarts: Restarts;
  readonly #counts: MetricsOfAll;
  readonly #children = new Set<Child>();
  #giveUp: (words: string) => void = () => {};
  #poll: NodeJS.Timeout | null = null;
  #isSwapping = false;
  /** Looks for a newer release that failed since the last that did not. */
  #failuresInARow = 0;
  #isClosing = false;

  constructor(
    settings: ServeSettings,
    store: Store,
    latest: Latest,
    note: (words: string) => void,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#note = note;
    this.inForce = latest;
    this.#restarts = new Restarts(settings.processes);
    // Who still begins could not answer.
    this.#counts = new MetricsOfAll(() => this.#serving(), settings.processes);
    this.#rates = {
      accounts: new RateWindow(settings.rateLimitPerMinute),
      addresses: new RateWindow(proxyConfigSchema.parse(settings.proxy).freeRateLimitPerMinute),
    };
    this.gaveUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
    // By turns, a connection that is on its way to a process as that dies would never be answered.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: PROGRAM, args: [] });
  }

  /** Starts one, which finds out what is wrong for all of them, and then the others. */
  async begin(): Promise<string> {
    // One that starts later is to share the port that the first has got.
    const at = { host: this.#settings.host, port: await settledPort(this.#settings) };
    const settings = { ...this.#settings, ...at };
    const first = await this.#start(settings);
    const others = Array.from({ length: settings.processes - 1 }, () => this.#start(settings));
    for (const child of [first, ...(await Promise.all(others))]) this.#lookAfter(child, settings);
    this.#poll = setInterval(() => void this.#follow(), settings.releasePollMs);
    const { metricsPort, host } = settings;
    if (metricsPort !== null) {
      this.metrics = await serveMetrics(this.#counts, { port: metricsPort, host });
    }
    return whereabouts(settings.proxy.baseUrl ?? localUrl(at), at);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#poll) clearInterval(this.#poll);
    await Promise.all(
      Array.from(this.#children, (child) => child.close(endsWithinMs(this.#settings))),
    );
    await this.metrics?.close();
    await this.#store.close();
  }

  /** Starts a process. A `UsageError` where it ends before it serves. */
  async #start(settings: ServeSettings): Promise<Child> {
    const child = new Child(settings, this.inForce, this.#rates);
    this.#children.add(child);
    child.ended.then(() => {
      this.#children.delete(child);
      this.#counts.bury(child);
    });
    await child.serving;
    this.#tellCount();
    await this.#align(child);
    return child;
  }

  /** Starts another process when this one has died. */
  #lookAfter(child: Child, settings: ServeSettings): void {
    child.ended.then(async (how) => {
      this.#tellCount();
      if (!this.#isClosing) await this.#replace(settings, `process ${child.pid} ${how}`);
    });
  }

  /**
   * Starts one in the place of one that died. What it cannot begin without may be away for a while,
   * such as the store: where others serve without it, it is tried for as long as that takes.
   */
  async #replace(settings: ServeSettings, died: string): Promise<void> {
    let why = died;
    let pauseMs = this.#restarts.died(Date.now());
    while (pauseMs !== null) {
      this.#note(`${why}; another is started${pauseMs > 0 ? ` in ${pauseMs} ms` : ''}`);
      await pause(pauseMs);
      if (this.#isClosing) return;
      try {
        return this.#lookAfter(await this.#start(settings), settings);
      } catch (error) {
        if (this.#isClosing) return;
        why = messageOf(error);
        const isServed = this.#serving().length > 0;
        pauseMs = isServed ? LONGEST_PAUSE_MS : this.#restarts.died(Date.now());
      }
    }
    this.#giveUp(`${why}: processes end too often to be started again; mend that and start anew`);
  }

  /** Has all serve what `latest.json` names now, if it is another and all of them can open it. */
  async #follow(): Promise<void> {
    if (this.#isSwapping) return;
    this.#isSwapping = true;
    try {
      const next = await readLatest(this.#store);
      const isServed = next.sha256 === this.inForce.sha256 || (await this.#swap(next));
      this.#failuresInARow = isServed ? 0 : this.#failuresInARow + 1;
    } catch (error) {
      this.#failuresInARow++;
      this.#note(`release poll failed: ${messageOf(error)}`);
    } finally {
      this.#isSwapping = false;
    }
    const failuresInARow = this.#failuresInARow;
    for (const child of this.#serving()) child.tell({ order: 'looked', failuresInARow });
  }

  /** Whether all serve it now. */
  async #swap(next: Latest): Promise<boolean> {
    const faults = await Promise.all(this.#serving().map((child) => child.prepare(next)));
    const fault = faults.find((fault) => fault !== null);
    if (fault !== undefined) {
      this.#note(`release ${next.release} is not served, ${this.inForce.release} stays: ${fault}`);
      return false;
    }
    this.inForce = next;
    // All that have opened it at once; who began to serve meanwhile, as soon as it has.
    await Promise.all(this.#serving().map((child) => this.#align(child)));
    return true;
  }

  /** Has a process serve the release in force. */
  async #align(child: Child): Promise<void> {
    while (child.isServing && child.serves !== this.inForce.sha256) {
      const wanted = this.inForce;
      const fault = child.isPrepared(wanted) ? null : await child.prepare(wanted);
      if (fault !== null) return child.kill();
      // One that has not swapped opens the release anew, or is ended.
      await child.swap(wanted);
    }
  }

  #serving(): Child[] {
    return [...this.#children].filter((child) => child.isServing);
  }

  #tellCount(): void {
    const serving = this.#serving();
    const processes = { serving: serving.length, wanted: this.#settings.processes };
    for (const child of serving) child.tell({ order: 'count', processes });
  }
}
