import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BirpcReturn, createBirpc } from 'birpc';
import { AggregatorRegistry, Registry } from 'prom-client';
import { proxyConfigSchema } from '../../proxy/config.ts';
import type { ProcessCount } from '../../proxy/services.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { UsageError } from '../errors.ts';
import { endsWithinMs, localUrl, settledPort, whereabouts } from '../listen.ts';
import { type MetricsServer, serveMetrics } from '../observe/metrics-server.ts';
import { addProcesses } from '../observe/process-metrics.ts';
import type { ServeSettings } from '../settings/api-server.ts';
import type { ParentMethods, RateName, WorkerMethods } from './methods.ts';
import { RateLeases } from './rate-leases.ts';

const WINDOW_MS = 60_000;
const DEATHS_OF_EACH = 3;
const FIRST_PAUSE_MS = 100;
export const LONGEST_PAUSE_MS = 5_000;

/**
 * When a process that died is started again: the first at once, the next after pauses that double.
 * Processes that die more than three times each within a minute are not mended by that.
 */
export class Restarts {
  readonly #processes: number;
  #deathsMs: number[] = [];

  constructor(processes: number) {
    this.#processes = processes;
  }

  /** Notes a death: how long to wait before the next start, or `null` to give up. */
  died(nowMs: number): number | null {
    this.#deathsMs = this.#deathsMs.filter((atMs) => nowMs - atMs < WINDOW_MS);
    const earlier = this.#deathsMs.push(nowMs) - 1;
    if (earlier >= DEATHS_OF_EACH * this.#processes) return null;
    return earlier === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (earlier - 1), LONGEST_PAUSE_MS);
  }
}

const PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url));
/** A process that does not answer in time is left out of the metrics. */
const ANSWERS_WITHIN_MS = 5_000;

interface Served {
  /** Where they are, for the person who started them. */
  readonly whereabouts: string;
  /** The release that the first of them serves. */
  readonly release: string;
  /** Where the metrics of all of them are; null if nowhere. */
  readonly metricsAddress: string | null;
}

/** A process that serves, or begins to. */
interface Member {
  readonly worker: Worker;
  readonly methods: BirpcReturn<WorkerMethods, ParentMethods>;
  /** How it ended, in words. */
  readonly ended: Promise<string>;
  isServing: boolean;
}

/**
 * Serves the API by several processes, which accept connections from one port, each by itself. This one
 * serves nothing: it starts another where one dies, leases rates to them, and tells their metrics.
 */
export class ServingProcesses {
  /** Resolves, with words for a person, when they die too often to be started again. */
  readonly gaveUp: Promise<string>;
  readonly #note: (words: string) => void;
  readonly #restarts: Restarts;
  readonly #rates: Readonly<Record<RateName, RateLeases<Member>>>;
  readonly #members = new Set<Member>();
  #settings: ServeSettings;
  #metrics: MetricsServer | null = null;
  #giveUp: (words: string) => void = () => {};
  #haveStarted = false;
  #isClosing = false;

  constructor(settings: ServeSettings, note: (words: string) => void) {
    this.#settings = settings;
    this.#note = note;
    this.#restarts = new Restarts(settings.processes);
    const leases = (of: RateName, limit: number) =>
      new RateLeases<Member>(limit, settings.processes, ({ methods }, subject) =>
        methods.recall(of, subject),
      );
    const { freeRateLimitPerMinute } = proxyConfigSchema.parse(settings.proxy);
    this.#rates = {
      accounts: leases('accounts', settings.rateLimitPerMinute),
      addresses: leases('addresses', freeRateLimitPerMinute),
    };
    this.gaveUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
  }

  /** Starts all of them. A `UsageError` where they cannot begin; then none is left. */
  async begin(): Promise<Served> {
    // By turns, a connection that is on its way to a process as that dies would never be answered.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: PROGRAM, args: [] });
    const { processes, host, metricsPort } = this.#settings;
    // One that starts later is to share the port that the first has got.
    const at = { host, port: await settledPort(this.#settings) };
    this.#settings = { ...this.#settings, ...at };
    try {
      // The first finds out what is wrong for all of them.
      const first = await this.#start(1);
      const numbers = Array.from({ length: processes - 1 }, (_, i) => i + 2);
      const others = await Promise.all(numbers.map((number) => this.#start(number)));
      this.#haveStarted = true;
      this.#tellCount();
      for (const [i, { member }] of [first, ...others].entries()) void this.#keep(i + 1, member);
      if (metricsPort !== null) {
        const all = {
          contentType: Registry.PROMETHEUS_CONTENT_TYPE,
          metrics: () => this.#reported(),
        };
        this.#metrics = await serveMetrics(all, { port: metricsPort, host });
      }
      return {
        whereabouts: whereabouts(this.#settings.proxy.baseUrl ?? localUrl(at), at),
        release: first.release,
        metricsAddress: this.#metrics?.address ?? null,
      };
    } catch (error) {
      // Told to end meanwhile, a start comes to nothing: whoever said so ends this process.
      if (this.#isClosing) return new Promise(() => {});
      await this.close();
      throw error;
    }
  }

  /** Ends all of them after the requests that have begun. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { methods } of this.#members) void methods.end.asEvent();
    const late = setTimeout(() => this.kill(), endsWithinMs(this.#settings));
    await Promise.all(Array.from(this.#members, ({ ended }) => ended));
    clearTimeout(late);
    await this.#metrics?.close();
  }

  /** Ends all of them at once. */
  kill(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
  }

  /** Starts a process; resolves when it serves. */
  #start(number: number): Promise<{ member: Member; release: string }> {
    return new Promise((resolve, reject) => {
      const worker = cluster.fork();
      const own: ParentMethods = {
        begin: () => ({ number, settings: this.#settings }),
        serving: (release) => {
          member.isServing = true;
          this.#tellCount();
          resolve({ member, release });
        },
        failed: (fault) => reject(new UsageError(fault)),
        lease: (of, subject, unused) => this.#rates[of].lease(member, subject, unused, Date.now()),
      };
      const methods = createBirpc<WorkerMethods, ParentMethods>(own, {
        post: (message) => worker.isConnected() && worker.send(message, () => {}),
        on: (listener) => worker.on('message', listener),
        timeout: ANSWERS_WITHIN_MS,
      });
      const ended = new Promise<string>((end) => {
        worker.once('exit', (code, signal) => {
          const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
          end(`process ${worker.process.pid} ${how}`);
        });
      });
      const member: Member = { worker, methods, ended, isServing: false };
      this.#members.add(member);
      ended.then((how) => {
        this.#members.delete(member);
        methods.$close();
        this.#tellCount();
        reject(new UsageError(`${how} as it began`));
      });
    });
  }

  /**
   * Starts another process each time that one dies. What a process cannot begin without may be away for
   * a while, such as the store: where others serve, it is tried for as long as that takes.
   */
  async #keep(number: number, first: Member): Promise<void> {
    let why = await first.ended;
    let hasServed = true;
    while (!this.#isClosing) {
      const isOnlyLate = !hasServed && this.#serving().length > 0;
      const pauseMs = isOnlyLate ? LONGEST_PAUSE_MS : this.#restarts.died(Date.now());
      if (pauseMs === null) {
        const end = 'processes end too often to be started again; mend that and start anew';
        return this.#giveUp(`${why}: ${end}`);
      }
      this.#note(`${why}; another is started${pauseMs > 0 ? ` in ${pauseMs} ms` : ''}`);
      await pause(pauseMs);
      if (this.#isClosing) return;
      try {
        const { member } = await this.#start(number);
        hasServed = true;
        why = await member.ended;
      } catch (error) {
        hasServed = false;
        why = messageOf(error);
      }
    }
  }

  #serving(): Member[] {
    return [...this.#members].filter(({ isServing }) => isServing);
  }

  #count(): ProcessCount {
    const { processes: wanted } = this.#settings;
    return { serving: this.#serving().length, wanted, haveStarted: this.#haveStarted };
  }

  #tellCount(): void {
    for (const { methods } of this.#serving()) void methods.setProcesses.asEvent(this.#count());
  }

  /** The metrics of all: each series has a `process`, so that one that starts anew is seen to. */
  async #reported(): Promise<string> {
    const own = new Registry();
    addProcesses(own, () => this.#count());
    const each = this.#serving().map(({ methods }) => methods.metrics().catch(() => []));
    const all = await Promise.all([own.getMetricsAsJSON(), ...each]);
    return AggregatorRegistry.aggregate(all).metrics();
  }
}
