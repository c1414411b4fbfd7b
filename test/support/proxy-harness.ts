import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { AccountId } from '../../portal/accounts/accounts.ts';
import type { Ledger } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { buildProxy } from '../../proxy/app.ts';
import type { ProxyConfigInput } from '../../proxy/config.ts';
import { ReleaseCache } from '../../shards/release-cache.ts';
import { ReleaseSource } from '../../shards/release-source.ts';
import { CountingStore } from './counting-store.ts';

export interface ProxyHarness {
  readonly app: FastifyInstance;
  readonly store: CountingStore;
  readonly ledger: Ledger;
  readonly releases: ReleaseSource;
  /** An account with a key. */
  customer(options?: {
    tokens?: number;
    member?: boolean;
  }): Promise<{ id: AccountId; key: string }>;
  get(
    url: string,
    key?: string,
    headers?: Record<string, string>,
    method?: 'GET' | 'HEAD' | 'POST',
  ): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/** A proxy over a store's folder and a fresh LMDB ledger: the real parts, without a socket. */
export async function openProxy(
  storeFolder: string,
  options: {
    rateLimitPerMinute?: number;
    /** Holds every debit back, so that a client can leave meanwhile. */
    debitDelayMs?: number;
    config?: ProxyConfigInput;
  } = {},
): Promise<ProxyHarness> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-ledger-'));
  const store = new CountingStore(storeFolder);
  const releases = new ReleaseSource(store, new ReleaseCache(1 << 28));
  await releases.refresh();
  // What a release reads when it is opened belongs to no request.
  store.reads = [];
  const rateLimitPerMinute = options.rateLimitPerMinute ?? 1_000_000;
  const ledger = await openLedger(`lmdb:${folder}`, { rateLimitPerMinute });
  const app = await buildProxy({
    releases,
    ledger: options.debitDelayMs ? delayDebits(ledger, options.debitDelayMs) : ledger,
    config: { freeRateLimitPerMinute: 1_000_000, logLevel: 'silent', ...options.config },
  });
  return {
    app,
    store,
    ledger,
    releases,
    async customer({ tokens = 10_000, member = false } = {}) {
      const account = await ledger.createAccount({ email: null, member });
      if (tokens > 0) await ledger.grant(account.id, { tokens, cause: 'test', atMs: Date.now() });
      const made = await ledger.createKey(account.id, 'test', Date.now());
      if (!made.created) throw new Error(made.reason);
      return { id: account.id, key: made.plainKey };
    },
    get(url, key, headers = {}, method = 'GET') {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return app.inject({ method, url, headers: { ...authorization, ...headers } });
    },
    async close() {
      await app.close();
      await ledger.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function delayDebits(ledger: Ledger, delayMs: number): Ledger {
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      if (name === 'debit') {
        return async (charge: Parameters<Ledger['debit']>[0]) => {
          await new Promise((resolve) => setTimeout(resolve, delayMs));
          return target.debit(charge);
        };
      }
      return target[name].bind(target);
    },
  });
}
