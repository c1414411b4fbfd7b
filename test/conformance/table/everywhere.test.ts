import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ORIGIN_FAULTS } from '../../../proxy/schemas/schemas.ts';
import { BY } from '../../support/customers.ts';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK } from '../demo.ts';
import { PROBLEM_STATUS } from '../problems.ts';

const demo = demoOfTests();

const summary = (geoid: string) => `/v1/blocks/${geoid}/summary`;

describe('§5 authentication', () => {
  test('a disabled key gives account-disabled until it is enabled; a revoked one invalid-key', async () => {
    const { api, block } = demo;
    const customer = await api.newCustomer();
    const { ledger } = api.proxy;
    const [{ id }] = await ledger.keys(customer.id);
    const ask = () => api.get(summary(block.geoid), {}, { as: customer });
    await ledger.setKeyDisabled(customer.id, id, true, BY);
    expectProblem(await ask(), 'account-disabled');
    await ledger.setKeyDisabled(customer.id, id, false, BY);
    expectOk(await ask());
    await ledger.setKeyDisabled(customer.id, id, true, BY);
    await ledger.revokeKey(customer.id, id, BY);
    expectProblem(await ask(), 'invalid-key');
  });
});

describe('§7 errors', () => {
  test('errors are RFC 9457 problems whose type ends in the stable slug', async () => {
    const problem = expectProblem(await demo.api.get(summary(NO_SUCH_BLOCK)), 'block-not-found');
    expect(problem.type).toBe('http://127.0.0.1:8080/problems/block-not-found');
    expect(problem.geoid).toBe(NO_SUCH_BLOCK);
  });

  test('a validation failure lists {loc, msg, type} of each invalid parameter', async () => {
    const query = { mode: ['walk', 'car'], type: 'x!', colour: 'red' };
    const { errors } = expectProblem(
      await demo.api.get(summary('12'), query),
      'invalid-parameters',
    );
    const named = errors.map(({ loc }: { loc: string[] }) => loc.slice(0, 2).join('.')).sort();
    expect(named).toEqual(['path.geoid', 'query.colour', 'query.mode', 'query.type']);
    const type = errors.find(({ loc }: { loc: string[] }) => loc[1] === 'type');
    expect(type.msg).toContain('/v1/meta/destination-types');
  });

  test.each([...Object.keys(PROBLEM_STATUS), ...ORIGIN_FAULTS])(
    'the type of %s leads to a short readable page without scripts or resources',
    async (slug) => {
      const { statusCode, headers, body } = await demo.api.get(
        `/problems/${slug}`,
        {},
        { as: null },
      );
      expect(statusCode).toBe(200);
      expect(body).toContain(slug);
      expect(body.length).toBeLessThan(5000);
      const [, style] = /<style>(.*)<\/style>/s.exec(body)!;
      const digest = createHash('sha256').update(style).digest('base64');
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        'x-content-type-options': 'nosniff',
      });
    },
  );

  test('the page of a problem is available as Markdown too', async () => {
    const page = (path: string) => demo.api.get(`/problems/${path}`, {}, { as: null });
    const { headers, body } = await page('invalid-cursor.md');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    const [title, facts, advice] = body.trim().split('\n\n');
    expect(facts).toBe('`invalid-cursor`, HTTP status 400');
    const html = (await page('invalid-cursor')).body;
    expect(html).toContain(`<h1>${title.replace('# ', '')}</h1>`);
    expect(html).toContain(`<p>${advice}</p>`);
  });

  test('an unknown route is not-found, with or without a key', async () => {
    const paths = ['/v1', '/v2/health', '/v1/blocks', '/v1/blocks/1/2/3', '/v1/health/'];
    for (const path of [...paths, '/problems/no-such-problem', '/problems/.md']) {
      expectProblem(await demo.api.get(path, {}, { as: null }), 'not-found');
    }
  });

  test('a trailing slash is reported as the error before the key is checked', async () => {
    const { geoid } = demo.block;
    for (const path of [
      '/v1/health',
      '/v1/plans',
      `/v1/blocks/${geoid}/summary`,
      '/v1/pois',
      '/v1/tokens',
      '/v1/blocks/query',
      '/v1/isochrone',
      '/openapi.json',
      `/v1/places/${geoid}/pois`,
    ]) {
      for (const as of [null, demo.api.customer]) {
        const response = await demo.api.get(`${path}/`, { mode: 'walk' }, { as });
        const { detail } = expectProblem(response, 'not-found');
        expect(detail).toBe(`no route ${path}/: remove the trailing slash`);
      }
    }
    const { detail } = expectProblem(await demo.api.get('/v1/nothing/'), 'not-found');
    expect(detail).toBe('no route /v1/nothing/');
  });

  test('free catalogue routes return no key errors', async () => {
    for (const authorization of ['Bearer wrong', 'Basic x', '']) {
      const rest = { as: null, headers: { authorization } };
      for (const route of ['/v1/meta/modes', '/v1/isochrone/meta']) {
        expectOk(await demo.api.get(route, {}, rest));
      }
    }
  });
});

describe('everywhere', () => {
  test('X-Request-Id is on every response, and keeps a safe inbound value', async () => {
    const { api, block } = demo;
    for (const path of ['/v1/health', summary(block.geoid), summary('12'), '/nothing']) {
      const idFor = async (given: string) =>
        (await api.get(path, {}, { headers: { 'x-request-id': given } })).headers['x-request-id'];
      for (const safe of ['client-17.a:b_c', 'trace-42:a/b', 'x'.repeat(128)]) {
        expect(await idFor(safe)).toBe(safe);
      }
      for (const unsafe of ['not safe!<>', 'a b', 'x'.repeat(129)]) {
        expect(await idFor(unsafe)).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
  });

  test('generated request ids are unique', async () => {
    const ids = new Set<unknown>();
    for (let i = 0; i < 50; i++) {
      ids.add((await demo.api.get('/v1/health')).headers['x-request-id']);
    }
    expect(ids.size).toBe(50);
  });

  test('an unknown parameter is invalid-parameters that names it and the allowed ones', async () => {
    const { api, block } = demo;
    const response = await api.get(summary(block.geoid), { modes: 'walk' });
    expectInvalid(response, 'modes');
    expect(response.json().errors).toEqual([
      {
        loc: ['query', 'modes'],
        msg: 'unknown parameter; this route accepts mode, departure, percentile, type, nth, count_within, names, limit, cursor',
        type: 'unrecognized_keys',
      },
    ]);
    expectInvalid(await api.get('/v1/meta/modes', { verbose: 1 }), 'verbose');
  });

  test('an array in a query repeats the parameter; commas do not separate values', async () => {
    const { api, block } = demo;
    const modes = (rows: { mode: string }[]) => [...new Set(rows.map(({ mode }) => mode))];
    const both = expectOk(await api.get(summary(block.geoid), { mode: ['bike', 'walk'] }));
    expect(modes(both.results)).toEqual(['walk', 'bike']);
    expectInvalid(await api.get(summary(block.geoid), { mode: 'walk,bike' }), 'mode');
    expectInvalid(await api.get(summary(block.geoid), { 'mode[]': 'walk' }), 'mode[]');
  });

  test.each([
    '',
    '1',
    '99001000100100',
    '9900100010010000',
    '99001000100100x',
    '+90010001001000',
    '990010001001000 ',
    '%00',
    '٩٩٠٠١٠٠٠١٠٠١٠٠٠',
    '9.9001000100100e14',
  ])('the block GEOID %j is not 15 digits: invalid-parameters', async (geoid) => {
    const path = `/v1/blocks/${encodeURIComponent(geoid)}/summary`;
    expectInvalid(await demo.api.get(path), 'geoid');
  });

  test('CORS: any origin, with the headers that clients send allowed and those they read exposed', async () => {
    const { api, block } = demo;
    const headers = { origin: 'https://map.example', 'access-control-request-method': 'POST' };
    const preflight = await api.call({
      method: 'OPTIONS',
      path: summary(block.geoid),
      as: null,
      headers: { ...headers, 'access-control-request-headers': 'authorization,idempotency-key' },
    });
    expect(preflight.statusCode).toBe(204);
    const allowed = String(preflight.headers['access-control-allow-headers']).toLowerCase();
    for (const name of [
      'authorization',
      'if-none-match',
      'idempotency-key',
      'x-request-id',
      'mcp-protocol-version',
    ]) {
      expect(allowed).toContain(name);
    }
    const response = await api.get(summary(block.geoid), {}, { headers });
    // All headers: the Fetch standard reads `*` that way for requests without cookies.
    expect(response.headers['access-control-expose-headers']).toBe('*');
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

describe('§9 versioning', () => {
  test('serves a machine-readable contract, OpenAPI 3.1 with servers and a bearer scheme', async () => {
    const document = expectOk(await demo.api.get('/openapi.json', {}, { as: null }));
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:8080' }]);
    const schemes = Object.values<{ type: string; scheme: string }>(
      document.components.securitySchemes,
    );
    expect(schemes).toContainEqual(expect.objectContaining({ type: 'http', scheme: 'bearer' }));
  });

  test('all routes are under the /v1 prefix, but for files and messages of assistants', async () => {
    const { paths } = expectOk(await demo.api.get('/openapi.json'));
    for (const path of Object.keys(paths)) expect(path).toMatch(/^\/(v1|tiles|exports|mcp\b)/);
  });
});
