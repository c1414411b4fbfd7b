import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { type Demo, NO_SUCH_BLOCK, openDemo } from '../demo.ts';
import { PROBLEM_STATUS, type ProblemSlug } from '../problems.ts';

let demo: Demo;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo.api.close());

const summary = (geoid: string) => `/v1/blocks/${geoid}/summary`;

describe('§5 authentication', () => {
  test('metered routes need the header Authorization: Bearer <API_KEY>', async () => {
    const { api, block } = demo;
    expectProblem(await api.get(summary(block.geoid), {}, { as: null }), 'missing-key');
    expectOk(await api.get(summary(block.geoid)));
  });

  test.each([
    ['of another scheme', 'Basic dXNlcjpwYXNz'],
    ['without a key', 'Bearer'],
    ['with two keys', 'Bearer a b'],
    ['without the prefix', 'Bearer 0123456789012345678901234567890123456789'],
    ['with a wrong checksum', `Bearer ta_live_${'A'.repeat(38)}`],
    ['of bytes that are no ASCII', 'Bearer ta_live_\u00e9'],
    ['that is very long', `Bearer ta_live_${'x'.repeat(4000)}`],
  ])('a key %s gives invalid-key', async (_, authorization) => {
    const { api, block } = demo;
    const rest = { as: null, headers: { authorization } };
    expectProblem(await api.get(summary(block.geoid), {}, rest), 'invalid-key');
  });

  test('a key is refused by its checksum when any character of it is mistyped', async () => {
    const { api, block } = demo;
    const { key } = api.customer;
    for (const at of [8, 20, 39, 40, key.length - 1]) {
      const typo = `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`;
      const rest = { as: { ...api.customer, key: typo } };
      expectProblem(await api.get(summary(block.geoid), {}, rest), 'invalid-key');
    }
  });

  test('the key has a fixed live-key prefix, 32 base-62 characters and 6 of checksum', () => {
    expect(demo.api.customer.key).toMatch(/^ta_live_[0-9A-Za-z]{38}$/);
  });

  test('a disabled account gives account-disabled', async () => {
    const { api, block } = demo;
    const customer = await api.newCustomer();
    await api.proxy.ledger.setDisabled(customer.id, true);
    const answer = await api.get(summary(block.geoid), {}, { as: customer });
    expectProblem(answer, 'account-disabled');
  });

  test('a disabled key gives account-disabled until it is enabled; a revoked one invalid-key', async () => {
    const { api, block } = demo;
    const customer = await api.newCustomer();
    const { ledger } = api.proxy;
    const [{ id }] = await ledger.keys(customer.id);
    const ask = () => api.get(summary(block.geoid), {}, { as: customer });
    await ledger.setKeyDisabled(customer.id, id, true);
    expectProblem(await ask(), 'account-disabled');
    await ledger.setKeyDisabled(customer.id, id, false);
    expectOk(await ask());
    await ledger.setKeyDisabled(customer.id, id, true);
    await ledger.revokeKey(customer.id, id);
    expectProblem(await ask(), 'invalid-key');
  });

  test('a key in the URL is refused, not used', async () => {
    const { api, block } = demo;
    const query = { api_key: api.customer.key };
    expectProblem(await api.get(summary(block.geoid), query, { as: null }), 'missing-key');
    expectInvalid(await api.get(summary(block.geoid), query), 'api_key');
  });

  test('the scheme is read in any case', async () => {
    const { api, block } = demo;
    const headers = { authorization: `bearer ${api.customer.key}` };
    const answer = await api.get(summary(block.geoid), {}, { headers });
    expectOk(answer);
  });

  test('at most 3 active keys an account; a revoked one makes room', async () => {
    const { ledger } = demo.api.proxy;
    const { id } = await demo.api.newCustomer();
    for (const created of [true, true, false]) {
      expect((await ledger.createKey(id, 'more', Date.now())).created).toBe(created);
    }
    await ledger.revokeKey(id, (await ledger.keys(id))[0].id);
    expect((await ledger.createKey(id, 'rotated', Date.now())).created).toBe(true);
  });
});

describe('§7 errors', () => {
  test('errors are RFC 9457 problems whose type ends in the stable slug', async () => {
    const problem = expectProblem(await demo.api.get(summary(NO_SUCH_BLOCK)), 'block-not-found');
    expect(problem.type).toBe('http://localhost:8080/problems/block-not-found');
    expect(problem.geoid).toBe(NO_SUCH_BLOCK);
  });

  test('a validation failure lists {loc, msg, type} of each parameter that is wrong', async () => {
    const query = { mode: ['walk', 'car'], type: 'x', colour: 'red' };
    const { errors } = expectProblem(
      await demo.api.get(summary('12'), query),
      'invalid-parameters',
    );
    const named = errors.map(({ loc }: { loc: string[] }) => loc.slice(0, 2).join('.')).sort();
    expect(named).toEqual(['path.geoid', 'query.colour', 'query.mode', 'query.type']);
  });

  test.each(Object.keys(PROBLEM_STATUS) as ProblemSlug[])(
    'the type of %s leads to a short readable page',
    async (slug) => {
      const page = await demo.api.get(`/problems/${slug}`, {}, { as: null });
      expect([page.statusCode, page.headers['content-type']]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(page.body).toContain(slug);
      expect(page.body.length).toBeLessThan(5000);
    },
  );

  test('no such route is not-found, whoever asks', async () => {
    for (const path of ['/v1', '/v2/health', '/v1/blocks', '/v1/blocks/1/2/3', '/v1/health/']) {
      expectProblem(await demo.api.get(path, {}, { as: null }), 'not-found');
    }
  });

  test('another method on a known route is 405 with Allow', async () => {
    const { api, block } = demo;
    for (const path of ['/v1/health', '/v1/tokens', summary(block.geoid), '/openapi.json']) {
      for (const method of ['PUT', 'DELETE'] as const) {
        const answer = await api.call({ method, path });
        expectProblem(answer, 'method-not-allowed');
        expect(answer.headers.allow).toContain('GET');
      }
    }
  });

  test('free catalogue routes raise no key errors', async () => {
    for (const authorization of ['Bearer wrong', 'Basic x', '']) {
      const rest = { as: null, headers: { authorization } };
      expectOk(await demo.api.get('/v1/meta/modes', {}, rest));
    }
  });
});

describe('everywhere', () => {
  test('X-Request-Id is on every response, and an inbound safe one is kept', async () => {
    const { api, block } = demo;
    for (const path of ['/v1/health', summary(block.geoid), summary('12'), '/nothing']) {
      const given = await api.get(path, {}, { headers: { 'x-request-id': 'client-17.a:b_c' } });
      expect(given.headers['x-request-id']).toBe('client-17.a:b_c');
      const made = await api.get(path, {}, { headers: { 'x-request-id': 'not safe!<>' } });
      expect(made.headers['x-request-id']).not.toBe('not safe!<>');
    }
  });

  test('no two requests have the same made-up id', async () => {
    const ids = new Set<unknown>();
    for (let i = 0; i < 50; i++) {
      ids.add((await demo.api.get('/v1/health')).headers['x-request-id']);
    }
    expect(ids.size).toBe(50);
  });

  test('an unknown parameter is invalid-parameters that names it and the allowed ones', async () => {
    const { api, block } = demo;
    const answer = await api.get(summary(block.geoid), { modes: 'walk' });
    expectInvalid(answer, 'modes');
    expect(answer.json().errors[0].msg).toMatch(/mode.*type/);
    expectInvalid(await api.get('/v1/meta/modes', { verbose: 1 }), 'verbose');
  });

  test('an array in a query repeats the parameter; commas do not make one', async () => {
    const { api, block } = demo;
    const modes = (rows: { mode: string }[]) => [...new Set(rows.map(({ mode }) => mode))];
    const both = expectOk(await api.get(summary(block.geoid), { mode: ['bike', 'walk'] }));
    expect(modes(both.results)).toEqual(['walk', 'bike']);
    expectInvalid(await api.get(summary(block.geoid), { mode: 'walk,bike' }), 'mode');
    expectInvalid(await api.get(summary(block.geoid), { 'mode[]': 'walk' }), 'mode[]');
  });

  test('a scalar that is given twice is refused', async () => {
    const { api, block } = demo;
    const pois = `/v1/blocks/${block.geoid}/pois`;
    expectInvalid(await api.get(pois, { limit: [5, 5] }), 'limit');
    expectInvalid(await api.get(pois, { cursor: ['a', 'a'] }), 'cursor');
    expectInvalid(await api.get(pois, { max_minutes: [5, 6] }), 'max_minutes');
  });

  test.each([
    ...['', '1', '99001000100100', '9900100010010000', '99001000100100x', '+90010001001000'],
    ...['990010001001000 ', '%00', '٩٩٠٠١٠٠٠١٠٠١٠٠٠', '9.9001000100100e14'],
  ])('the block GEOID %j is not 15 digits: invalid-parameters', async (geoid) => {
    const path = `/v1/blocks/${encodeURIComponent(geoid)}/summary`;
    expectInvalid(await demo.api.get(path), 'geoid');
  });

  test('CORS: any origin, the headers that clients send allowed, those they read exposed', async () => {
    const { api, block } = demo;
    const headers = { origin: 'https://map.example', 'access-control-request-method': 'POST' };
    const preflight = await api.call({
      ...{ method: 'OPTIONS', path: summary(block.geoid), as: null },
      headers: { ...headers, 'access-control-request-headers': 'authorization,idempotency-key' },
    });
    expect(preflight.statusCode).toBe(204);
    const allowed = String(preflight.headers['access-control-allow-headers']).toLowerCase();
    for (const name of ['authorization', 'if-none-match', 'idempotency-key']) {
      expect(allowed).toContain(name);
    }
    const answer = await api.get(summary(block.geoid), {}, { headers });
    const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase();
    const tokens = ['x-tokens-charged', 'x-tokens-remaining', 'x-tokens-cost'];
    for (const name of ['etag', ...tokens, 'ratelimit', 'ratelimit-policy', 'x-request-id']) {
      expect(exposed).toContain(name);
    }
  });
});

describe('§9 versioning', () => {
  test('a machine-readable contract, OpenAPI 3.1 with servers and a bearer scheme, is served', async () => {
    const document = expectOk(await demo.api.get('/openapi.json', {}, { as: null }));
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: 'http://localhost:8080' }]);
    const schemes = Object.values<{ type: string; scheme: string }>(
      document.components.securitySchemes,
    );
    expect(schemes).toContainEqual(expect.objectContaining({ type: 'http', scheme: 'bearer' }));
  });

  test('people read the same contract at /docs', async () => {
    const page = await demo.api.get('/docs', {}, { as: null });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
  });

  test('all routes are under the /v1 prefix', async () => {
    const { paths } = expectOk(await demo.api.get('/openapi.json'));
    for (const path of Object.keys(paths)) expect(path).toMatch(/^\/v1\//);
  });
});
