import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Ledger, LedgerFullness } from '../../proxy/ledger/ledger.ts';
import type { ReleaseCache } from '../../shards/release/release-cache.ts';
import type { ReleaseSource } from '../../shards/release/release-source.ts';
import type { Store } from '../../shards/store/store.ts';
import type { LedgerCalls, StoreCalls } from './backend-calls.ts';
import { addFamily, addFigures } from './metric-family.ts';
import { addCalls, serverMetrics } from './server-metrics.ts';

interface ProxyParts {
  readonly app: FastifyInstance;
  readonly releases: ReleaseSource;
  readonly releaseCache: ReleaseCache;
  readonly store: Store;
  readonly storeCalls: StoreCalls;
  readonly ledger: Pick<Ledger, 'fullness'>;
  readonly ledgerCalls: LedgerCalls;
}

export function proxyMetrics(parts: ProxyParts): Registry {
  const registry = serverMetrics(parts.app);
  addResponses(registry, parts.app);
  addLedger(registry, parts.ledgerCalls);
  addFullness(registry, parts.ledger);
  addStore(registry, parts);
  addRelease(registry, parts.releases);
  const breakers = { store: parts.storeCalls.breaker, ledger: parts.ledgerCalls.breaker };
  addFamily(registry, {
    name: 'tta_breaker_open',
    help: '1 while the circuit breaker of a backend is open and calls fail immediately.',
    type: 'gauge',
    samples: () =>
      Object.entries(breakers).map(([backend, breaker]) => {
        return { labels: { backend }, value: breaker?.isOpen ? 1 : 0 };
      }),
  });
  return registry;
}

function addResponses(registry: Registry, { services }: FastifyInstance): void {
  const { responseWriter, postSemaphore } = services;
  addFigures(registry, 'counter', [
    [
      'tta_http_readers_ended_total',
      'Connections closed because the client read a large response too slowly.',
      () => responseWriter.readersClosed,
    ],
  ]);
  addFigures(registry, 'gauge', [
    [
      'tta_http_response_waiting_bytes',
      'Bytes of large responses waiting for slow clients.',
      () => responseWriter.waiting,
    ],
    ['tta_batches_waiting', 'POST requests waiting for their turn.', () => postSemaphore.waiting],
  ]);
}

function addLedger(registry: Registry, calls: LedgerCalls): void {
  addCalls(registry, 'tta_ledger', 'operation', 'Ledger calls', calls.byKind);
  addFamily(registry, {
    name: 'tta_ledger_calls_under_way',
    help: 'Ledger calls in progress; for debits, the commit queue.',
    type: 'gauge',
    samples: () =>
      [...calls.byKind].map(([operation, { underWay }]) => {
        return { labels: { operation }, value: underWay };
      }),
  });
  addFamily(registry, {
    name: 'tta_tokens_charged_total',
    help: 'Tokens charged, by route.',
    type: 'counter',
    samples: () => [...calls.charged].map(([route, value]) => ({ labels: { route }, value })),
  });
  addFamily(registry, {
    name: 'tta_admissions_total',
    help: 'Well-formed keys and browser tokens that the ledger was asked for, by outcome.',
    type: 'counter',
    samples: () =>
      [...calls.admissions].map(([outcome, value]) => ({ labels: { outcome }, value })),
  });
  addFigures(registry, 'counter', [
    ['tta_tokens_repaid_total', 'Tokens refunded for undelivered data.', () => calls.repaid],
    [
      'tta_responses_given_up_total',
      'Responses not kept for a repeated Idempotency-Key: too large for their price or their account.',
      () => calls.responsesGivenUp,
    ],
  ]);
}

function addFullness(registry: Registry, ledger: Pick<Ledger, 'fullness'>): void {
  addFamily(registry, {
    name: 'tta_ledger_used_ratio',
    help: 'Used share of the memory of Redis, or of the disk of a SQLite ledger; absent while it is away.',
    type: 'gauge',
    async samples() {
      const { memory, disk } = await ledger.fullness().catch(() => AWAY);
      return Object.entries({ memory, disk }).flatMap(([of, value]) =>
        value === undefined ? [] : [{ labels: { of }, value }],
      );
    },
  });
  addFamily(registry, {
    name: 'tta_ledger_log_failing',
    help: '1 if Redis last failed to write or rewrite its append-only file; absent while it is away.',
    type: 'gauge',
    async samples() {
      const { isLogFailing } = await ledger.fullness().catch(() => AWAY);
      return isLogFailing === undefined ? [] : [{ value: isLogFailing ? 1 : 0 }];
    },
  });
}

const AWAY: Partial<LedgerFullness> = {};

function addStore(registry: Registry, parts: ProxyParts): void {
  const { byKind, damagedByKind } = parts.storeCalls;
  const { releaseCache, store } = parts;
  addCalls(registry, 'tta_store', 'kind', 'Store reads by kind of object', byKind);
  addFamily(registry, {
    name: 'tta_store_damaged_total',
    help: 'Requests that failed because an object is damaged, by kind of object.',
    type: 'counter',
    // Begins with zeros, so that the first request shows as an increase.
    samples: () =>
      [...new Set([...byKind.keys(), ...damagedByKind.keys()])].map((kind) => {
        return { labels: { kind }, value: damagedByKind.get(kind) ?? 0 };
      }),
  });
  const asked = () => [...byKind.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  addFigures(registry, 'counter', [
    [
      'tta_store_used_bytes_total',
      'Bytes of objects used for responses.',
      () => asked() - releaseCache.readAlong,
    ],
    [
      'tta_store_fetched_bytes_total',
      'Bytes of objects fetched, including read-ahead and repeated reads.',
      () => store.wireCounts?.fetchedBytes ?? asked(),
    ],
    ['tta_store_retries_total', 'Retried reads.', () => store.wireCounts?.retries ?? 0],
    [
      'tta_store_hedges_total',
      'Slow reads that were requested a second time.',
      () => store.wireCounts?.hedges ?? 0,
    ],
  ]);
  const { responses, queries } = parts.app.services;
  const { loads } = releaseCache;
  addFamily(registry, {
    name: 'tta_cache_requests_total',
    help: 'Cache lookups: cached (hit), being computed for another request (shared), computed (miss).',
    type: 'counter',
    samples: () => [
      ...[responses, loads].flatMap(({ hits, shared, computed }, i) => {
        const cache = ['responses', 'objects'][i];
        return [
          { labels: { cache, outcome: 'hit' }, value: hits },
          { labels: { cache, outcome: 'shared' }, value: shared },
          { labels: { cache, outcome: 'miss' }, value: computed },
        ];
      }),
      { labels: { cache: 'queries', outcome: 'hit' }, value: queries.hits },
      { labels: { cache: 'queries', outcome: 'miss' }, value: queries.computed },
    ],
  });
  const kept = { responses: responses.kept, objects: releaseCache.kept };
  const ofEach = (value: (of: { bytes: number; savedMs: number }) => number) => () =>
    Object.entries(kept).map(([cache, of]) => ({ labels: { cache }, value: of ? value(of) : 0 }));
  addFamily(registry, {
    name: 'tta_cache_saved_seconds_total',
    help: 'Computation time saved by cache hits.',
    type: 'counter',
    samples: ofEach(({ savedMs }) => savedMs / 1000),
  });
  addFamily(registry, {
    name: 'tta_cache_bytes',
    help: 'Size of a cache within the memory shared by all.',
    type: 'gauge',
    samples: ofEach(({ bytes }) => bytes),
  });
}

function addRelease(registry: Registry, releases: ReleaseSource): void {
  addFamily(registry, {
    name: 'tta_release_info',
    help: 'The current release.',
    type: 'gauge',
    samples: () => [{ labels: { release: releases.current.version }, value: 1 }],
  });
  addFamily(registry, {
    name: 'tta_release_published_timestamp_seconds',
    help: 'First publication of the current release.',
    type: 'gauge',
    samples: () => [{ value: Date.parse(releases.current.latest.published_at) / 1000 }],
  });
  addFamily(registry, {
    name: 'tta_release_refresh_failures',
    help: 'Consecutive failed checks for a new release; meanwhile the current one stays in use.',
    type: 'gauge',
    samples: () => [{ value: releases.consecutiveFailures }],
  });
}
