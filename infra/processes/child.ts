import cluster, { type Worker } from 'node:cluster';
import type { RateWindow } from '../../portal/accounts/rate-window.ts';
import type { Latest } from '../../shards/manifest.ts';
import { UsageError } from '../errors.ts';
import type { ServeSettings } from '../settings/api-server.ts';
import type { Metrics, Order, RatesOf, Report } from './messages.ts';

const RELEASE_WITHIN_MS = 60_000;
const METRICS_WITHIN_MS = 5_000;

/** What it says when it has followed an order about a release. */
type Said = 'prepared' | 'swapped';

/** A process as its parent sees it: `member.ts` runs there. */
export class Child {
  readonly pid: number;
  /** Resolves when it listens. A `UsageError` when it ends before. */
  readonly serving: Promise<void>;
  /** How it ended, in words. */
  readonly ended: Promise<string>;
  /** The SHA-256 of the release that it serves, by its own word. */
  serves: string;
  isServing = false;
  /** What it has counted, by its last word. */
  counted: Metrics = [];
  readonly #worker: Worker;
  readonly #rates: Readonly<Record<RatesOf, RateWindow>>;
  #prepared: string | null = null;
  /** What it has been told to do with a release, and who waits to hear how that went. */
  #awaited: { said: Said; sha256: string; hear: (fault: string | null) => void } | null = null;
  /** Ends when everything that it was told about releases is done. */
  #releaseOrders: Promise<unknown> = Promise.resolve();
  #asked: Promise<Metrics> | null = null;
  #tellMetrics: ((metrics: Metrics) => void) | null = null;

  constructor(
    settings: ServeSettings,
    latest: Latest,
    rates: Readonly<Record<RatesOf, RateWindow>>,
  ) {
    const worker = cluster.fork();
    this.#worker = worker;
    this.#rates = rates;
    this.pid = worker.process.pid!;
    this.serves = latest.sha256;
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code, signal) => {
        this.isServing = false;
        this.#awaited?.hear(null);
        this.#tellMetrics?.(this.counted);
        resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`);
      });
    });
    this.serving = new Promise((resolve, reject) => {
      worker.on('message', (said: Report) => {
        if (said.report === 'begun') {
          this.tell({ order: 'serve', settings, latest });
        } else if (said.report === 'serving') {
          this.isServing = true;
          this.serves = said.sha256;
          resolve();
        } else if (said.report === 'failed') {
          reject(new UsageError(said.fault));
        } else this.#hear(said);
      });
      this.ended.then((how) => reject(new UsageError(`process ${this.pid} ${how} as it began`)));
    });
  }

  tell(order: Order): void {
    // One that has ended hears nothing, and is missed by `ended`.
    if (this.#worker.isConnected()) this.#worker.send(order, () => {});
  }

  /** Has it open a release beside the one it serves; why it cannot, if it cannot. */
  prepare(latest: Latest): Promise<string | null> {
    return this.#inTurn(async () => {
      const { sha256 } = latest;
      const fault = await this.#ask({ order: 'prepare', latest }, 'prepared', sha256);
      this.#prepared = fault === null ? sha256 : null;
      return fault;
    });
  }

  /** Has it serve a release that it has opened; why it does not, if it does not. */
  swap({ sha256 }: Latest): Promise<string | null> {
    return this.#inTurn(async () => {
      const fault = await this.#ask({ order: 'swap', sha256 }, 'swapped', sha256);
      if (fault === null) this.serves = sha256;
      else this.#prepared = null;
      return fault;
    });
  }

  isPrepared({ sha256 }: Latest): boolean {
    return this.#prepared === sha256;
  }

  /** What it has counted; of one that does not say, what it said last. */
  metrics(): Promise<Metrics> {
    this.#asked ??= new Promise<Metrics>((resolve) => {
      this.#tellMetrics = resolve;
      setTimeout(() => resolve(this.counted), METRICS_WITHIN_MS).unref();
      this.tell({ order: 'metrics' });
    }).finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Has it end after the requests that have begun, or, when that takes too long, before. */
  async close(withinMs: number): Promise<void> {
    this.tell({ order: 'close' });
    const late = setTimeout(() => this.kill(), withinMs);
    await this.ended;
    clearTimeout(late);
  }

  /** One order about releases at a time: each is answered, or late, before the next is given. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#releaseOrders.then(act);
    this.#releaseOrders = done;
    return done;
  }

  /** Gives an order about a release; why it was not followed, null from one that has ended. */
  async #ask(order: Order, said: Said, sha256: string): Promise<string | null> {
    let late: NodeJS.Timeout | undefined;
    const fault = await new Promise<string | null>((hear) => {
      this.#awaited = { said, sha256, hear };
      const words = `process ${this.pid} has not ${said} it within ${RELEASE_WITHIN_MS / 1000} s`;
      late = setTimeout(() => hear(words), RELEASE_WITHIN_MS);
      if (this.#worker.isConnected()) this.tell(order);
      else hear(null);
    });
    clearTimeout(late);
    this.#awaited = null;
    return fault;
  }

  #hear(said: Extract<Report, { report: Said | 'take' | 'metrics' }>): void {
    if (said.report === 'metrics') {
      this.counted = said.metrics;
      this.#tellMetrics?.(said.metrics);
    } else if (said.report === 'take') {
      const nowMs = Date.now();
      const rates = this.#rates[said.of];
      const taken = said.subjects.map((subject) => rates.take(subject, nowMs));
      this.tell({ order: 'taken', of: said.of, taken });
    } else if (said.report === this.#awaited?.said && said.sha256 === this.#awaited.sha256) {
      // What comes late is about another release: nobody waits for it any more.
      this.#awaited.hear(said.fault);
    }
  }
}
