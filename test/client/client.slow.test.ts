import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../portal/client/src/api-types.ts';
import {
  ApiError,
  type Client,
  createClient,
  memoryStore,
  type Reply,
} from '../../portal/client/src/index.ts';
import { exampleRequest, type Operation, readDocument } from '../support/example-requests.ts';
import { altered } from '../support/wire.ts';
import { all, clientTests, TYPES } from './client-harness.ts';

const tests = clientTests();
const WALK = { mode: ['walk'] } as const;

const charged = (replies: readonly Reply<unknown>[]) =>
  replies.reduce((sum, { tokens }) => sum + tokens.charged, 0);

/** An error response of the service's front, made before the service has received the request. */
const refused = (status: number, headers: Record<string, string>, slug?: string) =>
  new Response(slug && JSON.stringify({ type: `x/${slug}`, title: slug, status }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

/** A `fetch` that first returns the given responses, and records the times of its calls. */
function fetchAfter(responses: Response[]) {
  const times: number[] = [];
  const fetchNext: typeof fetch = async (url, init) => {
    times.push(performance.now());
    return responses.shift() ?? fetch(url, init);
  };
  return { times, fetch: fetchNext };
}

async function failureOf(call: PromiseLike<unknown>): Promise<ApiError> {
  const error = await Promise.resolve(call).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

test('every operation returns what a plain request does', async () => {
  const { client, key } = await tests.customer();
  const { paths } = await readDocument(tests.proxy);
  for (const [name, [access, path]] of Object.entries(OPERATIONS)) {
    const method = access === 'posted' ? 'POST' : 'GET';
    const operation: Operation = paths[path][method.toLowerCase() as 'get' | 'post'];
    const { url, body } = exampleRequest(path, operation);
    const examples = (operation.parameters ?? []).filter(({ example }) => example !== undefined);
    const params = body ?? Object.fromEntries(examples.map(({ name, example }) => [name, example]));
    const call = client[name as 'getPoi'] as unknown as (of: object) => Promise<Reply<unknown>>;
    const { data, requestId } = await call(params);
    const response = body
      ? await tests.proxy.post(path, key, body)
      : await tests.proxy.get(url, key);
    const isJson = String(response.headers['content-type']).includes('json');
    const expected = isJson ? response.json() : new Uint8Array(response.rawPayload);
    // Two responses of these operations differ in a time or a balance.
    const differs = /^(get(Ready|Tokens)|createExportLink)$/.test(name);
    if (differs) expect(Object.keys(data!)).toEqual(Object.keys(expected));
    else expect([name, data]).toEqual([name, expected]);
    expect(requestId).toMatch(/^[0-9a-f-]{32,36}$/);
  }
});

test('a reply has tokens, release and the id of its request', async () => {
  const { client, spent, wire } = await tests.customer({ tokens: 1_000 });
  const { data, tokens, requestId, release } = await client.getBlockSummary({
    geoid: tests.geoids[0],
    ...WALK,
  });
  expect(tokens).toEqual({
    charged: Math.max(1, data.results.length),
    remaining: 1_000 - tokens.charged,
  });
  expect(tokens.charged).toBe(await spent());
  expect(requestId).toBe(wire.requests[0].headers['x-request-id']);
  expect(release).toBe(tests.proxy.releases.current.version);
  const free = await client.getModes();
  expect([free.tokens, free.release]).toEqual([{ charged: 0, remaining: null }, null]);
});

test('pages have the rows of one plain request, each charged once', async () => {
  const { client, spent, wire } = await tests.customer();
  const geoid = tests.geoids[0];
  const whole = await tests.plain(`/v1/blocks/${geoid}/summary`);
  const call = client.getBlockSummary({ geoid, limit: 7 });
  const first = await call;
  const pages = await all(call);
  expect(pages[0]).toBe(first);
  expect(pages.flatMap(({ data }) => data.results)).toEqual(whole.results);
  expect(charged(pages)).toBe(await spent());
  expect(wire.requests).toHaveLength(pages.length);
  const rows = await all(client.getBlockSummary({ geoid, limit: 7 }).rows());
  expect(rows).toEqual(whole.results);
});

test('pages of a POST have the rows of one plain request, each charged once', async () => {
  const { client, spent } = await tests.customer();
  const { block_box: box } = tests.proxy.releases.current.county('99001')!;
  const area = {
    center: { lon: (box[0] + box[2]) / 2, lat: (box[1] + box[3]) / 2 },
    radius_m: 900,
  };
  const whole = await tests.plain('/v1/blocks/query', { ...area, ...TYPES, limit: 1_000 });
  const pages = await all(client.queryBlocks({ ...area, ...TYPES, limit: 50 }));
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.flatMap(({ data }) => data.results)).toEqual(whole.results);
  expect(charged(pages)).toBe(await spent());
});

test('pages of CSV together have the lines of one plain response', async () => {
  const { client } = await tests.customer();
  const params = { geoid: tests.geoids[0], ...WALK };
  const whole = await client.getBlockSummary(params, { accept: 'text/csv' });
  const pages = await all(client.getBlockSummary({ ...params, limit: 7 }, { accept: 'text/csv' }));
  const [head] = whole.data.split('\n', 1);
  expect(pages.map(({ data }) => data.slice(head.length + 1)).join('')).toBe(
    whole.data.slice(head.length + 1),
  );
});

test('a batch of any length is sent in chunks, and truncated origins are sent again', async () => {
  const { client, spent, wire } = await tests.customer();
  const origins = Array.from({ length: 611 }, (_, i) => tests.geoids[i % tests.geoids.length]);
  origins[300] = '990019999999999';
  const chunks = await all(client.getBlockSummaries({ origins, ...TYPES, max_rows: 500 }));
  expect(chunks.length).toBeGreaterThan(3);
  expect(wire.requests).toHaveLength(chunks.length);
  const plain: unknown[] = [];
  for (let at = 0; at < origins.length; at += 100) {
    const body = { origins: origins.slice(at, at + 100), ...TYPES };
    plain.push(...((await tests.plain('/v1/blocks/summary', body)).results as unknown[]));
  }
  const rows = chunks.flatMap(({ data }) => data.results);
  expect(rows).toEqual(plain);
  const errors = chunks.flatMap(({ data }) => data.errors);
  expect(errors.filter(({ type }) => type === 'block-not-found')).toMatchObject([
    { geoid: origins[300] },
  ]);
  expect([charged(chunks), await spent()]).toEqual([rows.length, rows.length]);
});

test('batches of points and of POIs are sent in chunks', async () => {
  const { client, wire } = await tests.customer();
  const [{ lat, lon }] = (await client.searchPois({ ...areaOf(), limit: 1 })).data.results;
  const points = Array.from({ length: 251 }, () => ({ lat, lon }));
  const { results } = await tests.plain('/v1/point/summary', {
    origins: points.slice(0, 1),
    ...WALK,
  });
  expect(results).not.toEqual([]);
  const rows = await all(client.getPointSummaries({ origins: points, ...WALK }).rows());
  expect(rows).toEqual(points.flatMap(() => results));
  const pois = (await client.searchPois({ ...areaOf(), limit: 3 })).data.results;
  const dest_ids = pois.map(({ dest_id }) => dest_id);
  wire.requests = [];
  const reached = await all(client.listPoisCatchments({ dest_ids, ...WALK, max_rows: 1 }).rows());
  expect(wire.requests).toHaveLength(3);
  expect(reached).toEqual((await tests.plain('/v1/pois/catchment', { dest_ids, ...WALK })).results);
});

test('malformed origins of truncated batches are reported once, and all others are answered', async () => {
  const { client } = await tests.customer();
  const { lat, lon } = (await client.searchPois({ ...areaOf(), limit: 1 })).data.results[0];
  const mixed = <O>(good: O, bad: unknown) =>
    Array.from({ length: 40 }, (_, i) => (i % 7 === 3 ? (bad as O) : good));
  const [geoid] = tests.geoids;
  const blocks = await all(
    client.getBlockSummaries({ origins: mixed(geoid, null), ...WALK, max_rows: 1 }),
  );
  const points = await all(
    client.getPointSummaries({ origins: mixed({ lat, lon }, { lat: null }), ...WALK, max_rows: 1 }),
  );
  for (const [chunks, body] of [
    [blocks, ['/v1/blocks/summary', { origins: [geoid], ...WALK }]],
    [points, ['/v1/point/summary', { origins: [{ lat, lon }], ...WALK }]],
  ] as const) {
    const { results } = await tests.plain(body[0], body[1]);
    expect(results).not.toEqual([]);
    const good = mixed(true, false).filter(Boolean);
    expect(chunks.flatMap(({ data }): unknown[] => data.results)).toEqual(
      good.flatMap(() => results as unknown[]),
    );
    const errors = chunks.flatMap(({ data }): unknown[] => data.errors);
    expect(errors).toHaveLength(40 - good.length);
  }
});

const areaOf = () => {
  const { block_box: box } = tests.proxy.releases.current.county('99001')!;
  return { bbox: box.join() };
};

test('an awaited batch is one request, and is refused if it is too long', async () => {
  const { client } = await tests.customer();
  const origins = Array.from({ length: 251 }, () => tests.geoids[0]);
  const error = await failureOf(client.getBlockSummaries({ origins, ...WALK }));
  expect(error.slug).toBe('too-many-origins');
  expect(await all(client.getBlockSummaries({ origins: [], ...WALK }))).toEqual([]);
});

test('a batch that the balance does not cover yields the rows paid for, then tokens-exhausted', async () => {
  const { client, spent } = await tests.customer({ tokens: 40 });
  const origins = tests.geoids.slice(0, 60);
  const rows: unknown[] = [];
  const error = await failureOf(
    (async () => {
      for await (const row of client.getBlockSummaries({ origins, ...TYPES }).rows())
        rows.push(row);
    })(),
  );
  expect(error).toMatchObject({ slug: 'tokens-exhausted', status: 429, retryAfterMs: 3_600_000 });
  if (error.slug !== 'tokens-exhausted') return;
  expect(error.problem.tokens_remaining).toBe(40 - rows.length);
  expect(error.tokens).toEqual({ charged: 0, remaining: 40 - rows.length });
  expect(await spent()).toBe(rows.length);
});

test('when the service limits the rate, all calls wait for its Retry-After', async () => {
  const front = fetchAfter([refused(429, { 'retry-after': '1' }, 'rate-limited')]);
  const { client } = await tests.customer({ fetch: front.fetch });
  await Promise.all([client.getModes(), pause(100).then(() => client.getPlans())]);
  expect(front.times).toHaveLength(3);
  expect(front.times[1] - front.times[0]).toBeGreaterThanOrEqual(999);
  expect(front.times[2] - front.times[0]).toBeGreaterThanOrEqual(999);
});

test('a passing failure is retried after the date in Retry-After, or a default wait without one', async () => {
  const date = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000);
  const front = fetchAfter([
    refused(503, { 'retry-after': date.toUTCString() }, 'overloaded'),
    refused(502, { 'content-type': 'text/html' }),
  ]);
  const { client } = await tests.customer({ fetch: front.fetch });
  expect((await client.getModes()).data.modes).not.toEqual([]);
  expect(Date.now()).toBeGreaterThanOrEqual(date.getTime());
  expect(front.times[2] - front.times[1]).toBeGreaterThanOrEqual(499);
});

test('a failure is thrown after the last retry, and at once where the wait would be long', async () => {
  const three = fetchAfter([1, 2, 3].map(() => refused(503, { 'retry-after': '0' }, 'overloaded')));
  const { client } = await tests.customer({ fetch: three.fetch, retries: 2 });
  expect(await failureOf(client.getModes())).toMatchObject({ slug: 'overloaded', status: 503 });
  expect(three.times).toHaveLength(3);
  const long = fetchAfter([refused(503, { 'retry-after': '121' }, 'store-unavailable')]);
  const hasty = await tests.customer({ fetch: long.fetch });
  expect(await failureOf(hasty.client.getModes())).toMatchObject({ retryAfterMs: 121_000 });
  expect(long.times).toHaveLength(1);
});

test('errors are a union by slug, with the id of their request', async () => {
  const { client, wire } = await tests.customer();
  const unknown = await failureOf(client.getBlockSummary({ geoid: '990019999999999' }));
  expect(unknown).toMatchObject({
    name: 'ApiError',
    slug: 'block-not-found',
    status: 404,
    requestId: wire.requests[0].headers['x-request-id'],
    tokens: { charged: 0, remaining: 1e6 },
    problem: { status: 404, title: 'Unknown census block' },
  });
  expect(unknown.message).toContain('990019999999999');
  const invalid = await failureOf(client.getBlockSummary({ geoid: tests.geoids[0], type: [7] }));
  expect(invalid.problem?.errors).toMatchObject([{ loc: ['query', 'type'] }]);
  const keyless = await tests.customer({ apiKey: undefined });
  expect((await failureOf(keyless.client.getTokens())).slug).toBe('missing-key');
  wire.fault = () =>
    altered((response) =>
      Object.assign(response, { status: 404, body: Buffer.from('?'), headers: {} }),
    );
  expect(await failureOf(client.getModes())).toMatchObject({
    slug: 'unexpected-response',
    status: 404,
  });
});

test('without a response, the error has the last failure as its cause', async () => {
  const { client, wire } = await tests.customer({ retries: 1 });
  wire.fault = () => 'reset';
  const error = await failureOf(client.getTokens());
  expect(error).toMatchObject({
    slug: 'no-response',
    status: 0,
    problem: null,
    cause: expect.any(TypeError),
  });
  expect(wire.requests.map(({ headers }) => headers['x-request-id'])).toEqual([
    error.requestId,
    error.requestId,
  ]);
});

test('requests to free routes have no key, id or stored ETag, so that pages need no preflight', async () => {
  const store = memoryStore();
  const { client, wire } = await tests.customer({ store });
  await client.getModes();
  const { data, requestId } = await client.getModes();
  expect(data.modes).not.toEqual([]);
  expect(requestId).toMatch(/^[0-9a-f-]{32,36}$/);
  const sent = wire.requests.map(({ headers }) => Object.keys(headers).join());
  const own = /authorization|x-request-id|if-none-match|content-type/;
  expect(sent.filter((names) => own.test(names))).toEqual([]);
  expect(sent).toHaveLength(2);
});

test('the base URL may be a function, and a wait over the limit is left to the caller', async () => {
  const { wire } = await tests.customer();
  const front = fetchAfter([refused(503, { 'retry-after': '2' }, 'overloaded')]);
  const client = createClient({
    baseUrl: () => pause(20, wire.address),
    fetch: front.fetch,
    maxWaitMs: 1_000,
  });
  expect(await failureOf(client.getModes())).toMatchObject({ retryAfterMs: 2_000 });
  expect((await client.getModes()).data.modes).not.toEqual([]);
});

test('a base URL that is missing or relative is named', async () => {
  const missing = undefined as unknown as string;
  expect(() => createClient({ baseUrl: missing })).toThrow('Invalid baseUrl: undefined');
  const { getModes } = createClient({ baseUrl: () => '/api' });
  await expect(getModes()).rejects.toThrow('Invalid baseUrl: /api');
});

test('a request to a silent service times out and is sent again', async () => {
  const { client, wire, spent } = await tests.customer({ timeoutMs: 10_000 });
  wire.fault = () => (wire.requests.length === 1 ? 'silence' : null);
  const { tokens } = await client.getBlockSummary({ geoid: tests.geoids[0], ...WALK });
  expect([wire.requests.length, tokens.charged]).toEqual([2, await spent()]);
});

test('a signal ends requests, waits and iterations with its reason', async () => {
  const { client, wire } = await tests.customer();
  const reason = new Error('enough');
  const abortedAfter = (ms: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), ms);
    return { signal: controller.signal };
  };
  wire.fault = () => 'silence';
  await expect(client.getModes({}, abortedAfter(50))).rejects.toBe(reason);
  const front = fetchAfter([refused(503, { 'retry-after': '100' })]);
  const waiting = await tests.customer({ fetch: front.fetch });
  await expect(waiting.client.getModes({}, abortedAfter(50))).rejects.toBe(reason);
  wire.fault = () => null;
  const controller = new AbortController();
  const { signal } = controller;
  let pages = 0;
  const following = async () => {
    for await (const _ of client.getBlockSummary(
      { geoid: tests.geoids[0], limit: 1 },
      { signal },
    )) {
      if (++pages === 2) controller.abort(reason);
    }
  };
  await expect(following()).rejects.toBe(reason);
  expect(pages).toBe(2);
});

test('a function that returns the key is called for each request', async () => {
  const keys = ['ta_live_expired', ''];
  const { client, key, wire } = await tests.customer({ apiKey: async () => keys.shift() || key });
  expect((await failureOf(client.getTokens())).slug).toBe('invalid-key');
  expect((await client.getTokens()).tokens.remaining).toBe(1e6);
  expect(wire.requests[1].headers.authorization).toBe(`Bearer ${key}`);
});

test('a job that is run again with the same idempotency key of the caller is charged once', async () => {
  const { client, spent } = await tests.customer();
  const job = () =>
    all(
      client.getBlockSummaries(
        { origins: tests.geoids.slice(0, 300), ...TYPES, max_rows: 400 },
        { idempotencyKey: 'job 1' },
      ),
    );
  const first = await job();
  const again = await job();
  expect(again.map(({ data }) => data)).toEqual(first.map(({ data }) => data));
  expect([charged(again), await spent()]).toEqual([0, charged(first)]);
});

test('a call is sent once, when it is first used', async () => {
  const { client, wire } = await tests.customer();
  const call: ReturnType<Client['searchPois']> = client.searchPois({ ...areaOf(), limit: 1 });
  await pause(20);
  expect(wire.requests).toEqual([]);
  const [one, other] = await Promise.all([call, call.finally(() => {})]);
  expect(one).toBe(other);
  expect(wire.requests).toHaveLength(1);
  const failing = client.searchPois({});
  expect(await failing.catch((error: ApiError) => error.slug)).toBe('missing-location');
});
