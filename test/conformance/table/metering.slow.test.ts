import { beforeAll, describe, expect, test } from 'vitest';
import { BY } from '../../support/customers.ts';
import { type Call, expectOk, expectProblem, type HttpResponse, urlOf } from '../api.ts';
import { demoOfTests, otherProxyOfTests } from '../demo.ts';
import {
  BATCHES,
  hasPublicPrice,
  ISOCHRONE,
  METERED_GETS,
  METERED_POSTS,
  POI_DETAIL,
} from '../routes.ts';

const demo = demoOfTests();
/** A proxy that allows two requests per minute and account. */
const few = otherProxyOfTests(demo, { rateLimitPerMinute: 2 });
/** A proxy whose ledger is closed. */
const broken = otherProxyOfTests(demo);
/** A proxy that has read nothing of the release. */
const cold = otherProxyOfTests(demo);
beforeAll(() => broken.api.proxy.ledger.close());

const GETS = [
  ...METERED_GETS.map((one) => ({
    ...one,
    cost: ({ results }: { results: unknown[] }) => Math.max(one.least ?? 1, results.length),
  })),
  { ...POI_DETAIL, cost: () => 1 },
  { ...ISOCHRONE, cost: () => 10 },
];
const ALL = [...GETS, ...METERED_POSTS.map((post) => ({ ...post, route: `POST ${post.route}` }))];

const charged = (response: HttpResponse) => Number(response.headers['x-tokens-charged']);

describe.each(ALL)('every metered route: $route', ({ request }) => {
  const ask = (rest: Partial<Call> = {}) => demo.api.call({ ...request(demo), ...rest });

  test('a missing key gives missing-key, an unknown one invalid-key, a disabled account account-disabled', async () => {
    expectProblem(await ask({ as: null }), 'missing-key');
    const { api } = demo;
    const wrong = { ...api.customer, key: `ta_live_${'0'.repeat(38)}` };
    expectProblem(await ask({ as: wrong }), 'invalid-key');
    const customer = await api.newCustomer();
    const [{ id }] = await api.proxy.ledger.keys(customer.id);
    await api.proxy.ledger.revokeKey(customer.id, id, BY);
    expectProblem(await ask({ as: customer }), 'invalid-key');
    const disabled = await api.newCustomer();
    await api.proxy.ledger.setDisabled(disabled.id, true, BY);
    expectProblem(await ask({ as: disabled }), 'account-disabled');
  });

  test('carries X-Tokens-Charged, X-Tokens-Remaining, RateLimit and RateLimit-Policy', async () => {
    const as = await demo.api.newCustomer({ tokens: 4000 });
    const response = await ask({ as });
    expectOk(response);
    expect(charged(response)).toBeGreaterThan(0);
    expect(Number(response.headers['x-tokens-remaining'])).toBe(4000 - charged(response));
    expect(response.headers.ratelimit).toMatch(/^"[^"]+";r=\d+;t=\d+$/);
    expect(response.headers['ratelimit-policy']).toMatch(/^"[^"]+";q=\d+;w=60$/);
  });

  test('a zero balance is tokens-exhausted, which states the balance', async () => {
    const as = await demo.api.newCustomer({ tokens: 0 });
    const problem = expectProblem(await ask({ as }), 'tokens-exhausted');
    expect(problem.tokens_remaining).toBe(0);
  });

  test('an unknown parameter costs nothing', async () => {
    const { query, body } = request(demo);
    expectProblem(await ask({ query: { ...query, lmit: 3 } }), 'invalid-parameters');
    if (body === undefined) return;
    const typo = { body: { ...(body as object), lmit: 3 } };
    const { errors } = expectProblem(await ask(typo), 'invalid-parameters');
    expect(errors[0].loc).toContain('lmit');
  });

  test('checks the key, then the rate, then the parameters', async () => {
    const call = { ...request(few), query: { nonsense: 1 }, as: await few.api.newCustomer() };
    expectProblem(await few.api.call({ ...call, as: null }), 'missing-key');
    expectProblem(await few.api.call(call), 'invalid-parameters');
    expectProblem(await few.api.call(call), 'invalid-parameters');
    const refused = await few.api.call(call);
    expectProblem(refused, 'rate-limited');
    expect(refused.headers.ratelimit).toMatch(/;r=0;/);
  });

  test('responds debit-unavailable without a ledger', async () => {
    const { method = 'GET', path, query, body } = request(demo);
    const response = await broken.api.proxy.app.inject({
      method,
      url: urlOf(path, query),
      headers: { authorization: `Bearer ${broken.api.customer.key}` },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    expectProblem(response, 'debit-unavailable');
  });
});

describe.each(GETS)('every metered GET: $route', ({ route, request, cost }) => {
  const ask = (rest: Partial<Call> = {}) => demo.api.call({ ...request(demo), ...rest });

  test('costs 1 token per returned row, at least 1; 10 per contour', async () => {
    const response = await ask();
    expect(charged(response)).toBe(cost(expectOk(response)));
  });

  test('If-None-Match with the response’s ETag is 304: no body, free, also at a zero balance', async () => {
    const etag = String((await ask()).headers.etag);
    expect(etag).toMatch(/^"[^"]+"$/);
    const as = await demo.api.newCustomer({ tokens: 0 });
    for (const value of [etag, `W/${etag}`, `"a", ${etag}`, `"a",W/${etag} , "b"`, '*']) {
      const response = await ask({ as, headers: { 'if-none-match': value } });
      expect([value, response.statusCode, response.body]).toEqual([value, 304, '']);
      expect(response.headers.etag).toBe(etag);
      expect(response.headers).toMatchObject({
        'x-tokens-charged': '0',
        'x-tokens-remaining': '0',
      });
    }
    for (const value of ['"other"', etag.replaceAll('"', ''), '', `"${etag}`]) {
      const response = await ask({ headers: { 'if-none-match': value } });
      expect([value, response.statusCode]).toEqual([value, 200]);
    }
  });

  test('a 304 reads no shard', async () => {
    const etag = String((await ask()).headers.etag);
    const call = { ...request(cold), headers: { 'if-none-match': etag } };
    expect((await cold.api.call(call)).statusCode).toBe(304);
    expect(cold.api.proxy.store.reads).toEqual([]);
  });

  test('the ETag depends on the request and the data: not on key, balance, clock or spelling', async () => {
    const { api } = demo;
    const call = request(demo);
    const etag = (await ask()).headers.etag;
    const as = await api.newCustomer({ tokens: 999_999 });
    expect((await ask({ as })).headers.etag).toBe(etag);
    const backwards = Object.fromEntries(Object.entries(call.query!).reverse());
    expect((await ask({ query: backwards })).headers.etag).toBe(etag);
  });

  test('is public and no-cache, and varies by Authorization, Accept-Encoding and Accept', async () => {
    const { headers } = await ask();
    expect(headers['cache-control']).toBe('public, no-cache');
    expect(headers.vary).toBe('Authorization, Accept-Encoding, Accept');
  });

  test('HEAD costs one token, and has the ETag, cache headers and cost, but nothing else of the response', async () => {
    const get = await ask();
    const head = await ask({ method: 'HEAD' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['x-tokens-cost']).toBe(get.headers['x-tokens-charged']);
    expect(head.headers['x-tokens-charged']).toBe('1');
    for (const name of ['etag', 'cache-control', 'vary']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
    const ofGet = new Set(Object.keys(get.headers));
    const added = Object.keys(head.headers).filter((name) => !ofGet.has(name));
    expect(added).toEqual(['x-tokens-cost']);
    const ofTheResponse = /^(content-.*|link|x-next-cursor|x-resolved-block)$/;
    expect(Object.keys(head.headers).filter((name) => ofTheResponse.test(name))).toEqual([]);
    const as = await demo.api.newCustomer({ tokens: 0 });
    const refused = await ask({ as, method: 'HEAD' });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3600']);
    const headers = { 'if-none-match': String(get.headers.etag) };
    expect((await ask({ as, method: 'HEAD', headers })).statusCode).toBe(304);
  });

  test('a balance one short is tokens-exhausted; the exact balance is enough', async () => {
    const tokens = charged(await ask());
    const exact = await demo.api.newCustomer({ tokens });
    expectOk(await ask({ as: exact }));
    expect(await demo.api.balance(exact)).toBe(0);
    if (tokens === 1) return;
    const short = await demo.api.newCustomer({ tokens: tokens - 1 });
    const problem = expectProblem(await ask({ as: short }), 'tokens-exhausted');
    expect(problem.tokens_remaining).toBe(tokens - 1);
    // Rows are not counted for those who cannot pay for them.
    expect(problem.tokens_required).toBe(hasPublicPrice(route) ? tokens : undefined);
  });

  test('the same request twice gives the same bytes, and is charged twice', async () => {
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toBe(first.body);
    expect(charged(second)).toBe(charged(first));
  });
});

describe.each(METERED_POSTS)('every metered POST: $route', ({ request }) => {
  const ask = (rest: Partial<Call> = {}) => demo.api.call({ ...request(demo), ...rest });
  /** A key of this request; a route may have requests of two kinds. */
  const idempotent = (word: string) => {
    const { path, body } = request(demo);
    return { 'idempotency-key': `${word} ${path} ${Object.keys(body as object)}` };
  };

  test('is not cached: no-store', async () => {
    expect((await ask()).headers['cache-control']).toBe('no-store');
  });

  test('the same Idempotency-Key and body is charged once and replayed', async () => {
    const headers = idempotent('once');
    const first = await ask({ headers });
    expectOk(first);
    expect(charged(first)).toBeGreaterThan(0);
    const balance = await demo.api.balance();
    const again = await ask({ headers });
    expect([again.statusCode, again.body]).toEqual([200, first.body]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await demo.api.balance()).toBe(balance);
    const other = await ask({ headers: idempotent('twice') });
    expect(other.headers['idempotency-replayed']).toBeUndefined();
    expect(charged(other)).toBe(charged(first));
  });

  test('a body of another type is unsupported-media-type, one over 1 MiB payload-too-large', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectProblem(await ask({ headers }), 'unsupported-media-type');
    const body = `{"origins": "${'x'.repeat(2 ** 20)}"}`;
    expectProblem(await ask({ body }), 'payload-too-large');
  });

  test.each(['', '{', 'null', '[]', '"x"', '3', '{"__proto__": 1}', '\u0000', '{"a":1}{}'])(
    'a body that is %j is invalid-parameters or lacks a required member',
    async (body) => {
      const response = await ask({ body });
      expect([400, body]).toEqual([response.statusCode, body]);
    },
  );

  test('an empty body lacks origins, an area, or a required member', async () => {
    const response = await ask({ body: '{}' });
    expect(['missing-origins', 'missing-area', 'invalid-parameters']).toContain(
      new URL(response.json().type).pathname.split('/').at(-1),
    );
  });
});

describe('§4.4 a batch counts once', () => {
  test.each(BATCHES)(
    'the whole batch counts as one request against the rate limit: $route',
    async ({ request }) => {
      const response = await few.api.call({ ...request(few), as: await few.api.newCustomer() });
      expectOk(response);
      expect(response.headers.ratelimit).toMatch(/;r=1;/);
    },
  );
});
