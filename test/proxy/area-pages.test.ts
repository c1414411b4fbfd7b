import { expect, test } from 'vitest';
import { createClient } from '../../portal/client/src/index.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import type { SmallBlock, SmallCounty } from '../support/small-world.ts';

const BLOCKS = 4_100;
const GROCERY = 101;

/** A county of many blocks, of which only the last reaches both of its shops, on foot. */
function countyOfLittleChoice(): SmallCounty {
  const address = { street: null, city: null, state: null, zip: null };
  const shop = { name: 'Shop', lon: -76.6, lat: 39.3, address, types: [GROCERY] };
  const pois = [1, 2].map((destId) => ({ ...shop, destId }));
  const none = new Map<number, number>();
  const [one, both] = [[1], [1, 2]].map((reached) => {
    return { walk: new Map(reached.map((id) => [id, 50 + id])), bike: none, transit: none };
  });
  const block = { population: 1, landArea: 1, links: { walk: 'linked', bike: 'linked' } } as const;
  const blocks = Array.from({ length: BLOCKS }, (_, i): SmallBlock => {
    const geoid = `24005${String(i + 1).padStart(10, '0')}`;
    return { ...block, geoid, tenths: i < BLOCKS - 1 ? one : both };
  });
  return { fips: '24005', blocks, pois };
}

const proxy = proxyOfTests({ store: smallReleaseOfTests(countyOfLittleChoice()) });
const AREA = { center: { lon: -76.6, lat: 39.3 }, radius_m: 1_000 };
const last = { geoid: '240050000004100', dest_type_id: GROCERY, mode_id: 1, mode: 'walk' };

test('a page that has read 4,096 blocks ends, even without rows, with a cursor, for a token', async () => {
  const query = { ...AREA, nth: [2] };
  const first = await proxy.post('/v1/blocks/query', proxy.key, { ...query, limit: 1 });
  expect(first.json()).toEqual({ results: [], next_cursor: expect.any(String) });
  expect(first.headers['x-tokens-charged']).toBe('1');
  const cursor = first.json().next_cursor;
  const second = await proxy.post('/v1/blocks/query', proxy.key, { ...query, limit: 1, cursor });
  expect(second.json()).toEqual({
    results: [{ ...last, travel_time: 5.2, nth: 2 }],
    next_cursor: null,
  });
});

test('a page of times to the nearest POIs ends after 4,096 blocks too, even without rows', async () => {
  const query = { ...AREA, type: [201], limit: 1 };
  const first = (await proxy.post('/v1/blocks/query', proxy.key, query)).json();
  expect(first).toEqual({ results: [], next_cursor: expect.any(String) });
  const rest = { ...query, cursor: first.next_cursor };
  const second = (await proxy.post('/v1/blocks/query', proxy.key, rest)).json();
  expect(second).toEqual({ results: [], next_cursor: null });
});

test('the client continues past a page without rows', async () => {
  const port = await proxy.listen();
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: proxy.key });
  const pages: number[] = [];
  for await (const { data } of client.queryBlocks({ ...AREA, nth: [2], limit: 10 })) {
    pages.push(data.results.length);
  }
  expect(pages).toEqual([0, 1]);
});
