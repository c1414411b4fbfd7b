import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { ReleaseCache } from '../../shards/release/release-cache.ts';
import type { ReleaseSource } from '../../shards/release/release-source.ts';
import { HttpReader } from '../../shards/store/http/http-reader.ts';
import type { Store } from '../../shards/store/store.ts';
import type { LedgerCalls, StoreCalls } from './backend-calls.ts';
import { addFamily, addFigures } from './metric-family.ts';
import { addCalls, serverMetrics } from './server-metrics.ts';

/** What a proxy is made of, as far as it counts what it does. */
interface ProxyParts {
  readonly app: FastifyInstance;
  readonly releases: ReleaseSource;
  readonly releaseCache: ReleaseCache;
  readonly store: Store;
  readonly storeCalls: StoreCalls;
  readonly ledgerCalls: LedgerCalls;
}

/** The metrics of a proxy. */
export function proxyMetrics(parts: ProxyParts): Registry {
  const registry = serverMetrics(parts.app);
  addAnswering(registry, parts.app);
  addLedger(registry, parts.ledgerCalls);
  addStore(registry, parts);
  addRelease(registry, parts.releases);
  const breakers = { store: parts.storeCalls.breaker, ledger: parts.ledgerCalls.breaker };
  addFamily(registry, {
    name: 'tta_breaker_open',
    help: '1 while calls of a backend in trouble fail at once.',
    type: 'gauge',
    samples: () =>
      Object.entries(breakers).map(([backend, breaker]) => {
        return { labels: { backend }, value: breaker?.isOpen ? 1 : 0 };
      }),
  });
  return registry;
}

function addAnswering(registry: Registry, { services }: FastifyInstance): void {
  const { responseWriter, batchSemaphore } = services;
  addFigures(registry, 'counter', [
    [
      'tta_http_readers_ended_total',
      'Readers of large answers whose connections were ended for being slow.',
      () => responseWriter.readersEnded,
    ],
  ]);
  addFigures(registry, 'gauge', [
    [
      'tta_http_answer_waiting_bytes',
      'Bytes of large answers that wait for their readers.',
      () => responseWriter.waiting,
    ],
    [
      'tta_batches_waiting',
      'POSTs that wait for their turn to be answered.',
      () => batchSemaphore.waiting,
    ],
  ]);
}

function addLedger(registry: Registry, calls: LedgerCalls): void {
  addCalls(registry, 'tta_ledger', 'operation', 'Calls of the ledger', calls.byKind);
  addFamily(registry, {
    name: 'tta_ledger_calls_under_way',
    help: 'Calls of the ledger that wait for an answer: of debits, the queue of commits.',
    type: 'gauge',
    samples: () =>
      [...calls.byKind].map(([operation, { underWay }]) => {
        return { labels: { operation }, value: underWay };
      }),
  });
  addFamily(registry, {
    name: 'tta_tokens_charged_total',
    help: 'Tokens debited, by route.',
    type: 'counter',
    samples: () => [...calls.charged].map(([route, value]) => ({ labels: { route }, value })),
  });
  addFigures(registry, 'counter', [
    [
      'tta_tokens_repaid_total',
      'Tokens given back for what was not delivered.',
      () => calls.repaid,
    ],
  ]);
}

function addStore(registry: Registry, parts: ProxyParts): void {
  const { byKind } = parts.storeCalls;
  const { releaseCache } = parts;
  addCalls(registry, 'tta_store', 'kind', 'Reads of the store by kind of object', byKind);
  const asked = () => [...byKind.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const wire = () => (parts.store instanceof HttpReader ? parts.store.wireCounts : null);
  addFigures(registry, 'counter', [
    [
      'tta_store_used_bytes_total',
      'Bytes of objects that answers were made from.',
      () => asked() - releaseCache.readAlong,
    ],
    [
      'tta_store_fetched_bytes_total',
      'Bytes of objects that came: with those read along, and read twice.',
      () => wire()?.fetchedBytes ?? asked(),
    ],
    ['tta_store_retries_total', 'Reads tried again.', () => wire()?.retries ?? 0],
    [
      'tta_store_hedges_total',
      'Reads that were late, and asked for a second time.',
      () => wire()?.hedges ?? 0,
    ],
  ]);
  const { responses, queries } = parts.app.services;
  const { heads } = releaseCache;
  addFamily(registry, {
    name: 'tta_cache_requests_total',
    help: 'What was asked of a cache: at hand (hit), being made for another (shared), made (miss).',
    type: 'counter',
    samples: () => [
      ...[responses, heads].flatMap(({ hits, shared, made }, i) => {
        const cache = ['answers', 'objects'][i];
        return [
          { labels: { cache, outcome: 'hit' }, value: hits },
          { labels: { cache, outcome: 'shared' }, value: shared },
          { labels: { cache, outcome: 'miss' }, value: made },
        ];
      }),
      { labels: { cache: 'queries', outcome: 'hit' }, value: queries.hits },
      { labels: { cache: 'queries', outcome: 'miss' }, value: queries.made },
    ],
  });
  const kept = { responses: responses.kept, objects: releaseCache.kept };
  const ofEach = (value: (of: { bytes: number; savedMs: number }) => number) => () =>
    Object.entries(kept).map(([cache, of]) => ({ labels: { cache }, value: of ? value(of) : 0 }));
  addFamily(registry, {
    name: 'tta_cache_saved_seconds_total',
    help: 'What making again what was at hand would have taken.',
    type: 'counter',
    samples: ofEach(({ savedMs }) => savedMs / 1000),
  });
  addFamily(registry, {
    name: 'tta_cache_bytes',
    help: 'What a cache holds of the memory that they share.',
    type: 'gauge',
    samples: ofEach(({ bytes }) => bytes),
  });
}

function addRelease(registry: Registry, releases: ReleaseSource): void {
  addFamily(registry, {
    name: 'tta_release_info',
    help: 'The release in force.',
    type: 'gauge',
    samples: () => [{ labels: { release: releases.current.version }, value: 1 }],
  });
  addFamily(registry, {
    name: 'tta_release_published_timestamp_seconds',
    help: 'When the release in force was first published.',
    type: 'gauge',
    samples: () => [{ value: Date.parse(releases.current.latest.published_at) / 1000 }],
  });
  addFamily(registry, {
    name: 'tta_release_refresh_failures',
    help: 'Looks for a newer release that failed since the last that did not: the one in force is held.',
    type: 'gauge',
    samples: () => [{ value: releases.failuresInARow }],
  });
}
