import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { ensureDebianPackage } from '../../support/debian.ts';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';

/**
 * Settings that a careful operator would choose for this data on a machine of this size. Debits are
 * durable before they are acknowledged, as in our service: fsync and synchronous_commit stay on.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  shared_buffers: '512MB',
  effective_cache_size: '4GB',
  work_mem: '32MB',
  maintenance_work_mem: '512MB',
  random_page_cost: '1.1',
  effective_io_concurrency: '200',
  max_connections: '100',
  max_wal_size: '4GB',
  checkpoint_timeout: '30min',
  wal_compression: 'on',
  fsync: 'on',
  synchronous_commit: 'on',
  // Queries take milliseconds: compiling one takes longer than running it.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
};

type Lines = Iterable<string> | AsyncIterable<string>;

/** A private PostgreSQL, reached by a Unix socket and removed when stopped. */
export interface Cluster {
  /** The folder of the socket: the host setting of a client. */
  readonly host: string;
  readonly user: string;
  /** The root process of the cluster. */
  readonly pid: number;
  /** Runs SQL, one statement or many; throws the server's error text. */
  execute(sql: string): Promise<void>;
  /** Loads a table by COPY: `rows` are lines of PostgreSQL's text format. */
  copy(table: string, rows: Lines): Promise<void>;
  stop(): Promise<void>;
}

/** Installs PostgreSQL and PostGIS if missing, and starts a private cluster. */
export async function startCluster(): Promise<Cluster> {
  await ensureDebianPackage('postgresql postgresql-postgis postgis', 'shp2pgsql');
  const bin = path.join(VERSIONS, await newestVersion(), 'bin');
  // PostgreSQL refuses to run as root; the package brings a user for it.
  const owner = process.getuid?.() === 0 ? await systemUser('postgres') : undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-postgis-'));
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const user = 'bench';
  const as = { ...owner, cwd: folder };
  await run(path.join(bin, 'initdb'), ['-D', data, '-U', user, '-A', 'trust', ...ENCODING], as);

  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, '-k', folder, ...settings], {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await untilReady(server);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const psql = (args: readonly string[]) =>
    spawn('psql', ['-h', folder, '-U', user, '-d', 'postgres', '-qX', ...STRICT, ...args], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  return {
    host: folder,
    user,
    pid: server.pid!,
    execute: (sql) => feed(psql(['-f', '-']), [sql]),
    copy: (table, rows) => feed(psql(['-c', `COPY ${table} FROM STDIN`]), rows),
    async stop() {
      // Fast shutdown: open sessions are terminated.
      if (server.kill('SIGINT')) await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const STRICT = ['-v', 'ON_ERROR_STOP=1'];
/** Flags of `initdb` by which strings are compared byte by byte. */
const ENCODING = ['--encoding=UTF8', '--locale=C'];
/** Lines of a COPY are sent in pieces of about this many characters. */
const PIECE = 1 << 16;

async function newestVersion(): Promise<string> {
  const versions = await readdir(VERSIONS);
  return String(Math.max(...versions.map(Number).filter(Number.isInteger)));
}

async function systemUser(name: string): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await run('id', [flag, name])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** Waits for the server's ready line; later output is read and discarded. */
async function untilReady(server: ChildProcess): Promise<void> {
  let said = '';
  for await (const chunk of server.stderr!.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (!said.includes('ready to accept connections')) continue;
    server.stderr!.resume();
    return;
  }
  throw new Error(`PostgreSQL did not start: ${said}`);
}

async function feed(psql: ChildProcess, lines: Lines): Promise<void> {
  let complaint = '';
  psql.stderr!.on('data', (chunk) => {
    complaint += chunk;
  });
  const exit = once(psql, 'exit');
  // A failing statement closes the pipe; psql reports the reason.
  const broken = await pipeline(pieces(lines), psql.stdin!).then(
    () => undefined,
    (error: Error) => error,
  );
  const [code] = await exit;
  if (code !== 0) throw new Error(`psql: ${complaint.trim()}`, { cause: broken });
  if (broken) throw broken;
}

async function* pieces(lines: Lines): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
