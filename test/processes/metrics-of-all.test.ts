import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addFamily } from '../../infra/observe/metric-family.ts';
import { serverMetrics } from '../../infra/observe/server-metrics.ts';
import type { Child } from '../../infra/processes/child.ts';
import { MetricsOfAll } from '../../infra/processes/metrics-of-all.ts';
import { RequestTally } from '../../portal/http/request-tally.ts';

/** A process that has counted so many requests, and has so many under way. */
async function counting(requests: number, underWay: number): Promise<Child> {
  const registry = new Registry();
  const family = (name: string, type: 'counter' | 'gauge', value: number) =>
    addFamily(registry, { name, help: name, type, samples: () => [{ value }] });
  family('requests', 'counter', requests);
  family('under_way', 'gauge', underWay);
  const counted = await registry.getMetricsAsJSON();
  return { counted, metrics: async () => counted } as unknown as Child;
}

test('what the dead have counted is not lost, or a sum would fall; what they were like is', async () => {
  const [a, b, c] = [await counting(1_000, 5), await counting(10, 3), await counting(100, 7)];
  let serving = [a, b];
  const all = new MetricsOfAll(() => serving);
  const told = async () => [...(await all.metrics()).matchAll(/^\w+ (\d+)$/gm)].map(([, n]) => n);
  expect(await told()).toEqual(['1010', '8']);
  all.bury(a);
  serving = [b];
  expect(await told()).toEqual(['1010', '3']);
  all.bury(b);
  serving = [c];
  expect(await told()).toEqual(['1110', '7']);
});

test('of event loops the latest is told: on average, one that is stuck would not be seen', async () => {
  const told = await serverMetrics({
    tally: new RequestTally(),
  } as FastifyInstance).getMetricsAsJSON();
  const lag = told.filter(({ name }) => name.startsWith('nodejs_eventloop_lag'));
  expect(lag.length).toBeGreaterThan(3);
  expect(new Set(lag.map(({ aggregator }) => aggregator))).toEqual(new Set(['max']));
});
