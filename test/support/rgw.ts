import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import { ensureDebianPackage } from './debian.ts';
import { freePort } from './free-port.ts';

/** Nine programs are started one after the other, which a busy machine takes minutes for. */
const START_MS = 500_000;
const POLL_MS = 100;

/** A real S3 server for this test: Ceph's, with one monitor, one in-memory disk and one gateway. */
export interface RgwServer {
  readonly endpoint: string;
  /** Environment variables for a client. */
  readonly env: Readonly<Record<string, string>>;
  /** An independent client, different from the stores'. */
  readonly client: S3;
  /** Creates a new bucket and returns its name. */
  bucket(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the server on free loopback ports with the compose file's start script, except that its
 * disk is in memory. Its folder is removed when it stops.
 */
export async function startRgw(): Promise<RgwServer> {
  for (const [pkg, binary] of PACKAGES) await ensureDebianPackage(pkg, binary);
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-rgw-'));
  const [monitor, gateway] = [await freePort(), await freePort()];
  const key = { accessKeyId: 'testaccess', secretAccessKey: 'testsecret' };
  const output = path.join(folder, 'output');
  const log = openSync(output, 'a');
  const credentials = path.join(folder, 'credentials');
  await writeFile(
    credentials,
    `[default]\naws_access_key_id = ${key.accessKeyId}\naws_secret_access_key = ${key.secretAccessKey}\n`,
  );
  const daemons = spawn('bash', ['infra/container/ceph-gateway.sh'], {
    stdio: ['ignore', log, log],
    // Makes a process group, to be killed as a whole.
    detached: true,
    env: {
      ...process.env,
      DATA: path.join(folder, 'data'),
      DISK: 'memstore',
      LISTEN: `127.0.0.1:${gateway}`,
      MONITOR: `127.0.0.1:${monitor}`,
      CREDENTIALS: credentials,
    },
  });
  const stop = async () => {
    await killed(daemons);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const endpoint = `http://127.0.0.1:${gateway}`;
    await listening(gateway, daemons).catch(async (error) => {
      throw new Error(`${error.message}: ${(await readFile(output, 'utf8')).slice(-1_000)}`);
    });
    const client = new S3({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: key,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    let buckets = 0;
    return {
      endpoint,
      client,
      env: {
        AWS_ENDPOINT_URL_S3: endpoint,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: key.accessKeyId,
        AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      async bucket() {
        const Bucket = `bucket-${++buckets}`;
        await client.createBucket({ Bucket });
        return Bucket;
      },
      async stop() {
        client.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const PACKAGES = [
  ['radosgw', 'radosgw'],
  ['ceph-mon', 'ceph-mon'],
  ['ceph-osd', 'ceph-osd'],
  ['ceph-common', 'ceph'],
] as const;

async function listening(port: number, daemons: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_MS; ; ) {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    if (response?.ok) return;
    if (Date.now() > until || daemons.exitCode !== null) throw new Error('radosgw does not listen');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Kills the daemons, since none of their data is kept and an orderly shutdown takes long. */
async function killed(daemons: ChildProcess): Promise<void> {
  const hasEnded = daemons.exitCode !== null || daemons.signalCode !== null;
  const end = hasEnded ? Promise.resolve() : once(daemons, 'exit');
  try {
    process.kill(-daemons.pid!, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
  await end;
}
