import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { openProxy } from '../support/proxy-harness.ts';

let proxy: Awaited<ReturnType<typeof openProxy>>;
let port: number;
beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  port = await proxy.listen();
});
afterAll(() => proxy.close());

/**
 * Sends a batch that takes longer than the rest of a request, again whenever it waited too long for
 * its turn. Records its client once it is served.
 */
async function batch(key: string, name: string, answered: string[]): Promise<void> {
  const { current: release } = proxy.releases;
  const index = await release.index(release.counties[0].manifest);
  const request = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    },
    body: JSON.stringify({ origins: Array.from(index.geoids.slice(0, 40), geoidFromNumber) }),
  };
  let status: number;
  do {
    const response = await fetch(`http://127.0.0.1:${port}/v1/blocks/pois`, request);
    await response.arrayBuffer();
    ({ status } = response);
  } while (status === 503);
  expect(status).toBe(200);
  answered.push(name);
}

test('a client’s single batch is not kept waiting by the many of other clients', async () => {
  const accounts = Array.from({ length: 3 }, () => proxy.customer({ tokens: 1e9 }));
  const [first, second, late] = await Promise.all(accounts);
  const answered: string[] = [];
  const each = 20;
  const many = Array.from({ length: each }, () => [
    batch(first.key, 'first', answered),
    batch(second.key, 'second', answered),
  ]).flat();
  await Promise.race(many);
  const before = answered.length;
  await batch(late.key, 'late', answered);
  // Batches in progress and some that complete in the meantime come first, but not all that waited.
  expect(answered.indexOf('late') - before).toBeLessThan(each);
  await Promise.all(many);
  expect(answered).toHaveLength(2 * each + 1);
});
