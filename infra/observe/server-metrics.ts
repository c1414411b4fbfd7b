import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { CallTally } from './backend-calls.ts';
import { addFamily, addFigures, histogramSamples } from './metric-family.ts';

/** Metrics common to both servers: process and requests. */
export function serverMetrics({ tally, shedder }: FastifyInstance): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { routes } = tally;
  addFamily(registry, {
    name: 'tta_http_requests_total',
    help: 'Requests by route and status; of a response that broke off, that of the fault, or 0 if the client left.',
    type: 'counter',
    samples: () =>
      [...routes].flatMap(([route, { statuses }]) =>
        [...statuses].map(([status, value]) => ({ labels: { route, status }, value })),
      ),
  });
  const name = 'tta_http_request_duration_seconds';
  addFamily(registry, {
    name,
    help: 'Time from the request header to the end of the response.',
    type: 'histogram',
    samples: () =>
      histogramSamples(
        name,
        'route',
        [...routes].map(([route, { durations }]) => [route, durations]),
      ),
  });
  addFigures(registry, 'gauge', [
    ['tta_http_requests_under_way', 'Requests in progress.', () => tally.underWay],
  ]);
  addFigures(registry, 'counter', [
    [
      'tta_http_requests_shed_total',
      'Requests rejected because the event loop was late.',
      () => shedder?.shed ?? 0,
    ],
  ]);
  return registry;
}

/** Counts, failures and durations of calls. */
export function addCalls(
  registry: Registry,
  prefix: string,
  label: string,
  what: string,
  byKind: ReadonlyMap<string, CallTally>,
): void {
  addFamily(registry, {
    name: `${prefix}_failures_total`,
    help: `${what}: failures.`,
    type: 'counter',
    samples: () =>
      [...byKind].map(([kind, { failed }]) => ({ labels: { [label]: kind }, value: failed })),
  });
  const name = `${prefix}_duration_seconds`;
  addFamily(registry, {
    name,
    help: `${what}: duration.`,
    type: 'histogram',
    samples: () =>
      histogramSamples(
        name,
        label,
        [...byKind].map(([kind, { durations }]) => [kind, durations]),
      ),
  });
}
