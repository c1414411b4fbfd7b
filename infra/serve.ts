import type { FastifyInstance } from 'fastify';
import { buildProxy } from '../proxy/app.ts';
import { closeGracefully } from '../proxy/http/graceful-shutdown.ts';
import { type Ledger, LedgerUnavailable } from '../proxy/ledger/ledger.ts';
import { parseLedgerAddress } from '../proxy/ledger/ledger-address.ts';
import { openLedgerToServe } from '../proxy/ledger/open-ledger.ts';
import { interceptedLedger } from '../proxy/ledger/serving-ledger.ts';
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
import { openTracing } from './observe/tracing.ts';
import type { ServeSettings } from './settings/api-server.ts';

/** Time allowed for responses in progress once the service is stopping; then come their refunds. */
const LAST_RESPONSES_MS = 8_000;
/**
 * Failures that open a breaker, and its pause afterwards. A ledger recovers sooner than a store.
 */
const STORE_BREAKER = { consecutiveFailures: 5, restMs: 1_000 };
const LEDGER_BREAKER = { consecutiveFailures: 10, restMs: 250 };

export interface Serving {
  readonly app: FastifyInstance;
  readonly ledger: Ledger;
  readonly releases: ReleaseSource;
  /** URL of the API on this machine, such as `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Text for the user on where the API can be reached. */
  readonly whereabouts: string;
  /** Address of the API's metrics; null if they are not served. */
  readonly metricsAddress: string | null;
  /**
   * Listens, unless the service has been closed before. On failure, closes the service.
   */
  listen(): Promise<void>;
  /**
   * Stops the service: reports not-ready, waits `drainMs` (by default from the settings), refuses
   * new connections and finishes requests in progress. Data that clients do not read within a few
   * seconds is refunded.
   */
  close(drainMs?: number): Promise<void>;
  /**
   * Breaks off all connections, charges nothing further, and resolves once all data that was
   * charged and not delivered has been refunded.
   */
  cutOff(): Promise<void>;
}

/** Opens the service, and listens. */
export async function serve(settings: ServeSettings): Promise<Serving> {
  const serving = await openService(settings);
  await serving.listen();
  return serving;
}

/**
 * Opens store and ledger for a service that does not listen yet. The store must hold a release; a
 * networked ledger may become available later. On failure, everything opened is closed.
 */
export async function openService(settings: ServeSettings): Promise<Serving> {
  const closers: Closer[] = [];
  try {
    return await open(settings, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** A function that closes one of the resources in use. */
type Closer = () => Promise<void> | undefined;

/** Closes resources in reverse order of opening. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

/** Opens the service, adding each resource to `closers` as soon as it is open. */
async function open(settings: ServeSettings, closers: Closer[]): Promise<Serving> {
  const version = settings.proxy.version ?? '';
  const tracing = await openTracing({ name: 'tta-serve', version });
  const trace = tracing?.trace ?? null;
  let metrics: MetricsServer | null = null;
  // Metrics are served until the service has stopped.
  closers.push(
    () => tracing?.close(),
    () => metrics?.close(),
  );
  let app: FastifyInstance | null = null;
  const warnOf = (backend: string) => (isOpen: boolean) =>
    app?.log.warn(
      { backend },
      isOpen
        ? 'circuit breaker open: calls to the backend fail immediately'
        : 'backend has recovered',
    );

  const store = await openStore(settings.store, { patience: SERVING_TIMEOUTS });
  closers.push(async () => store.close());
  const storeCalls = new StoreCalls(storeBreaker(store, warnOf('store')), trace);
  const memory = new CacheBudget(settings.cacheBytes);
  const releaseCache = new ReleaseCache(memory);
  const releases = new ReleaseSource(new InstrumentedStore(store, storeCalls.around), releaseCache);
  await releases.refresh();

  const { rateLimitPerMinute } = settings;
  const ledger = await openLedgerToServe(settings.ledger, { rateLimitPerMinute });
  closers.push(() => ledger.close());
  const ledgerCalls = new LedgerCalls(ledgerBreaker(settings.ledger, warnOf('ledger')), trace);
  // Responses contain the actual port.
  const at = { host: settings.host, port: await settledPort(settings) };
  const address = localUrl(at);
  const baseUrl = settings.proxy.baseUrl ?? address;
  app = await buildProxy({
    releases,
    memory,
    ledger: interceptedLedger(ledger, ledgerCalls.around),
    config: { ...settings.proxy, baseUrl },
    around: tracing?.aroundRequest,
    onDamage: storeCalls.damaged,
  });
  const served = app;
  closers.push(() => closeWithin(served, LAST_RESPONSES_MS));
  closers.push(async () => releases.stop());
  if (settings.metricsPort !== null) {
    // Loaded on demand, since the library takes a twentieth of the time to start.
    const { proxyMetrics } = await import('./observe/proxy-metrics.ts');
    const registry = proxyMetrics({
      app,
      releases,
      releaseCache,
      store,
      storeCalls,
      ledger,
      ledgerCalls,
    });
    metrics = await serveMetrics(registry, { port: settings.metricsPort, host: settings.host });
  }
  const metricsAddress = metrics?.address ?? null;
  const { shutdown } = served.services;
  let listening: Promise<string> | null = null;
  const listen = async () => {
    if (shutdown.hasBegun) return;
    try {
      listening = served.listen(at);
      await listening;
    } catch (error) {
      await closeAll(closers);
      throw error;
    }
    releases.start(settings.releasePollMs, (error) =>
      served.log.error({ err: error }, 'checking for a new release failed'),
    );
  };
  const close = async (drainMs = settings.drainMs) => {
    shutdown.hasBegun = true;
    if (listening) {
      // A balancer that learns of the shutdown meanwhile sends new connections elsewhere.
      shutdown.closesConnections = drainMs > 0;
      await listening.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, drainMs));
    }
    await closeAll(closers);
  };
  const cutOff = async () => {
    shutdown.hasBegun = true;
    served.server.close();
    await breakOff(served);
  };
  return {
    app,
    ledger,
    releases,
    address,
    metricsAddress,
    listen,
    close,
    cutOff,
    whereabouts: whereabouts(baseUrl, at),
  };
}

function storeBreaker(store: Store, onChange: (isOpen: boolean) => void): CircuitBreaker {
  return new CircuitBreaker({
    ...STORE_BREAKER,
    isFailure: (error) => error instanceof StoreError && error.failure === 'unavailable',
    refusal: () =>
      new StoreError('unavailable', store.location, 'is failing; not reading it for the moment'),
    onChange,
  });
}

/**
 * Returns the breaker of a ledger; null for a local one. A local ledger that cannot be written can
 * still be read, so free requests continue to be served.
 */
function ledgerBreaker(
  address: string,
  onChange: (isOpen: boolean) => void,
): CircuitBreaker | null {
  if (parseLedgerAddress(address).kind === 'sqlite') return null;
  return new CircuitBreaker({
    ...LEDGER_BREAKER,
    isFailure: (error) => error instanceof LedgerUnavailable,
    refusal: () => new LedgerUnavailable('the ledger is failing; not using it for the moment'),
    onChange,
  });
}

/**
 * Lets connections finish their requests, breaks off those that are still open after `ms`, and
 * waits until every charge is delivered or refunded.
 */
async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const late = setTimeout(() => void breakOff(app), ms);
  await closeGracefully(app);
  clearTimeout(late);
  await app.services.charges.end();
}

/**
 * Breaks off all connections, charges nothing further, and resolves once what was charged and not
 * delivered is refunded.
 */
async function breakOff({ server, services }: FastifyInstance): Promise<void> {
  const ended = services.charges.end();
  server.closeAllConnections();
  await ended;
}
