import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease, SMALL_TAXONOMY } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const shape = { blocks: 12, pois: 60 };
const same = smallCounty({ fips: '24510', seed: 1, ...shape });
const before = smallCounty({ fips: '24005', seed: 2, ...shape });
const after = smallCounty({ fips: '24005', seed: 3, ...shape });
const added = smallCounty({ fips: '24003', seed: 4, ...shape });

const folder = folderOfEachTest();
let proxy: ProxyHarness;
let key: string;

beforeEach(async () => {
  await publishSmallRelease(folder, 'first', [same, before]);
  proxy = await openProxy(folder);
  ({ key } = await proxy.customer({ tokens: 1e6 }));
});
afterEach(() => proxy.close());

const summary = (geoid: string) => `/v1/blocks/${geoid}/summary`;
const pois = (geoid: string) => `/v1/blocks/${geoid}/pois?limit=5`;
async function publishSecond() {
  await publishSmallRelease(folder, 'second', [same, after, added]);
  expect(await proxy.releases.refresh()).toBe(true);
}

test('a county unchanged by a new release keeps its ETags, and 304 still reads no shard', async () => {
  const urls = same.blocks.flatMap(({ geoid }) => [summary(geoid), pois(geoid)]);
  const etags = await Promise.all(
    urls.map(async (url) => (await proxy.get(url, key)).headers.etag),
  );
  const named = async () => (await proxy.get('/v1/last-updated')).json().release;
  expect(await named()).toBe('first');
  await publishSecond();
  expect(await named()).toBe('second');
  proxy.store.reads = [];
  for (const [i, url] of urls.entries()) {
    const response = await proxy.get(url, key, { 'if-none-match': etags[i]! });
    expect([url, response.statusCode]).toEqual([url, 304]);
  }
  expect(proxy.store.reads).toEqual([]);
});

test('a county that changed gets new ETags and new responses at once', async () => {
  for (const [i, { geoid }] of before.blocks.entries()) {
    expect(after.blocks[i].geoid).toBe(geoid);
  }
  const { geoid } = before.blocks[3];
  const old = await proxy.get(summary(geoid), key);
  await publishSecond();
  const fresh = await proxy.get(summary(geoid), key, { 'if-none-match': old.headers.etag! });
  expect(fresh.statusCode).toBe(200);
  expect(fresh.headers.etag).not.toBe(old.headers.etag);
  expect(fresh.json().block).toEqual({
    geoid,
    population: after.blocks[3].population,
    land_area_m2: after.blocks[3].landArea,
  });
});

test('a county that the previous release lacked is found', async () => {
  const { geoid } = added.blocks[3];
  expect((await proxy.get(summary(geoid), key)).statusCode).toBe(404);
  await publishSecond();
  expect((await proxy.get(summary(geoid), key)).statusCode).toBe(200);
});

test('a request in flight finishes on the release it started with', async () => {
  const { geoid } = before.blocks[3];
  const expected = (await proxy.get(summary(geoid), key)).body;
  const cold = await ofThisTest(openProxy(folder));
  const { key: coldKey } = await cold.customer();
  const readRange = cold.store.readRange.bind(cold.store);
  let releaseReads = () => {};
  const held = new Promise<void>((resolve) => {
    releaseReads = resolve;
  });
  const reading = new Promise<void>((resolve) => {
    cold.store.readRange = async (...range) => {
      resolve();
      await held;
      return readRange(...range);
    };
  });
  const underWay = cold.get(summary(geoid), coldKey).then((response) => response.body);
  await reading;
  // Opening the next release takes reads of its own.
  cold.store.readRange = readRange;
  await publishSmallRelease(folder, 'second', [same, after, added]);
  await cold.releases.refresh();
  releaseReads();
  expect(await underWay).toBe(expected);
  expect((await cold.get(summary(geoid), coldKey)).body).not.toBe(expected);
});

test('an Idempotency-Key replays its response in a release that lacks the type it was about', async () => {
  const body = { origins: [same.blocks[3].geoid], type: [320], mode: ['walk'] };
  const ask = (idempotencyKey: string) =>
    proxy.post('/v1/blocks/summary', key, body, { 'idempotency-key': idempotencyKey });
  const first = await ask('libraries');
  expect(first.statusCode).toBe(200);
  const without = SMALL_TAXONOMY.filter(({ dest_type_id }) => dest_type_id !== 320);
  await publishSmallRelease(folder, 'second', [same, after], { types: without });
  expect(await proxy.releases.refresh()).toBe(true);
  const again = await ask('libraries');
  expect([again.statusCode, again.body]).toEqual([200, first.body]);
  expect(again.headers).toMatchObject({
    'idempotency-replayed': 'true',
    'x-tokens-charged': '0',
    'x-data-release': first.headers['x-data-release'],
  });
  const other = await ask('another');
  expect([other.statusCode, other.json().errors[0].type]).toEqual([
    400,
    'unknown_destination_type',
  ]);
});
