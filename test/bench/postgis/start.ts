import path from 'node:path';
import type { KeyHash } from '../../../proxy/ledger/accounts.ts';
import type { Release } from '../../../shards/release/release.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import type { Place } from '../places.ts';
import { startCluster } from './cluster.ts';
import { loadRelease } from './load.ts';

const SERVER = path.resolve('dist/test/bench/postgis/server.js');
/** Sessions: enough for commits to share a sync of the disk, and few enough for two cores. */
const POOL = 16;

/** The twin, and all its processes. */
export interface Twin extends ServerProcess {
  readonly pids: readonly number[];
}

/** Starts the twin on a release's rows: a private cluster, and the server over it. */
export async function startTwin(
  release: Release,
  places: readonly Place[],
  accounts: { readonly keyHashes: readonly KeyHash[]; readonly tokens: number },
): Promise<Twin> {
  const cluster = await startCluster();
  try {
    await loadRelease(cluster, release, places, accounts);
    const server = await startServer([SERVER], {
      PGHOST: cluster.host,
      PGUSER: cluster.user,
      POOL: String(POOL),
      CURSOR_SECRET: 'a secret of the benchmark',
      RELEASE_SHA256: release.latest.sha256,
    });
    return {
      ...server,
      pids: [server.pid, cluster.pid],
      async stop() {
        const code = await server.stop();
        await cluster.stop();
        return code;
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
