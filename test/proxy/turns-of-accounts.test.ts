import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();
const MANY = 60;

// Each look at the clock uses up the slice of a turn, so all work yields wherever it may.
let nowMs = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 5;
    return nowMs;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('sixty requests of an account take turns with the one of another account, across all reads', async () => {
  const release = proxy.releases.current;
  const index = await release.index(release.counties[0].manifest);
  const geoid = geoidFromNumber(index.geoids.find((_, i) => index.isFullyRoutable(i))!);
  // Much the same work, but no common response.
  const pathOf = (nr: number) => `/v1/blocks/${geoid}/summary?nth=3&limit=${100 + nr}`;
  const paths = Array.from({ length: MANY }, (_, nr) => pathOf(nr));
  const [many, few] = [
    await proxy.customer({ tokens: 1e9 }),
    await proxy.customer({ tokens: 1e9 }),
  ];
  const order: string[] = [];
  const ask = async (path: string, { key, id }: typeof few) => {
    const { statusCode } = await proxy.get(path, key);
    expect(statusCode).toBe(200);
    order.push(id);
  };
  await Promise.all([...paths.map((path) => ask(path, many)), ask(pathOf(MANY), few)]);
  expect(order).toHaveLength(MANY + 1);
  expect(order.indexOf(few.id)).toBeLessThan(MANY / 6);
});
