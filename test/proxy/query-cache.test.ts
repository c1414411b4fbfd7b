import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Body } from '../../proxy/http/body.ts';
import { strongEtag } from '../../proxy/metering/etag.ts';
import { QueryCache, type ResolvedRequest } from '../../proxy/metering/query-cache.ts';
import { ResponseCache } from '../../proxy/metering/response-cache.ts';
import { CacheBudget } from '../../shards/concurrency/cost-aware-cache.ts';
import type { Release } from '../../shards/release/release.ts';
import { forAll } from '../support/for-all.ts';

const RELEASES = ['first', 'second'].map((name) => ({ name }) as unknown as Release);

/** A resolved request that records its URL and release. */
const resolvedOf = (release: number, url: string): ResolvedRequest => ({
  resolved: { canonical: url, dependsOn: [] } as unknown as ResolvedRequest['resolved'],
  etag: `"${release} ${url}"`,
  release: RELEASES[release],
  cacheKey: `"${release} ${url}"`,
});

interface Step {
  readonly does: 'begin' | 'end' | 'ask';
  readonly release: number;
  readonly url: string;
}
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('begin', 'end', 'ask'),
  release: fc.nat(1),
  url: fc.constantFrom('/a', '/b', '/c'),
});

test('a URL gets the request resolved for it and its release, whichever others are resolved meanwhile', () =>
  forAll(300, fc.array(step, { maxLength: 30 }), async (steps) => {
    const queries = new QueryCache(1e6);
    const ending: (() => Promise<unknown>)[] = [];
    let [hits, made] = [0, 0];
    for (const { does, release, url } of steps) {
      if (does === 'begin') {
        made++;
        let end = () => {};
        const worked = queries.compute(RELEASES[release], url, async () => {
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          return resolvedOf(release, url);
        });
        ending.push(async () => {
          end();
          expect(await worked).toEqual(resolvedOf(release, url));
          expect(queries.get(RELEASES[release], url)).toEqual(resolvedOf(release, url));
          hits++;
        });
      }
      if (does === 'end') await ending.shift()?.();
      if (does === 'ask') {
        const known = queries.get(RELEASES[release], url);
        if (known === undefined) continue;
        expect(known).toEqual(resolvedOf(release, url));
        hits++;
      }
    }
    expect([queries.hits, queries.computed]).toEqual([hits, made]);
    for (const end of ending) await end();
  }));

test('a request that began with the previous release clears nothing of the current one', async () => {
  const queries = new QueryCache(1e6);
  let end = () => {};
  const late = queries.compute(RELEASES[0], '/late', async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return resolvedOf(0, '/late');
  });
  await queries.compute(RELEASES[1], '/a', async () => resolvedOf(1, '/a'));
  end();
  await late;
  expect(queries.get(RELEASES[1], '/a')).toEqual(resolvedOf(1, '/a'));
});

test('a failed resolution leaves existing ones in the cache', async () => {
  const queries = new QueryCache(1e6);
  await queries.compute(RELEASES[0], '/a', async () => resolvedOf(0, '/a'));
  const failing = queries.compute(RELEASES[1], '/b', () => Promise.reject(new Error('unresolved')));
  await expect(failing).rejects.toThrow('unresolved');
  expect(queries.get(RELEASES[0], '/a')).toEqual(resolvedOf(0, '/a'));
});

test('queries of URLs up to 500 characters are kept, but not those of longer ones', async () => {
  const queries = new QueryCache(1e6);
  for (const [length, isKept] of [
    [500, true],
    [501, false],
  ] as const) {
    const url = `/${'x'.repeat(length - 1)}`;
    await queries.compute(RELEASES[0], url, async () => resolvedOf(0, url));
    expect(queries.get(RELEASES[0], url) !== undefined).toBe(isKept);
  }
});

test('a cache with more queries than it may hold keeps the most recently used', async () => {
  const queries = new QueryCache(10_000);
  const urls = Array.from({ length: 20 }, (_, i) => `/${i}`);
  for (const url of urls) {
    await queries.compute(RELEASES[0], url, async () => resolvedOf(0, url));
    expect(queries.get(RELEASES[0], urls[0])).toBeDefined();
  }
  const kept = urls.filter((url) => queries.get(RELEASES[0], url) !== undefined);
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.length).toBeLessThan(11);
  expect(kept).toEqual([urls[0], ...urls.slice(-(kept.length - 1))]);
});

const hashes = fc.array(fc.constantFrom('0000', '0001', 'ffff'), { maxLength: 3 });
const dependingOn = (list: readonly string[]) =>
  list.map((sha256) => ({ name: 'same.bin', bytes: 1, sha256 }));

test('ETags are equal for the same request on objects of the same contents, and for no others', () =>
  forAll(
    300,
    fc.constantFrom('/a', '/b'),
    fc.constantFrom('/a', '/b'),
    hashes,
    hashes,
    (a, b, some, others) => {
      const isSame = a === b && some.join() === others.join();
      expect(strongEtag(a, dependingOn(some)) === strongEtag(b, dependingOn(others))).toBe(isSame);
      expect(strongEtag(a, dependingOn(some))).toBe(strongEtag(a, dependingOn([...some])));
      expect(strongEtag(a, dependingOn([...some, 'ffff']))).not.toBe(
        strongEtag(a, dependingOn(some)),
      );
    },
  ));

test('a query takes the more memory the longer it is and the more objects it depends on', async () => {
  const keptOf = async (canonical: string, objects: number) => {
    const queries = new QueryCache(100_000);
    const dependsOn = dependingOn(Array(objects).fill('0000'));
    for (let i = 0; i < 200; i++) {
      const resolved = { canonical, dependsOn } as unknown as ResolvedRequest['resolved'];
      await queries.compute(RELEASES[0], `/${i}`, async () => ({
        resolved,
        etag: '"x"',
        release: RELEASES[0],
        cacheKey: '"x"',
      }));
    }
    return Array.from({ length: 200 }, (_, i) => queries.get(RELEASES[0], `/${i}`)).filter(Boolean)
      .length;
  };
  const plain = await keptOf('/', 0);
  expect(await keptOf('/'.repeat(1_000), 0)).toBeLessThan(plain);
  expect(await keptOf('/', 100)).toBeLessThan(plain);
});

test('finished responses count with their bodies, and are not kept in a cache of no bytes', async () => {
  const response = (bytes: number) => ({
    body: Body.of(new Uint8Array(bytes)),
    contentType: 'text/csv',
    contentEncoding: null,
    tokens: 1,
    metadata: {},
  });
  const cache = new ResponseCache(new CacheBudget(10_000));
  await cache.getOrCompute('"a"', async () => response(1_000));
  await cache.getOrCompute('"b"', async () => response(2_000));
  expect(cache.kept!.bytes).toBeGreaterThan(3_000);
  expect(cache.kept!.bytes).toBeLessThan(4_000);
  expect(new ResponseCache(new CacheBudget(10_000), 0).kept).toBeNull();
});
