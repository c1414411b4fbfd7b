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

/** What is told of some metrics, in order. */
async function figures(all: MetricsOfAll, names: RegExp): Promise<number[]> {
  const lines = (await all.metrics()).matchAll(/^(\w+) (\d+)$/gm);
  return [...lines].filter(([, name]) => names.test(name)).map(([, , value]) => Number(value));
}

test('what the dead have counted is not lost, or a sum would fall; what they were like is', async () => {
  const [a, b, c] = [await counting(1_000, 5), await counting(10, 3), await counting(100, 7)];
  let serving = [a, b];
  const all = new MetricsOfAll(() => serving, 2);
  expect(await figures(all, /requests|under_way/)).toEqual([1_010, 8]);
  all.bury(a);
  serving = [b];
  expect(await figures(all, /requests|under_way/)).toEqual([1_010, 3]);
  all.bury(b);
  serving = [c];
  expect(await figures(all, /requests|under_way/)).toEqual([1_110, 7]);
});

test('how many serve, of those wanted, is told also when none of them is there to tell it', async () => {
  let serving = [await counting(1, 1), await counting(2, 2)];
  const all = new MetricsOfAll(() => serving, 2);
  const processes = /tta_processes_serving|tta_processes_wanted/;
  expect(await figures(all, processes)).toEqual([2, 2]);
  serving = [];
  expect(await figures(all, processes)).toEqual([0, 2]);
});

test('of event loops the latest is told: on average, one that is stuck would not be seen', async () => {
  const told = await serverMetrics({
    tally: new RequestTally(),
  } as FastifyInstance).getMetricsAsJSON();
  const lag = told.filter(({ name }) => name.startsWith('nodejs_eventloop_lag'));
  expect(lag.length).toBeGreaterThan(3);
  expect(new Set(lag.map(({ aggregator }) => aggregator))).toEqual(new Set(['max']));
});
