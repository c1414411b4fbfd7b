import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease, SMALL_LEAVES } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 12, blocks: 12, pois: 40 });
const block = `/v1/blocks/${county.blocks[3].geoid}`;

let folder: string;
let proxy: ProxyHarness;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-representations-'));
  await publishSmallRelease(folder, 'small', [county]);
  proxy = await openProxy(folder);
  ({ key } = await proxy.customer({ tokens: 1e6 }));
});
afterAll(async () => {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

const etag = async (url: string) => (await proxy.get(url, key)).headers.etag;
const repeat = (name: string, values: readonly (string | number)[]) =>
  values.map((value) => `${name}=${value}`).join('&');

describe('the same representation has one ETag, however it is asked for', () => {
  const allModes = repeat('mode', ['walk', 'bike', 'transit']);
  const spellings: [string, string][] = [
    ['/pois', '/pois?limit=100'],
    ['/pois', '/pois?max_minutes=30'],
    ['/pois', '/pois?max_minutes=30.0&limit=100'],
    ['/pois?max_minutes=12', '/pois?max_minutes=12.00'],
    ['/pois', `/pois?${allModes}`],
    ['/summary', `/summary?${allModes}`],
    ['/summary', `/summary?${repeat('type', SMALL_LEAVES)}`],
  ];
  test.each(spellings)('%s is %s', async (short, long) => {
    expect(await etag(block + long)).toBe(await etag(block + short));
  });

  test('places without a type are told when no type is asked for, and only then', async () => {
    const whole = await proxy.get(`${block}/pois?limit=1000`, key);
    const typed = await proxy.get(`${block}/pois?limit=1000&${repeat('type', SMALL_LEAVES)}`, key);
    expect(typed.json().results.length).toBeLessThan(whole.json().results.length);
    expect(typed.headers.etag).not.toBe(whole.headers.etag);
  });
});

test('equal ETags are equal bytes, also between services that sign cursors differently', async () => {
  const other = await openProxy(folder, { config: { cursorSecrets: ['another secret entirely'] } });
  try {
    const { key: otherKey } = await other.customer();
    for (const url of [`${block}/summary`, `${block}/pois?limit=5`]) {
      const [here, there] = [await proxy.get(url, key), await other.get(url, otherKey)];
      expect([url, here.headers.etag === there.headers.etag]).toEqual([
        url,
        here.body === there.body,
      ]);
    }
  } finally {
    await other.close();
  }
});

test('a 304 says that it was free, and what is left', async () => {
  const customer = await proxy.customer({ tokens: 77 });
  const known = (await etag(`${block}/summary`))!;
  const answer = await proxy.get(`${block}/summary`, customer.key, { 'if-none-match': known });
  expect([answer.statusCode, answer.body]).toEqual([304, '']);
  expect(answer.headers).toMatchObject({ 'x-tokens-charged': '0', 'x-tokens-remaining': '77' });
});

describe('each form of an answer, in each coding, is a representation of its own', () => {
  const url = `${block}/pois?limit=1000`;
  const forms = ['application/json', 'text/csv', 'application/x-ndjson', 'application/geo+json'];
  const codings = ['identity', 'gzip'];
  const variants = forms.flatMap((accept) =>
    codings.map((coding) => ({ accept, 'accept-encoding': coding })),
  );

  test('with an ETag of its own, and the same one next time', async () => {
    const etags = await Promise.all(
      variants.map(async (headers) => (await proxy.get(url, key, headers)).headers.etag),
    );
    expect(new Set(etags).size).toBe(variants.length);
    for (const [i, headers] of variants.entries()) {
      expect((await proxy.get(url, key, headers)).headers.etag).toBe(etags[i]);
    }
  });

  test.each(variants)(
    'which is not sent to those who have it: $accept, $accept-encoding',
    async (variant) => {
      const { headers } = await proxy.get(url, key, variant);
      const known = String(headers.etag);
      for (const ifNoneMatch of [known, `W/${known}`, `"other", ${known}`, '*']) {
        const again = await proxy.get(url, key, { ...variant, 'if-none-match': ifNoneMatch });
        expect([ifNoneMatch, again.statusCode, again.body]).toEqual([ifNoneMatch, 304, '']);
        expect(again.headers['x-tokens-charged']).toBe('0');
      }
      const head = await proxy.get(url, key, variant, 'HEAD');
      expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', known]);
    },
  );

  test('one form’s ETag does not stand for another form', async () => {
    const { etag: json } = (await proxy.get(url, key)).headers;
    const csv = await proxy.get(url, key, { accept: 'text/csv', 'if-none-match': String(json) });
    expect(csv.statusCode).toBe(200);
  });
});

test('a Range is passed over: the whole answer, charged as a whole', async () => {
  const whole = await proxy.get(`${block}/summary`, key);
  const asked = await proxy.get(`${block}/summary`, key, { range: 'bytes=0-9' });
  expect([asked.statusCode, asked.body]).toEqual([200, whole.body]);
});

test('what accepts pages only gets JSON', async () => {
  const { headers } = await proxy.get(`${block}/summary`, key, { accept: 'text/html' });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});
