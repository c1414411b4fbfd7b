import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { FairSemaphore } from '../../../shards/concurrency/fair-semaphore.ts';
import type { Millis } from '../../../shards/units.ts';
import { type Ledger, LedgerUnavailable } from '../ledger.ts';
import type { RedisAddress } from '../ledger-address.ts';
import { unavailable } from './failure.ts';
import { LATE, REFUSED, type Script } from './script.ts';

const CONNECT_MS = 1_000;
/** Time-out of a command, after which its caller gets an error. */
const COMMAND_MS = 1_500;
/** Latest start of a command after it was sent; a later one would likely finish too late. */
const BEGIN_WITHIN_MS = COMMAND_MS - 100;
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [50, 1_000];
const KEYS_PER_SCAN = 1_000;
/**
 * Time-out of replication; shorter than that of a command, so that the error can name the cause.
 */
const REPLICATE_MS = 1_000;
/** Longest wait for entries of the same account that this process began before. */
const MAX_TURN_MS: Millis = 3_000;

type Client = Redis | Cluster;

/** An operation of the ledger on a Redis, and on what else it is `Given`. */
export type OnRedis<Name extends keyof Ledger, Given extends readonly unknown[] = []> = (
  redis: RedisConnection,
  ...args: [...Given, ...Parameters<Ledger[Name]>]
) => ReturnType<Ledger[Name]>;

/**
 * Connection to a Redis, to the master named by sentinels, or to a cluster. A broken connection is
 * re-established, but no command is sent twice or queued: calls made meanwhile fail at once. Every
 * failure is a `LedgerUnavailable`.
 */
export class RedisConnection {
  /** The address without its password. */
  readonly shown: string;
  readonly #client: Client;
  /**
   * Number of replicas that must have a write before it counts, as Redis itself is configured to
   * require.
   */
  #replicas = 0;
  /** Number of replicas that have the writes of this turn of the event loop. */
  #replicating: Promise<number> | undefined;
  #lastError: Error | undefined;
  /** Redis's clock minus ours. */
  #clockAheadMs = 0;
  #isOpen = false;
  #closed = false;
  /** The turns of the entries of an account, one after the other. */
  readonly turns = new FairSemaphore({
    maxConcurrent: Number.POSITIVE_INFINITY,
    maxPerClient: 1,
    timeout: {
      ms: MAX_TURN_MS,
      error: () => {
        const words = `ledger ${this.shown}: an account has too many changes at once; try again`;
        return new LedgerUnavailable(words, { isAway: true });
      },
    },
  });

  private constructor(address: RedisAddress) {
    this.shown = address.shown;
    this.#client = clientOf(address, () => this.#isOpen);
    // Without a listener, ioredis would log errors to the console; failing calls report them.
    this.#client.on('error', (error: Error & { lastNodeError?: Error }) => {
      // A cluster's own error only says that none of its nodes responded.
      this.#lastError = error.lastNodeError ?? error;
    });
    this.#client.on('ready', () => {
      this.#lastError = undefined;
    });
  }

  /** Resolves once Redis responds; rejects if it does not. */
  static async open(address: RedisAddress): Promise<RedisConnection> {
    const connection = new RedisConnection(address);
    try {
      await connection.ask(async (client) => {
        await client.connect();
        const [seconds, micros] = await client.time();
        connection.#setClock(Number(seconds) * 1000 + Number(micros) / 1000);
      });
      const wanted = (await connection.replicas()).map((replicas) => replicas.wanted);
      connection.#replicas = Math.max(0, ...wanted);
      connection.#isOpen = true;
      return connection;
    } catch (error) {
      connection.#client.disconnect();
      throw error;
    }
  }

  /**
   * Runs a script in one round trip. If the script refuses, throws an `Error` with its text. If
   * replicas are required, a durable write counts once enough of them have it; with fewer, its
   * outcome is unknown.
   */
  run<Reply>(
    { lua, sha1, isLasting }: Script<Reply>,
    keys: readonly string[],
    args: readonly (string | number | Uint8Array)[] = [],
  ): Promise<Reply> {
    const given = [keys.length, ...keys, ...args.map(asArgument)] as const;
    const lasting = (reply: Promise<unknown>) =>
      (isLasting && this.#replicas > 0 ? this.#replicated(reply) : reply) as Promise<Reply>;
    return this.ask((client) =>
      lasting(client.evalsha(sha1, ...given)).catch((error: unknown) => {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return lasting(client.eval(lua, ...given));
      }),
    );
  }

  /**
   * Returns a reply once enough replicas have its write. The number of replicas is requested in the
   * same turn of the event loop and on the same connection as the write; otherwise it would concern
   * another write.
   */
  async #replicated<T>(reply: Promise<T>): Promise<T> {
    this.#replicating ??= new Promise((resolve, reject) => {
      process.nextTick(() => {
        this.#replicating = undefined;
        const asked = this.#masters().map((node) => node.wait(this.#replicas, REPLICATE_MS));
        Promise.all(asked).then((counts) => resolve(Math.min(...counts)), reject);
      });
    });
    const [value, count] = await Promise.all([reply, this.#replicating]);
    if (count >= this.#replicas) return value;
    throw new LedgerUnavailable(
      `ledger ${this.shown}: only ${count} of ${this.#replicas} replicas acknowledged a write; is one down?`,
      { mayBeDone: true },
    );
  }

  /**
   * Runs a script that starts with `IN_TIME`, which is not executed once its caller has given up.
   * If the clocks have drifted apart, adopts Redis's time and retries once.
   */
  async runInTime<Reply>(
    script: Script<Reply>,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<Reply> {
    const run = () => {
      const until = Math.floor(Date.now() + this.#clockAheadMs + BEGIN_WITHIN_MS);
      return this.run(script, keys, [...args, until]);
    };
    try {
      return await run();
    } catch (error) {
      const late = error instanceof LedgerUnavailable ? saidAfter(LATE, error.cause) : undefined;
      if (late === undefined) throw error;
      this.#setClock(Number(late));
      return run();
    }
  }

  #setClock(redisMs: number): void {
    this.#clockAheadMs = redisMs - Date.now();
  }

  /**
   * Runs commands. A script's refusal becomes an `Error` with its text, any other failure a
   * `LedgerUnavailable`.
   */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    if (this.#closed) throw new LedgerUnavailable(`ledger ${this.shown}: the ledger is closed`);
    try {
      return await question(this.#client);
    } catch (error) {
      const refusal = saidAfter(REFUSED, error);
      if (refusal !== undefined) throw new Error(refusal);
      throw unavailable(this.shown, error, this.#lastError);
    }
  }

  /** The keys that match a pattern, each once, across all nodes. */
  async *keysLike(pattern: string): AsyncGenerator<string> {
    const seen = new Set<string>();
    for (const node of this.#masters()) {
      let cursor = '0';
      do {
        const [next, keys] = await this.ask(() =>
          node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_SCAN),
        );
        for (const key of keys.filter((key) => !seen.has(key))) {
          seen.add(key);
          yield key;
        }
        cursor = next;
      } while (cursor !== '0');
    }
  }

  /** Reads the settings that match a pattern from each master; empty where that is not allowed. */
  async settings(pattern: string): Promise<ReadonlyMap<string, string>[]> {
    const all = this.#masters().map(async (node) => {
      const flat = await node.config('GET', pattern).catch(() => []);
      const names = Array.isArray(flat) ? flat.map(String) : [];
      return new Map(names.flatMap((name, i) => (i % 2 === 0 ? [[name, names[i + 1]]] : [])));
    });
    return Promise.all(all);
  }

  /** Number of connected replicas of each master, and the number it requires to accept writes. */
  async replicas(): Promise<{ connected: number; wanted: number }[]> {
    const settings = await this.settings('min-replicas-to-write');
    const replies = this.#masters().map((node) => node.info('replication').catch(() => ''));
    return (await Promise.all(replies)).map((info, i) => ({
      connected: Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? 0),
      wanted: Number(settings[i]?.get('min-replicas-to-write') ?? 0),
    }));
  }

  infos(): Promise<string[]> {
    const all = this.#masters().map((node) =>
      this.ask(async () => (await node.info('memory')) + (await node.info('persistence'))),
    );
    return Promise.all(all);
  }

  /** Waits for pending commands. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Closing an unreachable Redis needs no QUIT.
    await this.#client.quit().catch(() => {});
    this.#client.disconnect();
  }

  #masters(): Redis[] {
    return this.#client instanceof Cluster ? this.#client.nodes('master') : [this.#client];
  }
}

function asArgument(value: string | number | Uint8Array): string | number | Buffer {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
}

/**
 * Creates the ioredis client of an address. `isOpen`: whether Redis has been reached before; if so,
 * sentinels that name no master are retried.
 */
function clientOf(address: RedisAddress, isOpen: () => boolean): Client {
  const { kind, hosts, username, password, isEncrypted, master } = address;
  const retryStrategy = (times: number) => Math.min(FIRST_RETRY_MS * 2 ** times, LAST_RETRY_MS);
  const options: RedisOptions = {
    ...redisOptions(address),
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    socketTimeout: COMMAND_MS,
    // A debit that may have been applied must not be resent.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    // The server is no longer the master: reconnects to the current one without resending the
    // write.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  };
  if (kind === 'cluster') {
    return new Cluster([...hosts], {
      lazyConnect: true,
      enableOfflineQueue: false,
      redisOptions: options,
      clusterRetryStrategy: retryStrategy,
      slotsRefreshTimeout: CONNECT_MS,
      // Otherwise, ioredis would resend pending commands when a connection breaks.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
    });
  }
  if (kind === 'sentinel') {
    return new Redis({
      ...options,
      retryStrategy,
      sentinels: [...hosts],
      name: master,
      enableTLSForSentinelMode: isEncrypted,
      sentinelTLS: options.tls,
      sentinelUsername: username,
      sentinelPassword: password,
      sentinelCommandTimeout: COMMAND_MS,
      sentinelRetryStrategy: (times) => (isOpen() ? retryStrategy(times) : null),
    });
  }
  return new Redis({ ...options, retryStrategy });
}

/**
 * Returns the rest of an error reply after its first word; undefined unless it starts with `word`.
 */
function saidAfter(word: string, error: unknown): string | undefined {
  if (!(error instanceof Error) || !error.message.startsWith(word)) return undefined;
  return error.message.slice(word.length);
}

/** Converts an address to ioredis options; for sentinels and clusters, everything but the hosts. */
export function redisOptions(address: RedisAddress): RedisOptions {
  const { kind, hosts, username, password, isEncrypted, database } = address;
  return {
    username,
    password,
    tls: isEncrypted ? {} : undefined,
    db: database,
    ...(kind === 'redis' && hosts[0]),
  };
}
