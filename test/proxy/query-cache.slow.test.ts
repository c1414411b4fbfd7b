import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { MeteredEndpoint } from '../../proxy/endpoint.ts';
import { poiSearch } from '../../proxy/endpoints/poi-search.ts';
import { CursorSealer } from '../../proxy/http/cursor.ts';
import { QueryCache } from '../../proxy/metering/query-cache.ts';
import type { ProxyServices } from '../../proxy/services.ts';
import type { Release } from '../../shards/release/release.ts';
import { wholeCountry, wideRelease } from '../support/wide-release.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const heapBytes = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

const MAX_BYTES = 8 * 2 ** 20;
const services = {
  cursors: new CursorSealer(() => ['a secret of the tests']),
} as unknown as ProxyServices;

/** Resolves the given number of URLs; returns the growth of the heap, in bytes. */
async function grownBy(
  release: Release,
  endpoint: MeteredEndpoint,
  urls: number,
  asked: (i: number) => { url: string; query: Record<string, unknown> },
): Promise<number> {
  const queries = new QueryCache(MAX_BYTES);
  const before = heapBytes();
  for (let i = 0; i < urls; i++) {
    const { url, query } = asked(i);
    await queries.compute(release, url, async () => ({
      resolved: await endpoint.resolve(release, { params: {}, query }, services),
      etag: `"${i}"`,
      release,
      cacheKey: `"${i}"`,
    }));
  }
  const grown = heapBytes() - before;
  expect(queries.get(release, asked(urls - 1).url)?.etag).toBe(`"${urls - 1}"`);
  return grown;
}

test.each([
  ['a box over 3,200 counties', 1_500, '-101,29,-79,41'],
  ['a box over one county', 12_000, '-99.9,30.1,-99.8,30.2'],
])('queries of searches in %s stay within their memory limit', async (_, urls, bbox) => {
  const { release } = wideRelease(wholeCountry());
  const grown = await grownBy(release, poiSearch, urls, (i) => ({
    url: `/v1/pois?bbox=${bbox}&q=place%20${i}`,
    query: { bbox, q: `place ${i}`, limit: 100 },
  }));
  expect(grown).toBeLessThan(1.25 * MAX_BYTES);
});

test('queries of long lists stay within their memory limit', async () => {
  const { release } = wideRelease(wholeCountry());
  const types = [101, 102, 201, 311, 312, 320];
  const long = types.concat(types, types, types).map((type) => `&type=${type}`);
  const bbox = '-99.9,30.1,-99.8,30.2';
  const grown = await grownBy(release, poiSearch, 8_000, (i) => ({
    url: `/v1/pois?bbox=${bbox}&q=place%20${i}${long.join('')}`,
    query: { bbox, q: `place ${i}`, limit: 100, type: types },
  }));
  expect(grown).toBeLessThan(1.25 * MAX_BYTES);
});
