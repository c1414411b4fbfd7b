import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { openLedgerToServe } from '../portal/accounts/late-ledger.ts';
import { type Ledger, LedgerUnavailable } from '../portal/accounts/ledger.ts';
import { parseLedgerAddress } from '../portal/accounts/ledger-address.ts';
import type { RateCounter } from '../portal/accounts/rate-window.ts';
import { WatchedLedger } from '../portal/accounts/serving-ledger.ts';
import { buildProxy } from '../proxy/app.ts';
import type { ProcessCount } from '../proxy/services.ts';
import { CircuitBreaker } from '../shards/concurrency/circuit-breaker.ts';
import { CacheBudget } from '../shards/concurrency/cost-aware-cache.ts';
import { StoreError } from '../shards/errors.ts';
import { ReleaseCache } from '../shards/release/release-cache.ts';
import { ReleaseSource } from '../shards/release/release-source.ts';
import { SERVING_TIMEOUTS } from '../shards/store/http/timeouts.ts';
import { InstrumentedStore } from '../shards/store/instrumented-store.ts';
import { openStore } from '../shards/store/open-store.ts';
import type { Store } from '../shards/store/store.ts';
import { localUrl, settledPort, whereabouts } from './listen.ts';
import { LedgerCalls, StoreCalls } from './observe/backend-calls.ts';
import { type MetricsServer, serveMetrics } from './observe/metrics-server.ts';
import { addProcesses } from './observe/process-metrics.ts';
import { proxyMetrics } from './observe/proxy-metrics.ts';
import { openTracing } from './observe/tracing.ts';
import type { ServeSettings } from './settings/api-server.ts';

/** What is still on its way when the service has been told to end gets so long. */
const LAST_ANSWERS_MS = 8_000;
/** A store rests for this long when reads have failed; a ledger is back sooner. */
const STORE_BREAKER = { failuresInARow: 5, restMs: 1_000 };
const LEDGER_BREAKER = { failuresInARow: 10, restMs: 250 };

export interface Serving {
  readonly app: FastifyInstance;
  readonly ledger: Ledger;
  readonly releases: ReleaseSource;
  /** Its URL on this machine, such as `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Where it is, for the person who started it. */
  readonly whereabouts: string;
  /** What it counts, where somebody is told of it. */
  readonly registry: Registry | null;
  /** Where its metrics are; null if nowhere. */
  readonly metricsAddress: string | null;
  /**
   * Ends the service with what it has begun: it says that it is not ready, and after `drainMs`, by
   * default that of its settings, lets nobody new in; what readers do not take of their answers in
   * some seconds is repaid.
   */
  close(drainMs?: number): Promise<void>;
}

/** What a process that serves among others has from the one that started it. */
export interface Fleet {
  /** Count for all of them: by account, and by address where no key is needed. */
  readonly accountRates: RateCounter;
  readonly addressRates: RateCounter;
  readonly processes: () => ProcessCount;
}

/**
 * Opens store and ledger, and listens. The store must hold a release; a ledger on a network may be
 * there later. What fails is closed at once.
 */
export async function serve(settings: ServeSettings, fleet?: Fleet): Promise<Serving> {
  const closers: Closer[] = [];
  try {
    return await open(settings, closers, fleet);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Closes one of the things that serving takes. */
type Closer = () => Promise<void> | undefined;

/** The last that was opened first. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

/** Serves, and adds to `closers` all that it opens as soon as it is open. */
async function open(settings: ServeSettings, closers: Closer[], fleet?: Fleet): Promise<Serving> {
  const version = settings.proxy.version ?? '';
  const tracing = await openTracing({ name: 'tta-serve', version });
  const trace = tracing?.trace ?? null;
  let metrics: MetricsServer | null = null;
  // Metrics are told until the service has ended.
  closers.push(
    () => tracing?.close(),
    () => metrics?.close(),
  );
  let app: FastifyInstance | null = null;
  const reported = (backend: string) => (isOpen: boolean) =>
    app?.log.warn(
      { backend },
      isOpen ? 'backend in trouble: calls fail at once' : 'backend is back',
    );

  const store = await openStore(settings.store, { patience: SERVING_TIMEOUTS });
  closers.push(async () => store.close());
  const storeCalls = new StoreCalls(storeBreaker(store, reported('store')), trace);
  const memory = new CacheBudget(settings.cacheBytes);
  const releaseCache = new ReleaseCache(memory);
  const releases = new ReleaseSource(new InstrumentedStore(store, storeCalls.around), releaseCache);
  await releases.refresh();

  const { rateLimitPerMinute } = settings;
  const rates = fleet?.accountRates;
  const ledger = await openLedgerToServe(settings.ledger, { rateLimitPerMinute, rates });
  closers.push(() => ledger.close());
  const ledgerCalls = new LedgerCalls(ledgerBreaker(settings.ledger, reported('ledger')), trace);
  // Documents name the port that it gets.
  const at = { host: settings.host, port: await settledPort(settings) };
  const address = localUrl(at);
  const baseUrl = settings.proxy.baseUrl ?? address;
  app = await buildProxy({
    ...fleet,
    releases,
    memory,
    ledger: new WatchedLedger(ledger, ledgerCalls.around),
    config: { ...settings.proxy, baseUrl },
    around: tracing?.aroundRequest,
  });
  const served = app;
  closers.push(() => closeWithin(served, LAST_ANSWERS_MS));
  closers.push(async () => releases.stop());
  let registry: Registry | null = null;
  if (settings.metricsPort !== null) {
    registry = proxyMetrics({ app, releases, releaseCache, store, storeCalls, ledgerCalls });
    // Who serves among others is asked by whoever tells the metrics of them all.
    if (!fleet) {
      addProcesses(registry, served.services.processes);
      metrics = await serveMetrics(registry, { port: settings.metricsPort, host: settings.host });
    }
  }
  await app.listen(at);
  releases.start(settings.releasePollMs, (error) =>
    served.log.error({ err: error }, 'release poll failed'),
  );
  const metricsAddress = metrics?.address ?? null;
  const close = async (drainMs = settings.drainMs) => {
    served.services.ending.isSet = true;
    await new Promise((resolve) => setTimeout(resolve, drainMs));
    await closeAll(closers);
  };
  return {
    ...{ app, ledger, releases, address, registry, metricsAddress, close },
    whereabouts: whereabouts(baseUrl, at),
  };
}

function storeBreaker(store: Store, onChange: (isOpen: boolean) => void): CircuitBreaker {
  return new CircuitBreaker({
    ...STORE_BREAKER,
    isFailure: (error) => error instanceof StoreError && error.failure === 'unavailable',
    refusal: () =>
      new StoreError('unavailable', store.location, 'in trouble: reads are not tried for now'),
    onChange,
  });
}

/** A ledger of this machine that cannot write can still be read: what costs nothing is answered. */
function ledgerBreaker(
  address: string,
  onChange: (isOpen: boolean) => void,
): CircuitBreaker | null {
  if (parseLedgerAddress(address).kind === 'sqlite') return null;
  return new CircuitBreaker({
    ...LEDGER_BREAKER,
    isFailure: (error) => error instanceof LedgerUnavailable,
    refusal: () => new LedgerUnavailable('the ledger is in trouble: it is not asked for now'),
    onChange,
  });
}

/** Lets connections end what they have begun; those that have not in time are ended. */
async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), ms);
  await app.close();
  clearTimeout(late);
  // What was cut off is repaid in the next turn of the loop; the ledger waits for its own calls.
  await new Promise((resolve) => setTimeout(resolve, 50));
}
