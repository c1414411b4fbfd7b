import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildProxy } from '../../proxy/app.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { Release } from '../../shards/release/release.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openRelease, ReleaseSource } from '../../shards/release/release-source.ts';
import type { Store } from '../../shards/store/store.ts';
import { openCustomer } from '../support/account-totals.ts';
import type { DamageRequest } from './requests-of-release.ts';

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
  readonly charged: number;
}

/** A proxy that can be reset to a cold state instantly. */
export interface ColdProxy {
  readonly release: Release;
  /** Drops all objects read, but keeps the manifest. */
  chill(): void;
  /** Reopens the store's release, like a freshly started proxy. */
  reopen(): Promise<void>;
  ask(request: DamageRequest): Promise<HttpResponse>;
  /** Tokens that have left the account. */
  debited(): Promise<number>;
  close(): Promise<void>;
}

const TOKENS = 1e12;
const CACHE_BYTES = 1 << 26;

/** A source whose current release is the one that it was given last. */
class GivenRelease extends ReleaseSource {
  release: Release | null = null;

  override get current(): Release {
    return this.release ?? super.current;
  }
}

export async function openColdProxy(store: Store): Promise<ColdProxy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-cold-'));
  const ledger = await openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1e9 });
  const releases = new GivenRelease(store, new ReleaseCache(1));
  const app = await buildProxy({
    releases,
    ledger,
    config: {
      responseCacheBytes: 0,
      freeRateLimitPerMinute: 1e9,
      logLevel: 'silent',
      // A response refused because the machine is busy would count as wrong.
      shedAtLagMs: 0,
    },
  });
  const { account, key } = await openCustomer(ledger, { tokens: TOKENS });
  const authorization = `Bearer ${key}`;
  const release = await openRelease(store, new ReleaseCache(CACHE_BYTES));
  releases.release = release;
  return {
    release,
    chill() {
      const cache = new ReleaseCache(CACHE_BYTES);
      releases.release = new Release(store, release.latest, release.manifest, cache);
    },
    async reopen() {
      releases.release = await openRelease(store, new ReleaseCache(CACHE_BYTES));
    },
    async ask({ method, url, body, isFree }) {
      const response = await app.inject({
        method,
        url,
        headers: {
          ...(!isFree && { authorization }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      return {
        status: response.statusCode,
        body: response.rawPayload,
        charged: Number(response.headers['x-tokens-charged'] ?? 0),
      };
    },
    debited: async () => TOKENS - (await ledger.account(account))!.balance,
    async close() {
      await app.close();
      await ledger.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
