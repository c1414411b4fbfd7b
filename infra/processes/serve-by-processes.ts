import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BirpcReturn, createBirpc } from 'birpc';
import { openSharedWriter } from '../../portal/accounts/open-ledger.ts';
import type { Write } from '../../portal/accounts/sqlite/operations.ts';
import { failureOf, type Reply } from '../../portal/accounts/sqlite/reply.ts';
import type { Writer } from '../../portal/accounts/sqlite/writer.ts';
import { proxyConfigSchema } from '../../proxy/config.ts';
import type { ProcessCount } from '../../proxy/services.ts';
import { onDemand } from '../../shards/concurrency/on-demand.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { UsageError } from '../errors.ts';
import { endsWithinMs, localUrl, settledPort, whereabouts } from '../listen.ts';
import { type MetricsServer, serveMetrics } from '../observe/metrics-server.ts';
import type { ServeSettings } from '../settings/api-server.ts';
import type { ParentMethods, RateName, WorkerMethods } from './methods.ts';
import { RateLeases } from './rate-leases.ts';

const WINDOW_MS = 60_000;
const DEATHS_OF_EACH = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Decides when to restart a process that died: the first immediately, later ones after pauses that
 * double. If processes die more than three times each within a minute, or before they serve,
 * restarting does not help.
 */
export class Restarts {
  readonly #processes: number;
  #deathsMs: number[] = [];

  constructor(processes: number) {
    this.#processes = processes;
  }

  /** Records a death; returns the pause before the next start, or `null` to give up. */
  died(nowMs: number, { hasServed = true } = {}): number | null {
    // On a busy machine, a few starts that fail take more than a minute.
    if (hasServed) this.#deathsMs = this.#deathsMs.filter((atMs) => nowMs - atMs < WINDOW_MS);
    const earlier = this.#deathsMs.push(nowMs) - 1;
    if (earlier >= DEATHS_OF_EACH * this.#processes) return null;
    return earlier === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (earlier - 1), LONGEST_PAUSE_MS);
  }
}

const PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url));
/** A process that does not respond in time is left out of the metrics. */
const RESPONSE_TIMEOUT_MS = 5_000;

interface Served {
  /** Text for the user on where the processes can be reached. */
  readonly whereabouts: string;
  /** The release that the first process serves. */
  readonly release: string;
  /** Address of the processes' combined metrics; null if they are not served. */
  readonly metricsAddress: string | null;
}

/** The end of a start that is stopped meanwhile, since the caller of `close` exits the process. */
const NEVER = new Promise<never>(() => {});

/** A process that is serving or starting. */
interface Member {
  readonly worker: Worker;
  readonly methods: BirpcReturn<WorkerMethods, ParentMethods>;
  /** Resolves with a message once the process has exited. */
  readonly ended: Promise<string>;
  isServing: boolean;
}

/**
 * Serves the API with several processes, which accept connections on one port independently. This
 * process serves no requests. It restarts processes that die, leases rates to them, commits their
 * changes to an embedded ledger, and serves their combined metrics.
 */
export class ServingProcesses {
  /** Resolves with a message when processes die too often to be restarted. */
  readonly gaveUp: Promise<string>;
  readonly #note: (words: string) => void;
  readonly #restarts: Restarts;
  readonly #rates: Readonly<Record<RateName, RateLeases<Member>>>;
  readonly #members = new Set<Member>();
  #settings: ServeSettings;
  #metrics: MetricsServer | null = null;
  /**
   * Opens the writer that commits the changes of all processes to an embedded ledger, with the
   * first change.
   */
  readonly #openWriter = onDemand(async () => {
    this.#writer = await openSharedWriter(this.#settings.ledger);
    return this.#writer;
  });
  #writer: Writer | null = null;
  #giveUp: (words: string) => void = () => {};
  #haveStarted = false;
  #isClosing = false;
  #late: NodeJS.Timeout | undefined;

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

  /** Starts all processes. Throws a `UsageError` if they cannot start, leaving none running. */
  async begin(): Promise<Served> {
    // With round-robin, a connection being handed to a process that dies would never get a
    // response.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: PROGRAM, args: [], serialization: 'advanced' });
    const { processes, host, metricsPort } = this.#settings;
    // Processes started later share the first one's port.
    const at = { host, port: await settledPort(this.#settings) };
    this.#settings = { ...this.#settings, ...at };
    try {
      // The first process detects errors that affect all of them.
      const first = await this.#start(1);
      if (this.#isClosing) return NEVER;
      const numbers = Array.from({ length: processes - 1 }, (_, i) => i + 2);
      const others = await Promise.all(numbers.map((number) => this.#start(number)));
      if (this.#isClosing) return NEVER;
      this.#haveStarted = true;
      this.#broadcastCount();
      for (const [i, { member }] of [first, ...others].entries()) void this.#keep(i + 1, member);
      if (metricsPort !== null) {
        // Loaded on demand, since the library takes a twentieth of the time to start.
        const { CombinedMetrics } = await import('./combined-metrics.ts');
        const all = new CombinedMetrics(
          () => this.#count(),
          () => this.#serving().map(({ methods }) => methods.metrics()),
        );
        this.#metrics = await serveMetrics(all, { port: metricsPort, host });
      }
      return {
        whereabouts: whereabouts(this.#settings.proxy.baseUrl ?? localUrl(at), at),
        release: first.release,
        metricsAddress: this.#metrics?.address ?? null,
      };
    } catch (error) {
      if (this.#isClosing) return NEVER;
      await this.close();
      throw error;
    }
  }

  /** Stops all processes after the requests in progress. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { methods } of this.#members) void methods.end.asEvent();
    this.#late = setTimeout(() => this.kill(), endsWithinMs(this.#settings));
    await Promise.all(Array.from(this.#members, ({ ended }) => ended));
    clearTimeout(this.#late);
    await this.#metrics?.close();
    await this.#writer?.close();
  }

  /** Stops all processes, breaking off the requests in progress. */
  async cutOff(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#late);
    for (const { methods } of this.#members) void methods.cutOff.asEvent();
    await Promise.all(Array.from(this.#members, ({ ended }) => ended));
  }

  async #commit(writes: readonly Write[]): Promise<Reply> {
    try {
      const writer = await this.#openWriter();
      return { outcomes: await writer.commit(writes) };
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Kills all processes. */
  kill(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
  }

  /** Starts a process; resolves once it serves. */
  #start(number: number): Promise<{ member: Member; release: string }> {
    return new Promise((resolve, reject) => {
      const worker = cluster.fork();
      const own: ParentMethods = {
        begin: () => (this.#isClosing ? null : { number, settings: this.#settings }),
        serving: (release) => {
          member.isServing = true;
          this.#broadcastCount();
          resolve({ member, release });
        },
        failed: (fault) => reject(new UsageError(fault)),
        commit: (writes) => this.#commit(writes),
        lease: (of, subject, unused) => this.#rates[of].lease(member, subject, unused, Date.now()),
      };
      const methods = createBirpc<WorkerMethods, ParentMethods>(own, {
        post: (message) => worker.isConnected() && worker.send(message, () => {}),
        on: (listener) => worker.on('message', listener),
        timeout: RESPONSE_TIMEOUT_MS,
      });
      const ended = new Promise<string>((end) => {
        worker.once('exit', (code, signal) => {
          const how = signal ? `was killed by ${signal}` : `exited with code ${code}`;
          end(`process ${worker.process.pid} ${how}`);
        });
      });
      const member: Member = { worker, methods, ended, isServing: false };
      this.#members.add(member);
      ended.then((how) => {
        this.#members.delete(member);
        methods.$close();
        this.#broadcastCount();
        reject(new UsageError(`${how} during startup`));
      });
    });
  }

  /**
   * Restarts a process each time it dies. A dependency needed at startup, such as the store, may be
   * temporarily unavailable, so retries continue indefinitely while other processes serve.
   */
  async #keep(number: number, first: Member): Promise<void> {
    let why = await first.ended;
    let hasServed = true;
    while (!this.#isClosing) {
      const isOnlyLate = !hasServed && this.#serving().length > 0;
      const pauseMs = isOnlyLate
        ? LONGEST_PAUSE_MS
        : this.#restarts.died(Date.now(), { hasServed });
      if (pauseMs === null) {
        const end = 'processes die too often to be restarted; fix the cause and start again';
        return this.#giveUp(`${why}: ${end}`);
      }
      this.#note(`${why}; restarting${pauseMs > 0 ? ` in ${pauseMs} ms` : ''}`);
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

  #broadcastCount(): void {
    for (const { methods } of this.#serving()) void methods.setProcesses.asEvent(this.#count());
  }
}
