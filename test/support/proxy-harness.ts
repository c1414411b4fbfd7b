import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, inject } from 'vitest';
import { buildProxy } from '../../proxy/app.ts';
import type { ProxyConfigInput } from '../../proxy/config.ts';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { ReleaseSource } from '../../shards/release/release-source.ts';
import type { Store } from '../../shards/store/store.ts';
import { openCustomer } from './account-totals.ts';
import { CountingStore } from './counting-store.ts';

/** A proxy under test. `S` is the type of the store that is served. */
export interface ProxyHarness<S extends Store = CountingStore> {
  readonly app: FastifyInstance;
  readonly store: S;
  readonly ledger: Ledger;
  readonly releases: ReleaseSource;
  /** Opens an account with a key. */
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
  /** Sends a request with a JSON body. */
  post(
    url: string,
    key: string,
    payload: object,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  balance(id: AccountId): Promise<number>;
  /** Listens on a free loopback port, which it returns. */
  listen(): Promise<number>;
  close(): Promise<void>;
}

interface ProxyOptions {
  rateLimitPerMinute?: number;
  /** Delays every debit, so that a client can disconnect meanwhile. */
  debitDelayMs?: number;
  config?: ProxyConfigInput;
  /** The address of a ledger; by default a fresh one on SQLite. */
  ledger?: string;
}

/** The proxy shared by the tests of a file, and the key of a rich customer. */
export interface SharedProxy extends ProxyHarness {
  readonly key: string;
}

/** A proxy for all tests of a file: on the demo release by default. */
export function proxyOfTests(options: ProxyOptions & { store?: string } = {}): SharedProxy {
  const shared: Partial<SharedProxy> = {};
  beforeAll(async () => {
    const proxy = await openProxy(options.store ?? inject('demoStore'), options);
    const { key } = await proxy.customer({ tokens: 1e9 });
    Object.assign(shared, proxy, { key });
  });
  afterAll(() => shared.close?.());
  return shared as SharedProxy;
}

/** Opens a proxy over a store's folder and a ledger: the real parts, without a socket. */
export function openProxy(storeFolder: string, options: ProxyOptions = {}): Promise<ProxyHarness> {
  return openProxyOn(new CountingStore(storeFolder), options);
}

/** Opens a proxy over any store, which `close` closes too. */
export async function openProxyOn<S extends Store>(
  store: S,
  options: ProxyOptions = {},
): Promise<ProxyHarness<S>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-ledger-'));
  const releases = new ReleaseSource(store, new ReleaseCache(1 << 28));
  await releases.refresh();
  // Reads made while opening a release belong to no request.
  if (store instanceof CountingStore) store.reads = [];
  const rateLimitPerMinute = options.rateLimitPerMinute ?? 1_000_000;
  const address = options.ledger ?? `sqlite:${folder}`;
  const ledger = await openLedger(address, { rateLimitPerMinute });
  const app = await buildProxy({
    releases,
    ledger: options.debitDelayMs ? delayDebits(ledger, options.debitDelayMs) : ledger,
    config: {
      freeRateLimitPerMinute: 1_000_000,
      logLevel: 'silent',
      // A test that blocks the event loop for long delays its own proxy.
      shedAtLagMs: 0,
      ...options.config,
    },
  });
  return {
    app,
    store,
    ledger,
    releases,
    async customer({ tokens = 10_000, member = false } = {}) {
      const { account: id, key } = await openCustomer(ledger, { tokens, isMember: member });
      return { id, key };
    },
    get(url, key, headers = {}, method = 'GET') {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return app.inject({ method, url, headers: { ...authorization, ...headers } });
    },
    post(url, key, payload, headers = {}) {
      const authorization = `Bearer ${key}`;
      return app.inject({ method: 'POST', url, payload, headers: { authorization, ...headers } });
    },
    balance: async (id) => (await ledger.account(id))!.balance,
    async listen() {
      await app.listen({ port: 0, host: '127.0.0.1' });
      return (app.server.address() as AddressInfo).port;
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
