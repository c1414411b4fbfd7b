import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../portal/accounts/ledger.ts';
import { openLedger } from '../portal/accounts/open-ledger.ts';
import { buildProxy } from '../proxy/app.ts';
import { ReleaseCache } from '../shards/release-cache.ts';
import { ReleaseSource } from '../shards/release-source.ts';
import { openStore } from '../shards/store/open-store.ts';
import type { ServeSettings } from './environment.ts';

const POLL_MS = 30_000;

export interface Serving {
  readonly app: FastifyInstance;
  readonly ledger: Ledger;
  readonly releases: ReleaseSource;
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Opens store and ledger, and listens. The store must hold a release. */
export async function serve(settings: ServeSettings): Promise<Serving> {
  const store = openStore(settings.store);
  const releases = new ReleaseSource(store, new ReleaseCache(settings.headCacheBytes));
  await releases.refresh();
  const ledger = await openLedger(settings.ledger, settings);
  const app = await buildProxy({ releases, ledger, config: settings.proxy });
  const close = async () => {
    releases.stop();
    await app.close();
    await ledger.close();
    await store.close();
  };
  try {
    await app.listen({ port: settings.port, host: settings.host });
  } catch (error) {
    await close();
    throw error;
  }
  releases.start(POLL_MS, (error) => app.log.error({ err: error }, 'release poll failed'));
  const { address, port } = app.server.address() as AddressInfo;
  const host = address.includes(':') ? `[${address}]` : address;
  return { app, ledger, releases, address: `http://${host}:${port}`, close };
}
