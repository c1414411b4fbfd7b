import { expect, test } from 'vitest';
import { expectSoundOpenApi, inPlace } from '../support/openapi.ts';
import { openPortal } from '../support/portal-harness.ts';
import { ofTests } from '../support/test-resources.ts';

const portal = ofTests(() => openPortal({ config: { version: '1.2.3' } }));

test('/health reports that the process is alive, and its version', async () => {
  const { statusCode, body } = await portal.app.inject('/health');
  expect([statusCode, JSON.parse(body)]).toEqual([200, { status: 'ok', version: '1.2.3' }]);
});

test('an unknown path and a refused method get a problem document with an error text', async () => {
  for (const [method, url, status, slug] of [
    ['GET', '/nowhere', 404, 'not-found'],
    ['GET', '/%', 400, 'invalid-parameters'],
    ['PUT', '/health', 405, 'method-not-allowed'],
    ['GET', '/billing/webhook', 405, 'method-not-allowed'],
  ] as const) {
    const response = await portal.app.inject({ method, url });
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    const problem = response.json();
    expect([response.statusCode, problem.status]).toEqual([status, status]);
    expect(problem.type).toBe(`http://127.0.0.1:8081/problems/${slug}`);
    expect(problem.error).toBe(problem.detail);
    expect((await portal.app.inject(new URL(problem.type).pathname)).statusCode).toBe(200);
  }
});

test('every response is private, cannot be framed, and runs no scripts', async () => {
  for (const url of ['/health', '/nowhere', '/%']) {
    const { headers } = await portal.app.inject({ url, headers: { 'x-request-id': 'mine' } });
    expect(headers).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['strict-transport-security']).toBeUndefined();
  }
});

const JSON_TYPE = { 'content-type': 'application/json' };

test('routes that need no body accept an empty one of any type; others name what is missing', async () => {
  const visitor = portal.visitor();
  await visitor.signIn('empty@example.org');
  for (const type of [JSON_TYPE, { 'content-type': 'text/plain' }, {}]) {
    const asked = await visitor.post('/auth/request', undefined, type);
    expect([asked.statusCode, asked.json().errors]).toEqual([
      400,
      [{ loc: ['body'], msg: 'is missing', type: 'missing' }],
    ]);
  }
  const headers = { ...JSON_TYPE, 'x-csrf-token': await visitor.csrf() };
  expect((await visitor.post('/auth/logout', undefined, headers)).statusCode).toBe(204);
});

test.each([
  ['/auth/request', '{}', 'body.email: is missing: it must be text'],
  ['/auth/request', '{"email":1}', 'body.email: must be text'],
  ['/auth/request', '{"email":["a@b.example"]}', 'body.email: must be text'],
  ['/auth/request', '[]', 'body: must be an object'],
  ['/auth/verify-code', '{"email":"a@b.example"}', 'body.code: is missing: it must be text'],
])('%s describes errors in %s in plain language', async (url, payload, detail) => {
  const response = await portal.app.inject({ method: 'POST', url, payload, headers: JSON_TYPE });
  expect([response.statusCode, response.json().error]).toEqual([400, detail]);
});

type Member = { enum?: string[]; maxLength?: number; pattern?: string; format?: string };
type Body = {
  required: boolean;
  content: Record<string, { schema: { properties: Record<string, Member> } }>;
};
type Document = {
  paths: Record<
    string,
    Record<string, { security: object[]; requestBody?: Body; responses: Responses }>
  >;
};
type Header = { readonly required?: boolean };
type Responses = Record<string, { headers?: Record<string, Header> }>;
/** Routes whose requests third parties create or extend. */
const LENIENT = ['/auth/verify', '/billing/webhook'];
const openApi = async (): Promise<Document> => (await portal.app.inject('/openapi.json')).json();

test('every route for programs refuses an unknown parameter or member by name', async () => {
  const { paths } = await openApi();
  let tried = 0;
  for (const [path, methods] of Object.entries(paths)) {
    if (LENIENT.includes(path)) continue;
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const visitor = portal.visitor({ address: `10.1.${++tried}.1` });
      await visitor.signIn(`unknown${tried}@example.org`);
      const url = `${path.replace('{id}', 'x')}?formt=csv`;
      const body = requestBody && { email: 'a@b.example' };
      const response =
        method === 'get'
          ? await visitor.get(url)
          : await visitor.change(method.toUpperCase() as 'POST', url, body);
      expect([method, path, response.statusCode]).toEqual([method, path, 400]);
      expect(response.json().errors[0].loc).toEqual(['query', 'formt']);
      expect(response.json().errors[0].msg).toMatch(/^unknown parameter; this route accepts /);
      if (method === 'get') continue;
      const known = path.replace('{id}', 'x');
      const wrong = await visitor.change(method.toUpperCase() as 'POST', known, { lable: 'mine' });
      expect([method, path, wrong.statusCode]).toEqual([method, path, 400]);
      const named = wrong.json().errors.map(({ loc }: { loc: string[] }) => loc.join('.'));
      expect(named).toContain('body.lable');
    }
  }
  expect(tried).toBe(21);
});

test('OPTIONS lists a path’s methods; a path with an empty segment does not exist', async () => {
  for (const [url, allow] of [
    ['/keys', 'GET, HEAD, POST, OPTIONS'],
    ['/keys/x', 'DELETE, OPTIONS'],
    ['/health', 'GET, HEAD, OPTIONS'],
    ['/billing/webhook', 'POST, OPTIONS'],
    ['/my/keys', 'GET, HEAD, OPTIONS'],
  ]) {
    const { statusCode, headers } = await portal.app.inject({ method: 'OPTIONS', url });
    expect([url, statusCode, headers.allow]).toEqual([url, 204, allow]);
  }
  for (const method of ['GET', 'PUT', 'OPTIONS'] as const) {
    for (const url of ['/keys/', '/sessions/', '/account/', '/nowhere']) {
      const response = await portal.app.inject({ method, url });
      expect([method, url, response.statusCode]).toEqual([method, url, 404]);
    }
  }
});

test('the OpenAPI document passes the linter, and its examples match their schemas', async () => {
  await expectSoundOpenApi(JSON.stringify(await openApi()), 15);
});

test('the OpenAPI document covers every route for programs, and its requirements of callers', async () => {
  const { paths } = await openApi();
  const open = ['/auth/request', '/auth/verify-code', '/auth/verify', '/billing/webhook'];
  open.push('/health', '/ready', '/config.json');
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      const [needed] = security;
      expect([method, path, Object.keys(needed ?? {})]).toEqual([
        method,
        path,
        open.includes(path) ? [] : method === 'get' ? ['session'] : ['session', 'csrf'],
      ]);
    }
  }
  const documented = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  );
  // The routes that the README lists.
  for (const route of [
    'POST /auth/request',
    'POST /auth/verify-code',
    'GET /auth/csrf',
    'POST /auth/logout',
    'GET /account',
    'DELETE /account',
    'GET /keys',
    'POST /keys',
    'DELETE /keys/{id}',
    'GET /usage',
    'GET /audit',
    'GET /sessions',
    'DELETE /sessions/{id}',
    'POST /billing/subscribe',
    'POST /billing/packs',
    'POST /billing/portal',
    'GET /auth/verify',
    'POST /auth/verify',
    'GET /billing/portal',
    'POST /billing/webhook',
  ]) {
    expect(documented).toContain(route);
  }
});

test('the OpenAPI document has the actual problems and bounds', async () => {
  const { paths } = await openApi();
  for (const route of ['/auth/request', '/auth/verify-code', '/auth/verify', '/billing/webhook']) {
    const statuses = Object.keys(paths[route].post.responses);
    expect([route, statuses]).toEqual([route, expect.arrayContaining(['413', '503'])]);
  }
  for (const route of ['/billing/subscribe', '/billing/portal', '/auth/logout']) {
    const visitor = portal.visitor();
    await visitor.signIn('bounds@example.org');
    const headers = { 'x-csrf-token': await visitor.csrf(), 'content-type': 'text/plain' };
    const response = await visitor.post(route, { text: 'x' }, headers);
    expect([route, response.statusCode]).toEqual([route, 415]);
    expect(Object.keys(paths[route].post.responses)).toEqual(
      expect.arrayContaining(['413', '415']),
    );
  }
  const member = (route: string, name: string) =>
    paths[route].post.requestBody!.content['application/json'].schema.properties[name];
  expect(member('/billing/packs', 'pack_id').enum).toEqual(['pack_10k', 'pack_50k', 'pack_250k']);
  expect(member('/keys', 'label')).toMatchObject({ maxLength: 100 });
  expect(new RegExp(member('/auth/verify-code', 'code').pattern!).test('684 971')).toBe(true);
  expect(member('/auth/request', 'email')).toMatchObject({ format: 'idn-email' });
  // A token in the URL replaces the body.
  expect(paths['/auth/verify'].post.requestBody!.required).toBe(false);
  expect(paths['/auth/verify-code'].post.requestBody!.required).toBe(true);
});

test('responses have the headers that the OpenAPI document promises, even to uncounted requests', async () => {
  const document = inPlace(await openApi());
  for (const [method, url] of [
    ...([
      ['post', '/billing/webhook'],
      ['get', '/health'],
      ['get', '/ready'],
    ] as const),
    ...([
      ['get', '/config.json'],
      ['get', '/keys'],
    ] as const),
  ]) {
    const payload = method === 'post' ? '{}' : undefined;
    const verb = method === 'post' ? 'POST' : 'GET';
    const response = await portal.app.inject({ method: verb, url, payload, headers: JSON_TYPE });
    const { headers = {} } = document.paths[url][method].responses[response.statusCode];
    const missing = Object.entries(headers)
      .filter(([, header]) => header.required)
      .filter(([name]) => response.headers[name.toLowerCase()] === undefined);
    expect([url, missing.map(([name]) => name)]).toEqual([url, []]);
    expect([url, 'RateLimit' in headers]).toEqual([url, response.headers.ratelimit !== undefined]);
  }
});
