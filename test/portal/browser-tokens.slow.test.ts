import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { sealBrowserToken } from '../../proxy/ledger/browser-token.ts';
import { BY } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { openPortal, type Visitor } from '../support/portal-harness.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { ofTests } from '../support/test-resources.ts';

const PAGE = 'https://www.example.org';
const SUMMARY = '/v1/blocks/990010001002042/summary?mode=walk&type=101';
const MINUTE_MS = 60_000;

// The two servers share a ledger, as in operation.
const proxy = proxyOfTests();
const portal = ofTests(() => openPortal({ ledger: proxy.ledger }));

const slugOf = (response: LightMyRequestResponse) => response.json().type?.split('/').at(-1);

let owners = 0;
async function owner(email = `pages${++owners}@example.org`) {
  const visitor = portal.visitor({ address: `10.8.${owners}.1` });
  await visitor.signIn(email);
  const { id } = (await portal.ledger.accountByEmail(email))!;
  return { visitor, email, id };
}

async function minted(visitor: Visitor, order: object = { origin: PAGE }) {
  const response = await visitor.change('POST', '/browser-tokens', order);
  expect(response.statusCode).toBe(201);
  return response.json() as { token: string; expires_at: string };
}

const get = (token: string, origin: string | null = PAGE, url = SUMMARY) =>
  proxy.get(url, token, origin === null ? {} : { origin });

test('a body whose members are all optional may be absent; any other body must be sent', async () => {
  const { visitor } = await owner();
  const created = async (url: string) => (await visitor.change('POST', url)).statusCode;
  expect([await created('/browser-tokens'), await created('/keys')]).toEqual([201, 201]);
  const asked = await portal.visitor().post('/auth/request');
  expect(asked.json().errors).toEqual([{ loc: ['body'], msg: 'is missing', type: 'missing' }]);
});

test('a token charges its account from its origin, and its usage has a key id of its own', async () => {
  const { visitor, id } = await owner();
  const { token, expires_at } = await minted(visitor);
  expect(token).toMatch(/^tb_live_[\w-]{100,}$/);
  const left = Date.parse(expires_at) - Date.now();
  expect([left > 9 * MINUTE_MS, left <= 10 * MINUTE_MS]).toEqual([true, true]);
  const response = await get(token);
  expect([response.statusCode, response.headers['x-tokens-remaining']]).toEqual([200, '4999']);
  expect(response.headers.vary).toMatch(/\bAuthorization\b/);
  expect(response.json()).toEqual((await proxy.get(SUMMARY, proxy.key)).json());
  const posted = await proxy.post(
    '/v1/blocks/summary',
    token,
    { origins: ['990010001002042'], mode: ['walk'], type: [101] },
    { origin: PAGE },
  );
  expect([posted.statusCode, await proxy.balance(id)]).toEqual([200, 4_998]);
  const usage: { key_id: string; requests: number; tokens: number }[] = (
    await visitor.get('/usage')
  ).json().days;
  expect(usage.map(({ key_id, requests, tokens }) => [key_id, requests, tokens])).toEqual([
    ['browser-token', 1, 1],
    ['browser-token', 1, 1],
  ]);
  // A repeat with the ETag is free.
  const { etag } = response.headers as { etag: string };
  const again = await proxy.get(SUMMARY, token, { origin: PAGE, 'if-none-match': etag });
  expect([again.statusCode, again.headers['x-tokens-charged']]).toEqual([304, '0']);
});

test('other origins, and programs without an origin, are refused free of charge', async () => {
  const { visitor, id } = await owner();
  const { token } = await minted(visitor);
  for (const origin of ['https://evil.example', 'http://www.example.org', `${PAGE}:444`, 'null']) {
    const response = await get(token, origin);
    expect([response.statusCode, slugOf(response)]).toEqual([401, 'invalid-key']);
    expect(response.json().detail).toBe('the browser token is bound to another origin');
    // The response does not reveal to which origin.
    expect(response.body).not.toContain(PAGE);
  }
  const program = await get(token, null);
  expect([slugOf(program), program.json().detail]).toEqual([
    'invalid-key',
    'a browser token is for pages: the request has neither an Origin header nor Sec-Fetch-Site: same-origin',
  ]);
  expect(await proxy.balance(id)).toBe(5_000);
  // By default, a token is for the pages of the portal.
  const own = await minted(visitor, {});
  expect((await get(own.token, 'http://127.0.0.1:8081')).statusCode).toBe(200);
  expect(slugOf(await get(own.token))).toBe('invalid-key');
});

test('a token expires by the clock', async () => {
  const { visitor } = await owner();
  portal.clock.aheadMs = -5 * MINUTE_MS;
  const over = await minted(visitor, { origin: PAGE, minutes: 5 });
  const lasting = await minted(visitor, { origin: PAGE, minutes: 6 });
  portal.clock.aheadMs = 0;
  const expired = await get(over.token);
  expect([slugOf(expired), expired.json().detail]).toEqual([
    'invalid-key',
    'the browser token has expired: request another',
  ]);
  expect((await get(lasting.token)).statusCode).toBe(200);
});

test('a token ends with its session: signed out, ended from another device, or account closed', async () => {
  const { visitor, email } = await owner();
  const elsewhere = portal.visitor({ address: '10.8.200.1' });
  await elsewhere.signIn(email);
  const [here, there] = [await minted(visitor), await minted(elsewhere)];
  const sessions: { id: string; current: boolean }[] = (await visitor.get('/sessions')).json()
    .sessions;
  await visitor.change('DELETE', `/sessions/${sessions.find(({ current }) => !current)!.id}`);
  const ended = await get(there.token);
  expect([slugOf(ended), ended.json().detail]).toEqual([
    'invalid-key',
    'the session that requested the browser token has ended',
  ]);
  expect((await get(here.token)).statusCode).toBe(200);
  await visitor.change('POST', '/auth/logout');
  expect(slugOf(await get(here.token))).toBe('invalid-key');
  await visitor.signIn(email);
  const last = await minted(visitor);
  expect((await get(last.token)).statusCode).toBe(200);
  await visitor.change('DELETE', '/account');
  expect(slugOf(await get(last.token))).toBe('invalid-key');
});

test('altered, cut and forged tokens are refused', async () => {
  const { visitor, id } = await owner();
  const { token } = await minted(visitor);
  const [session] = await portal.ledger.sessions(id, Date.now());
  const claim = { account: id, session: session.id, origin: PAGE, endsAtMs: Date.now() + 1e6 };
  const forged = sealBrowserToken(['a secret of another ledger'], claim);
  for (const text of [forged, token.slice(0, -1), `${token}A`, 'tb_live_', 'tb_live_AAAA']) {
    expect([text, slugOf(await get(text))]).toEqual([text, 'invalid-key']);
  }
  await forAll(40, fc.integer({ min: 8, max: token.length - 1 }), async (at) => {
    const other = token[at] === 'A' ? 'B' : 'A';
    const altered = token.slice(0, at) + other + token.slice(at + 1);
    expect(slugOf(await get(altered))).toBe('invalid-key');
  });
  expect(await proxy.balance(id)).toBe(5_000);
});

test('a token opens nothing on the portal, needs a CSRF token to be created, and is refused in URLs', async () => {
  const { visitor } = await owner();
  const { token } = await minted(visitor);
  const bearer = { authorization: `Bearer ${token}`, origin: PAGE };
  expect(slugOf(await portal.visitor().get('/account', bearer))).toBe('no-session');
  expect(slugOf(await portal.visitor().post('/browser-tokens', {}, bearer))).toMatch(
    /no-session|invalid-csrf-token/,
  );
  expect(slugOf(await visitor.post('/browser-tokens', {}))).toBe('invalid-csrf-token');
  expect(slugOf(await proxy.get(`${SUMMARY}&token=${token}`))).toBe('key-in-url');
});

test('origins and minutes are validated, and a session creates at most 120 tokens an hour', async () => {
  const { visitor, id } = await owner();
  const slug = async (order: object) =>
    slugOf(await visitor.change('POST', '/browser-tokens', order));
  for (const origin of [
    'www.example.org',
    `${PAGE}/`,
    `${PAGE}/page`,
    'file://',
    'null',
    '*',
    '',
  ]) {
    expect([origin, await slug({ origin })]).toEqual([origin, 'invalid-parameters']);
  }
  for (const minutes of [0, 61, 1.5, '10']) {
    expect([minutes, await slug({ minutes })]).toEqual([minutes, 'invalid-parameters']);
  }
  for (let made = 0; made < 120; made++) await minted(visitor);
  const refused = await visitor.change('POST', '/browser-tokens', {});
  expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'rate-limited']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  await portal.ledger.setDisabled(id, true, BY);
  expect(await slug({})).toBe('account-disabled');
});

test('a hundred racing requests on a balance of ten charge exactly ten; members pay as with keys', async () => {
  const { visitor, id } = await owner();
  const { token } = await minted(visitor);
  await portal.ledger.takeBack(id, { tokens: 4_990, cause: 'test', atMs: 0 }, 'operator');
  const responses = await Promise.all(Array.from({ length: 100 }, () => get(token)));
  const statuses = responses.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(responses.filter((one) => slugOf(one) === 'tokens-exhausted')).toHaveLength(90);
  expect(await proxy.balance(id)).toBe(0);
  await portal.ledger.setMembership(id, WITHOUT_END, BY);
  const contour = '/v1/isochrone?block=990010001002042&minutes=10';
  expect((await get(token, PAGE, contour)).statusCode).toBe(200);
});

test('tools of assistants take a token from its origin only', async () => {
  const { visitor, id } = await owner();
  const { token } = await minted(visitor);
  const call = async (origin: string) => {
    const params = { name: 'check_balance', arguments: {} };
    const response = await proxy.post(
      '/mcp',
      token,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { origin, accept: 'application/json, text/event-stream' },
    );
    return response.body;
  };
  expect(await call(PAGE)).toContain('5,000 tokens');
  expect(await call('https://other.example.org')).toContain('/problems/origin-not-allowed');
  expect(await proxy.balance(id)).toBe(5_000);
});
