import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Receipt } from '../../portal/accounts/replays.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 12, blocks: 12, pois: 40 });
const reaching = county.blocks.slice(3).map(({ geoid }) => geoid);
const unroutable = county.blocks[0].geoid;
const unknown = '245100000000000';

let folder: string;
let proxy: ProxyHarness;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-posted-'));
  await publishSmallRelease(folder, 'small', [county]);
  proxy = await openProxy(folder);
});
afterAll(async () => {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (key: string, body: object, headers: Record<string, string> = {}) =>
  proxy.app.inject({
    ...{ method: 'POST', url: '/v1/blocks/pois', payload: body },
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
const balance = async (id: string) => (await proxy.ledger.account(id))!.balance;

describe('an answer that is given again', () => {
  test('is read from the ledger alone', async () => {
    const { key } = await proxy.customer({ tokens: 1e6 });
    const headers = { 'idempotency-key': 'read once' };
    const first = await post(key, { origins: reaching }, headers);
    proxy.store.reads = [];
    const again = await post(key, { origins: reaching }, headers);
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
    expect(proxy.store.reads).toEqual([]);
  });

  test('but cannot be read counts as not delivered', async () => {
    const { id, key } = await proxy.customer({ tokens: 1e6 });
    const headers = { 'idempotency-key': 'damaged' };
    expect((await post(key, { origins: reaching }, headers)).statusCode).toBe(200);
    const paid = await balance(id);
    const replay = proxy.ledger.replay.bind(proxy.ledger);
    let receipt: Receipt | undefined;
    proxy.ledger.replay = async (...request) => {
      const kept = await replay(...request);
      if (kept?.outcome !== 'replayed') return kept;
      receipt = kept.receipt;
      return { ...kept, answer: { headers: {}, gzip: Buffer.from('this is no gzip') } };
    };
    try {
      expect((await post(key, { origins: reaching }, headers)).statusCode).toBe(500);
    } finally {
      proxy.ledger.replay = replay;
    }
    expect(await balance(id)).toBe(paid);
    expect((await post(key, { origins: reaching }, headers)).statusCode).toBe(200);
    // Two deliveries are left, the first and the last: when both had failed, all would be given back.
    await proxy.ledger.undeliver(receipt!);
    expect(await balance(id)).toBe(paid);
    await proxy.ledger.undeliver(receipt!);
    expect(await balance(id)).toBe(1e6);
  });
});

describe('what a batch says beside its rows', () => {
  const origins = [reaching[0], unknown, unroutable, reaching[1]];

  test.each(['application/json', 'text/csv', 'application/x-ndjson', 'application/geo+json'])(
    'is in headers too: %s',
    async (accept) => {
      const { key } = await proxy.customer({ tokens: 1e6 });
      const whole = await post(key, { origins }, { accept });
      expect(whole.headers).toMatchObject({ 'x-batch-errors': '2', 'x-batch-truncated': '0' });
      expect(whole.headers).not.toHaveProperty('x-truncated-reason');
      const first = Number(
        (await post(key, { origins: [reaching[0]] })).headers['x-tokens-charged'],
      );
      const poor = await proxy.customer({ tokens: first });
      const cut = await post(poor.key, { origins }, { accept });
      expect(cut.headers).toMatchObject({
        ...{ 'x-batch-errors': '2', 'x-batch-truncated': '1' },
        ...{ 'x-truncated-reason': 'insufficient-balance', 'x-tokens-remaining': '0' },
      });
    },
  );

  test('is in headers of an answer that is given again', async () => {
    const { key } = await proxy.customer({ tokens: 1e6 });
    const headers = { accept: 'text/csv', 'idempotency-key': 'beside' };
    await post(key, { origins }, headers);
    const again = await post(key, { origins }, headers);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-batch-errors': '2',
      'content-type': 'text/csv; charset=utf-8; header=present',
    });
  });

  test('may be read by pages of any origin', async () => {
    const { key } = await proxy.customer();
    const { headers } = await post(key, { origins: [reaching[0]], max_minutes: 1 });
    const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        ...['x-batch-errors', 'x-batch-truncated', 'x-truncated-reason'],
        ...['x-next-cursor', 'x-resolved-block', 'link'],
      ]),
    );
  });
});

/** A part of a JSON Schema of the document. */
interface Schema {
  readonly type?: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  readonly maximum?: number;
}
interface Methods {
  readonly post?: {
    readonly requestBody: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  };
}

/** As many triangles with heights as have 2,000 vertices between them, side by side. */
const triangles = Array.from({ length: 666 }, (_, i) => {
  const [lon, lat] = [-76.6 + (i % 30) * 0.01, 39.2 + Math.floor(i / 30) * 0.01];
  const first = [lon, lat, 1.5];
  return [[first, [lon + 0.005, lat, 1.5], [lon, lat + 0.005, 1.5], first]];
});
const mostDetailed = {
  type: 'MultiPolygon',
  bbox: [-76.6, 39.2, 1.5, -76.3, 39.5, 1.5],
  coordinates: triangles,
};

/** The largest value that a schema allows. */
function largest(schema: Schema): unknown {
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties);
    return Object.fromEntries(members.map(([name, member]) => [name, largest(member)]));
  }
  if (schema.type === 'array') {
    return Array.from({ length: schema.maxItems! }, () => largest(schema.items!));
  }
  if (schema.type === 'boolean') return true;
  if (schema.type === 'string') return schema.enum?.[0] ?? unknown;
  return schema.maximum;
}

test('the largest body that the document tells of is read to its end', async () => {
  const { paths } = (await proxy.get('/openapi.json')).json();
  const { key } = await proxy.customer({ tokens: 1e6 });
  const headers = { authorization: `Bearer ${key}` };
  const answered: string[] = [];
  for (const [url, { post: operation }] of Object.entries<Methods>(paths)) {
    if (!operation) continue;
    const { properties } = operation.requestBody.content['application/json'].schema;
    const { polygon, center, radius_m, cursor, ...rest } = properties;
    const payload = {
      ...Object.fromEntries(Object.entries(rest).map(([name, of]) => [name, largest(of)])),
      // The largest number is no type, and would be refused before the body's end is missed.
      ...(rest.type && { type: Array(rest.type.maxItems!).fill(101) }),
      ...(polygon && { polygon: mostDetailed }),
    };
    const answer = await proxy.app.inject({ method: 'POST', url, headers, payload });
    expect([url, answer.statusCode, answer.body]).toEqual([url, 200, expect.anything()]);
    answered.push(url);
  }
  expect(answered).toContain('/v1/blocks/query');
  expect(answered.length).toBeGreaterThan(3);
});

describe('a batch pays', () => {
  test('for an origin as often as it is listed', async () => {
    const { key } = await proxy.customer({ tokens: 1e6 });
    const once = await post(key, { origins: [reaching[0]] });
    const twice = await post(key, { origins: [reaching[0], reaching[0]] });
    expect(twice.json().results).toEqual([...once.json().results, ...once.json().results]);
    expect(Number(twice.headers['x-tokens-charged'])).toBe(
      2 * Number(once.headers['x-tokens-charged']),
    );
  });

  test('one token where no origin resolves, and nothing where the first cannot be paid', async () => {
    const { key } = await proxy.customer({ tokens: 2 });
    const nothing = await post(key, { origins: [unknown, unroutable] });
    expect(nothing.headers).toMatchObject({ 'x-tokens-charged': '1', 'x-tokens-remaining': '1' });
    const tooMuch = await post(key, { origins: [reaching[0], unknown] });
    const { key: rich } = await proxy.customer({ tokens: 1e6 });
    const alone = (await post(rich, { origins: [reaching[0]] })).json().results.length;
    expect([tooMuch.statusCode, tooMuch.json()]).toMatchObject([
      429,
      { type: expect.stringMatching(/tokens-exhausted$/), tokens_required: alone },
    ]);
    expect(tooMuch.headers).toMatchObject({ 'x-tokens-charged': '0', 'x-tokens-remaining': '1' });
    expect((await post(key, { origins: [unknown] })).statusCode).toBe(200);
    const broke = await post(key, { origins: [unknown, reaching[0]] });
    expect(broke.json()).toMatchObject({ tokens_required: alone, tokens_remaining: 0 });
  });

  test('for no origin beyond the row budget, nor any after the first beyond it', async () => {
    const rows = async (geoid: string) => {
      const { key } = await proxy.customer({ tokens: 1e6 });
      return (await post(key, { origins: [geoid] })).json().results.length as number;
    };
    const [first, second] = [await rows(reaching[0]), await rows(reaching[1])];
    expect(second).toBeGreaterThan(0);
    const small = await openProxy(folder, { config: { batchRowBudget: first + second - 1 } });
    try {
      const { key } = await small.customer({ tokens: 1e6 });
      const answer = await small.app.inject({
        ...{ method: 'POST', url: '/v1/blocks/pois', headers: { authorization: `Bearer ${key}` } },
        payload: { origins: [reaching[0], unknown, reaching[1], unroutable] },
      });
      expect(answer.json()).toMatchObject({
        truncated: [reaching[1], unroutable],
        truncated_reason: 'row-budget',
      });
      expect(answer.json().errors).toHaveLength(1);
      expect(answer.headers['x-tokens-charged']).toBe(String(first));
    } finally {
      await small.close();
    }
  });
});
