import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type BreakableProxy, openBreakableProxy } from './breakable-proxy.ts';
import { ensureDebianPackage } from './debian.ts';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** A private Redis, with its own folder. */
export interface RedisServer {
  readonly port: number;
  /** Address of a ledger on this server; each number is another database. */
  address(database?: number): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Restarts the server after a kill, from its append-only log. */
  restart(): Promise<void>;
  /** Runs redis-cli; returns its output. */
  cli(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Settings as recommended to operators: every write is on the disk before it is acknowledged. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/** Starts a redis-server on a free loopback port, with settings as command-line arguments. */
export async function startRedis(...settings: readonly string[]): Promise<RedisServer> {
  await ensureDebianPackage('redis-server', 'redis-server');
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-redis-'));
  const port = await freePort();
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const args = [...where, '--databases', '1000', ...DURABLE, ...settings];
  let child = await started(args);
  const kill = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit');
    if (child.exitCode !== null || child.signalCode !== null || !child.kill(signal)) return;
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended;
  };
  return {
    port,
    address: (database = 0) => `redis://127.0.0.1:${port}/${database}`,
    kill,
    async restart() {
      child = await started(args);
    },
    cli: async (...words) => (await run('redis-cli', ['-p', String(port), ...words])).stdout,
    async stop() {
      await kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a cluster of three masters that share the slots. */
export async function startRedisCluster(): Promise<{ address: string; stop(): Promise<void> }> {
  const nodes = await Promise.all(
    [1, 2, 3].map(() => startRedis('--cluster-enabled', 'yes', '--databases', '1')),
  );
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await nodes[0].cli('--cluster', 'create', ...hosts, '--cluster-yes');
  for (const { cli } of nodes) {
    while (!(await cli('cluster', 'info')).includes('cluster_state:ok')) await pause(50);
  }
  return {
    address: `redis+cluster://${hosts.join()}`,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

/** Starts a master, two replicas, one of which must acknowledge each write, and a sentinel. */
export async function startRedisWithReplicas(): Promise<{
  readonly address: string;
  readonly master: RedisServer;
  readonly replicas: readonly RedisServer[];
  /** The wire through which the replicas are connected to the master. */
  readonly replication: BreakableProxy;
  /** The port of the master that the sentinel names. */
  masterPort(): Promise<number>;
  stop(): Promise<void>;
}> {
  const settings = ['--min-replicas-to-write', '1', '--repl-diskless-sync-delay', '0'];
  const master = await startRedis(...settings);
  const replication = await openBreakableProxy(master.port);
  const of = ['--replicaof', `127.0.0.1 ${replication.port}`];
  const replicas = await Promise.all([1, 2].map(() => startRedis(...settings, ...of)));
  while (!(await master.cli('info', 'replication')).includes('min_slaves_good_slaves:2')) {
    await pause(50);
  }
  const sentinel = await startSentinel(
    'books',
    master.port,
    // A busy machine delays the responses of a master that is not down.
    'down-after-milliseconds books 5000',
    // Only after this time would the sentinel make the replicas follow the master directly,
    // bypassing the wire.
    'failover-timeout books 60000',
  );
  // A sentinel promotes no replica of which it has heard nothing for five seconds, and asks only
  // every ten by default.
  await sentinel.cli('sentinel', 'debug', 'info-period', '1000');
  const seen = async () =>
    (await sentinel.cli('sentinel', 'replicas', 'books')).split('name').length;
  while ((await seen()) < 3) await pause(50);
  return {
    address: `redis+sentinel://127.0.0.1:${sentinel.port}/books/0`,
    master,
    replicas,
    replication,
    async masterPort() {
      const named = await sentinel.cli('sentinel', 'get-master-addr-by-name', 'books');
      return Number(named.split('\n')[1]);
    },
    async stop() {
      await sentinel.stop();
      await Promise.all([master, ...replicas].map((redis) => redis.stop()));
      await replication.close();
    },
  };
}

/** Starts a sentinel, on a port of its own, that watches the Redis at `port` under a name. */
export async function startSentinel(
  name: string,
  port: number,
  ...settings: readonly string[]
): Promise<{ port: number; cli(...args: string[]): Promise<string>; stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-sentinel-'));
  await mkdir(folder, { recursive: true });
  const own = await freePort();
  const config = path.join(folder, 'sentinel.conf');
  const lines = [`monitor ${name} 127.0.0.1 ${port} 1`, ...settings];
  await writeFile(config, lines.map((line) => `sentinel ${line}\n`).join(''));
  const where = ['--port', String(own), '--bind', '127.0.0.1', '--dir', folder];
  const child = await started([config, '--sentinel', ...where]);
  return {
    port: own,
    cli: async (...words) => (await run('redis-cli', ['-p', String(own), ...words])).stdout,
    async stop() {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function started(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (!/Ready to accept connections|Sentinel ID is/.test(said)) continue;
    child.stdout.resume();
    return child;
  }
  throw new Error(`redis-server ended before it listened: ${said}`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
