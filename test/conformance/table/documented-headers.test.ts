import { beforeAll, describe, expect, test } from 'vitest';
import { BY } from '../../support/customers.ts';
import { inPlace } from '../../support/openapi.ts';
import { ofThisTest } from '../../support/test-resources.ts';
import type { Call, HttpResponse } from '../api.ts';
import { Api, expectOk } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK, NO_SUCH_PLACE, PORT_MERIDIAN } from '../demo.ts';
import { FREE_ROUTES, KNOWN_REQUESTS } from '../routes.ts';

interface Response {
  readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
type Paths = Record<string, Record<string, { readonly responses: Record<string, Response> }>>;

const demo = demoOfTests();
let paths: Paths;
/** The response to every HEAD that succeeds. */
let toHead: Response;
beforeAll(async () => {
  const document = expectOk(await demo.api.get('/openapi.json', {}, { as: null }));
  ({ paths } = inPlace(document));
  toHead = inPlace({ ...document, paths: document.components.responses.Head }).paths;
});

/** Undocumented headers: those of HTTP itself, and those for pages of other origins. */
const NOT_DOCUMENTED =
  /^(access-control-|content-|connection$|date$|keep-alive$|transfer-encoding$)/;

/** Checks a response's headers against the document: none undocumented, and none missing. */
function expectDocumented(route: string, method: string, response: HttpResponse): void {
  const { statusCode } = response;
  const isHead = method === 'head';
  const sameAsGet = paths[route][isHead ? 'get' : method].responses[statusCode];
  const { headers } = isHead && statusCode < 300 ? toHead : sameAsGet;
  const reported = new Map(Object.entries(headers).map(([name, of]) => [name.toLowerCase(), of]));
  const sent = Object.keys(response.headers).filter((name) => !NOT_DOCUMENTED.test(name));
  const at = `${method} ${route} ${statusCode}`;
  expect([at, sent.filter((name) => !reported.has(name))]).toEqual([at, []]);
  const promised = [...reported].filter(([, { required }]) => required).map(([name]) => name);
  expect([at, promised.filter((name) => !sent.includes(name))]).toEqual([at, []]);
}

const FREE_PATHS: Readonly<Record<string, string>> = {
  '/v1/addresses': '/v1/addresses?q=port',
  '/v1/places': '/v1/places?q=port',
  '/v1/places/{geoid}/boundary': `/v1/places/${PORT_MERIDIAN}/boundary`,
};

describe('the document lists the headers of responses', () => {
  test.each(FREE_ROUTES)('of the free route %s, also if conditional or to HEAD', async (route) => {
    const path = FREE_PATHS[route] ?? route;
    const ask = (rest: Partial<Call>) => demo.api.get(path, {}, { as: null, ...rest });
    const response = await ask({});
    expectOk(response);
    expectDocumented(route, 'get', response);
    expectDocumented(route, 'head', await ask({ method: 'HEAD' }));
    const { etag } = response.headers;
    expect(Object.hasOwn(paths[route].get.responses, '304')).toBe(etag !== undefined);
    if (etag === undefined) return;
    const again = await ask({ headers: { 'if-none-match': String(etag) } });
    expect(again.statusCode).toBe(304);
    expectDocumented(route, 'get', again);
  });

  test.each(KNOWN_REQUESTS)(
    'of the metered route $route, also if conditional or to HEAD',
    async (known) => {
      const { route } = known;
      const call = known.request(demo);
      const method = call.method === 'POST' ? 'post' : 'get';
      const response = await demo.api.call(call);
      expectDocumented(route, method, response);
      for (const type of ['text/csv', 'application/geo+json']) {
        const other = await demo.api.call({ ...call, headers: { accept: `${type}, */*` } });
        expectDocumented(route, method, other);
        const [sent] = String(other.headers['content-type']).split(';');
        expect(Object.keys(paths[route][method].responses['200'].content ?? {})).toContain(sent);
      }
      if (method === 'post') return;
      const known304 = { ...call, headers: { 'if-none-match': String(response.headers.etag) } };
      expectDocumented(route, 'get', await demo.api.call(known304));
      const head = await demo.api.call({ ...call, method: 'HEAD' });
      expectDocumented(route, 'head', head);
      expect(head.headers['x-tokens-cost']).toBe(response.headers['x-tokens-charged']);
    },
  );
});

test('the document lists the headers of an empty tile, also for HEAD', async () => {
  const [route] = Object.keys(paths).filter((path) => path.endsWith('.mvt'));
  const path = '/v1/isochrone/tiles/walk/101/6/0/0.mvt';
  for (const method of ['GET', 'HEAD'] as const) {
    const response = await demo.api.call({ path, method });
    expect(response.statusCode).toBe(204);
    expectDocumented(route, method.toLowerCase(), response);
  }
});

describe('the document lists the headers of problems', () => {
  const [summary, batch] = ['/v1/blocks/{geoid}/summary', '/v1/blocks/summary'];
  const boundary = '/v1/places/{geoid}/boundary';
  const WRONG_KEY = { authorization: 'Bearer ta_live_x' };
  const summaryOf = (geoid: string): Call => ({ path: `/v1/blocks/${geoid}/summary` });
  const posted = (body: unknown): Call => ({ method: 'POST', path: batch, body });
  const broke = async (): Promise<Call> => {
    const as = await demo.api.newCustomer({ tokens: 0 });
    return { ...summaryOf(demo.block.geoid), as };
  };
  const disabled = async (): Promise<Call> => {
    const as = await demo.api.newCustomer();
    const [{ id }] = await demo.api.proxy.ledger.keys(as.id);
    await demo.api.proxy.ledger.setKeyDisabled(as.id, id, true, BY);
    return { ...summaryOf(demo.block.geoid), as };
  };
  const conflicting = async (): Promise<Call> => {
    const headers = { 'idempotency-key': 'documented' };
    await demo.api.call({ ...posted({ origins: [demo.block.geoid] }), headers });
    return { ...posted({ origins: [demo.water.geoid] }), headers };
  };

  test.each<[string, string, number, () => Call | Promise<Call>]>([
    ['free', '/v1/places', 400, () => ({ path: '/v1/places', as: null })],
    ['free', boundary, 404, () => ({ path: `/v1/places/${NO_SUCH_PLACE}/boundary`, as: null })],
    ['keyed', '/v1/tokens', 400, () => ({ path: '/v1/tokens', query: { all: 1 } })],
    ['keyed', '/v1/tokens', 401, () => ({ path: '/v1/tokens', as: null })],
    ['metered', summary, 400, () => summaryOf('12')],
    [
      'metered',
      summary,
      401,
      () => ({ ...summaryOf(NO_SUCH_BLOCK), as: null, headers: WRONG_KEY }),
    ],
    ['metered', summary, 403, disabled],
    ['metered', summary, 404, () => summaryOf(NO_SUCH_BLOCK)],
    ['metered', summary, 429, broke],
    ['posted', batch, 400, () => posted({})],
    ['posted', batch, 409, conflicting],
    ['posted', batch, 413, () => posted('9'.repeat(2 ** 21))],
    ['posted', batch, 400, () => ({ method: 'POST', path: batch })],
    ['posted', batch, 415, () => ({ ...posted({}), headers: { 'content-type': 'text/plain' } })],
  ])('%s %s: %i', async (_access, route, status, problem) => {
    const call = await problem();
    const methods = call.method === 'POST' ? (['POST'] as const) : (['GET', 'HEAD'] as const);
    for (const method of methods) {
      const response = await demo.api.call({ ...call, method });
      expect(response.statusCode).toBe(status);
      expectDocumented(route, method.toLowerCase(), response);
    }
  });

  test('for requests beyond the rate limit, with a key and without', async () => {
    const api = await ofThisTest(
      Api.open({ rateLimitPerMinute: 1, config: { freeRateLimitPerMinute: 1 } }),
    );
    const [free, keyed] = [{ path: '/v1/plans', as: null }, summaryOf(demo.block.geoid)];
    for (const [route, call] of [
      ['/v1/plans', free],
      [summary, keyed],
    ] as const) {
      await api.call(call);
      const refused = await api.call(call);
      expect(refused.statusCode).toBe(429);
      expectDocumented(route, 'get', refused);
    }
  });
});

test('the document names every assumption behind an isochrone', async () => {
  const { assumptions } = expectOk(await demo.api.get('/v1/isochrone/meta', {}, { as: null }));
  const { components } = expectOk(await demo.api.get('/openapi.json', {}, { as: null }));
  const { properties } = components.schemas.Assumptions;
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(assumptions)));
});

test('the balance is available at no cost, in headers too', async () => {
  const route = '/v1/tokens';
  const customer = await demo.api.newCustomer({ tokens: 12 });
  for (const method of ['GET', 'HEAD'] as const) {
    const response = await demo.api.get(route, {}, { as: customer, method });
    expectDocumented(route, method.toLowerCase(), response);
    expect(response.headers).toMatchObject({ 'x-tokens-charged': '0', 'x-tokens-remaining': '12' });
  }
});

test('the document states the range of times: 30 minutes to POIs, 60 between blocks', async () => {
  const { info, paths: all } = (await demo.api.get('/openapi.json')).json();
  expect(info.description).toMatch(/30 minutes/);
  expect(info.description).toMatch(/60 minutes/);
  expect(all['/v1/isochrone'].get.description).toMatch(/60 minutes/);
});
