import { beforeAll, expect, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const RATE = 40;
const proxy = proxyOfTests({ rateLimitPerMinute: RATE });
let summary: string;
beforeAll(async () => {
  const index = await proxy.releases.current.index(proxy.releases.current.county('99001')!);
  const geoid = index.geoids.find((_, ordinal) => index.isRoutable(ordinal))!;
  summary = `/v1/blocks/${geoidFromNumber(geoid)}/summary`;
});

test('a cached response is sent in each requested form, and charged each time', async () => {
  const { id, key } = await proxy.customer();
  let left = await proxy.balance(id);
  const { etag } = (await proxy.get(summary, proxy.key)).headers as { etag: string };
  const asked = [
    [{}, 'GET', 200, 'application/json; charset=utf-8', undefined],
    [{ accept: 'text/csv' }, 'GET', 200, 'text/csv; charset=utf-8; header=present', undefined],
    [{ 'accept-encoding': 'gzip' }, 'GET', 200, 'application/json; charset=utf-8', 'gzip'],
    [{ 'if-none-match': etag }, 'GET', 304, undefined, undefined],
    [{}, 'HEAD', 200, undefined, undefined],
  ] as const;
  for (const [headers, method, status, type, coding] of [...asked, ...asked]) {
    const response = await proxy.get(summary, key, headers, method);
    expect([
      response.statusCode,
      response.headers['content-type'],
      response.headers['content-encoding'],
    ]).toEqual([status, type, coding]);
    left -= Number(response.headers['x-tokens-charged']);
    expect(Number(response.headers['x-tokens-remaining'])).toBe(left);
    expect(Number(response.headers['x-tokens-charged']) > 0).toBe(status === 200);
    expect(response.rawPayload.length > 0).toBe(status === 200 && method === 'GET');
  }
  expect(await proxy.balance(id)).toBe(left);
});

test.each(['GET', '304'])(
  'a %s of a cached response is refused to clients no longer authorised',
  async (kind) => {
    const { etag } = (await proxy.get(summary, proxy.key)).headers as { etag: string };
    const headers: Record<string, string> = kind === '304' ? { 'if-none-match': etag } : {};
    const { id, key } = await proxy.customer({ tokens: 1e6 });
    const status = async () => (await proxy.get(summary, key, headers)).statusCode;
    const may = kind === '304' ? 304 : 200;
    for (let i = 1; i < RATE; i++) expect(await status()).toBe(may);
    const by = { by: 'operator', atMs: Date.now() } as const;
    await proxy.ledger.setDisabled(id, true, by);
    expect(await status()).toBe(403);
    await proxy.ledger.setDisabled(id, false, by);
    expect([await status(), await status()]).toEqual([may, 429]);
    const [{ id: keyId }] = await proxy.ledger.keys(id);
    await proxy.ledger.revokeKey(id, keyId, by);
    expect(await status()).toBe(401);
  },
);
