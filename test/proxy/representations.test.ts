import { describe, expect, test } from 'vitest';
import { openProxy, proxyOfTests } from '../support/proxy-harness.ts';
import { SMALL_LEAVES, smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { ofThisTest } from '../support/test-resources.ts';

const county = smallCounty({ fips: '24510', seed: 12, blocks: 12, pois: 40 });
const block = `/v1/blocks/${county.blocks[3].geoid}`;

const folder = smallReleaseOfTests(county);
const proxy = proxyOfTests({ store: folder });

const etag = async (url: string) => (await proxy.get(url, proxy.key)).headers.etag;
const repeat = (name: string, values: readonly (string | number)[]) =>
  values.map((value) => `${name}=${value}`).join('&');

describe('the same representation has one ETag, however it is requested', () => {
  const allModes = repeat('mode', ['walk', 'bike', 'transit']);
  const spellings: [string, string][] = [
    ['/pois', '/pois?limit=100'],
    ['/pois', '/pois?max_minutes=30'],
    ['/pois', '/pois?max_minutes=30.0&limit=100'],
    ['/pois?max_minutes=12', '/pois?max_minutes=12.00'],
    ['/pois', `/pois?${allModes}`],
    ['/summary', `/summary?${allModes}`],
    ['/summary', `/summary?${repeat('type', SMALL_LEAVES)}`],
    ['/summary?type=310', `/summary?${repeat('type', [312, 311])}`],
    [
      '/summary?mode=walk&mode=bike&type=101&type=201',
      '/summary?type=201&mode=bike&type=101&mode=walk&mode=walk',
    ],
  ];
  test.each(spellings)('%s is %s', async (short, long) => {
    expect(await etag(block + long)).toBe(await etag(block + short));
    expect(await etag(block + long)).not.toBe(await etag(`${block}/summary?type=320`));
  });

  test('POIs without a type are listed if and only if no type is requested', async () => {
    const whole = await proxy.get(`${block}/pois?limit=1000`, proxy.key);
    const typed = await proxy.get(
      `${block}/pois?limit=1000&${repeat('type', SMALL_LEAVES)}`,
      proxy.key,
    );
    expect(typed.json().results.length).toBeLessThan(whole.json().results.length);
    expect(typed.headers.etag).not.toBe(whole.headers.etag);
  });
});

test('equal ETags mean equal bytes, also between services that sign cursors differently', async () => {
  const other = await ofThisTest(
    openProxy(folder, { config: { cursorSecrets: ['another secret entirely'] } }),
  );
  const { key } = await other.customer();
  for (const url of [`${block}/summary`, `${block}/pois?limit=5`]) {
    const [here, there] = [await proxy.get(url, proxy.key), await other.get(url, key)];
    expect([url, here.headers.etag === there.headers.etag]).toEqual([
      url,
      here.body === there.body,
    ]);
  }
});

test('cursors of the previous secret are valid after a rotation', async () => {
  const [old, fresh] = ['the secret of last month', 'the secret of this month'];
  const pageWith = async (cursorSecrets: string[], query: string) => {
    const one = await ofThisTest(openProxy(folder, { config: { cursorSecrets } }));
    return one.get(`${block}/pois?limit=5${query}`, (await one.customer()).key);
  };
  const cursor = (await pageWith([old], '')).json().next_cursor;
  const next = await pageWith([old], `&cursor=${cursor}`);
  const rotated = await pageWith([fresh, old], `&cursor=${cursor}`);
  expect(rotated.json().results).toEqual(next.json().results);
  expect((await pageWith([fresh], `&cursor=${cursor}`)).statusCode).toBe(400);
});
