import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { SESSION_LIFE_MS } from '../../proxy/ledger/sessions.ts';
import { BY, ROUTE } from '../support/customers.ts';
import { openPortal, slugOf } from '../support/portal-harness.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const DAY_MS = 86_400_000;
const portal = ofTests(() => openPortal());

let people = 0;
const someone = () => `owner${++people}@example.org`;
let clients = 0;
async function owner(headers: Record<string, string> = {}) {
  const email = someone();
  const visitor = portal.visitor({ address: `10.9.${++clients}.1`, headers });
  await visitor.signIn(email);
  const { id } = (await portal.ledger.accountByEmail(email))!;
  return { visitor, email, id };
}

describe('keys', () => {
  test('a key is shown once, works, is listed by its prefix, and is revoked for good', async () => {
    const { visitor, id } = await owner();
    const made = await visitor.change('POST', '/keys', { label: ' büro ' });
    expect(made.statusCode).toBe(201);
    const { key, prefix, tokens_remaining } = made.json();
    expect(key).toMatch(/^ta_live_\w{38}$/);
    expect([key.startsWith(prefix), tokens_remaining]).toEqual([true, 5_000]);
    const listed = await visitor.get('/keys');
    expect(listed.body).not.toContain(key);
    const [{ id: keyId, created_at, ...rest }] = listed.json().keys;
    expect(rest).toEqual({
      prefix,
      label: 'büro',
      last_used_at: null,
      revoked_at: null,
    });
    expect(Date.parse(created_at)).toBeGreaterThan(Date.now() - 60_000);

    const charge = { account: id, keyId, route: ROUTE, tokens: 7, atMs: Date.now() };
    await portal.ledger.admit(hashApiKey(key), Date.now());
    await portal.ledger.debit(charge);
    const days = [
      {
        day: new Date(charge.atMs).toISOString().slice(0, 10),
        key_id: keyId,
        route: ROUTE,
        requests: 1,
        tokens: 7,
      },
    ];
    // Usage older than the last ninety days is returned on request.
    for (const daysAgo of [89, 90]) {
      await portal.ledger.debit({ ...charge, tokens: 0, atMs: charge.atMs - daysAgo * DAY_MS });
    }
    const reported = (await visitor.get('/usage')).json();
    const earliest = new Date(charge.atMs - 89 * DAY_MS).toISOString().slice(0, 10);
    expect(reported).toEqual({
      days: [expect.objectContaining({ day: earliest, tokens: 0 }), ...days],
    });
    expect((await visitor.get('/account')).json().tokens_remaining).toBe(4_993);
    expect((await visitor.get('/usage?from=2020-01-01&to=2020-12-31')).json()).toEqual({
      days: [],
    });

    expect((await visitor.change('DELETE', `/keys/${keyId}`)).statusCode).toBe(204);
    const [revoked] = (await visitor.get('/keys')).json().keys;
    expect([revoked.revoked_at, revoked.last_used_at]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
  });

  test('at most thirty keys are created per day, and refused fourth keys do not count', async () => {
    const { visitor } = await owner();
    const make = async () => (await visitor.change('POST', '/keys', {})).statusCode;
    const revokeAll = async () => {
      for (const { id, revoked_at } of (await visitor.get('/keys')).json().keys) {
        if (revoked_at === null) await visitor.change('DELETE', `/keys/${id}`);
      }
    };
    for (let made = 0; made < 30; made += 3) {
      expect([await make(), await make(), await make(), await make()]).toEqual([
        201, 201, 201, 409,
      ]);
      await revokeAll();
    }
    const refused = await visitor.change('POST', '/keys', {});
    expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'rate-limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    expect(refused.json().detail).toMatch(
      /^the limit of 30 new keys per day is reached; retry in \d+ s$/,
    );
    expect(refused.headers['ratelimit-policy']).toBe('"new-keys";q=30;w=86400');
    expect(refused.headers.ratelimit).toMatch(/^"new-keys";r=0;t=\d+$/);
    expect((await visitor.get('/keys')).json().keys).toHaveLength(30);
  });

  test('a fourth active key is refused, even among concurrent requests; a revoked key makes room', async () => {
    const { visitor } = await owner();
    const token = await visitor.csrf();
    const made = await Promise.all(
      Array.from({ length: 5 }, () => visitor.post('/keys', {}, { 'x-csrf-token': token })),
    );
    expect(made.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 201, 409, 409]);
    expect(slugOf(made.find(({ statusCode }) => statusCode === 409)!)).toBe('too-many-keys');
    const [{ id }] = (await visitor.get('/keys')).json().keys;
    await visitor.change('DELETE', `/keys/${id}`);
    expect((await visitor.change('POST', '/keys', { label: 'again' })).statusCode).toBe(201);
  });

  test('another account’s key is not found, and stays', async () => {
    const [mine, theirs] = [await owner(), await owner()];
    await theirs.visitor.change('POST', '/keys', { label: 'theirs' });
    const [{ id }] = (await theirs.visitor.get('/keys')).json().keys;
    const response = await mine.visitor.change('DELETE', `/keys/${id}`);
    expect([response.statusCode, slugOf(response)]).toEqual([404, 'key-not-found']);
    expect((await theirs.visitor.get('/keys')).json().keys[0].revoked_at).toBeNull();
  });

  test('a disabled owner can sign in and look, but creates no keys', async () => {
    const { id, email, visitor } = await owner();
    await visitor.change('POST', '/keys', {});
    const [{ id: key, disabled }] = (await visitor.get('/keys')).json().keys;
    expect([disabled, (await visitor.get('/account')).json().disabled]).toEqual([
      undefined,
      undefined,
    ]);
    await portal.ledger.setKeyDisabled(id, key, true, BY);
    await portal.ledger.setDisabled(id, true, BY);
    const again = portal.visitor();
    expect((await again.signIn(email)).statusCode).toBe(200);
    const refused = await again.change('POST', '/keys', { label: '' });
    expect([refused.statusCode, slugOf(refused)]).toEqual([403, 'account-disabled']);
    expect((await again.get('/keys')).json().keys).toMatchObject([{ id: key, disabled: true }]);
    expect((await again.get('/account')).json().disabled).toBe(true);
  });

  test.each([
    ['of 101 characters', 'x'.repeat(101)],
    ['with a line break', 'a\r\nSet-Cookie: b=c'],
    ['with a NUL', 'a\0b'],
    ['that turns the writing around', 'a\u202eb'],
    ['that is no text', 7],
  ])('a label %s is refused, and creates no key', async (_, label) => {
    const { visitor } = await owner();
    const response = await visitor.change('POST', '/keys', { label });
    expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-parameters']);
    expect(response.json().errors[0].loc).toEqual(['body', 'label']);
    expect((await visitor.get('/keys')).json().keys).toEqual([]);
  });
});

test('days of usage that are invalid or in the wrong order are refused with the parameter’s name', async () => {
  const { visitor } = await owner();
  for (const [query, name] of [
    ['from=2026-02-30', 'from'],
    ['to=yesterday', 'to'],
    ['from=2026-1-1', 'from'],
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['since=2026-01-01', 'since'],
    ['from=2020-01-01&to=2021-01-01', 'from'],
    ['from=2020-01-01', 'from'],
  ]) {
    const response = await visitor.get(`/usage?${query}`);
    expect([query, response.statusCode]).toEqual([query, 400]);
    expect(response.json().errors[0].loc).toEqual(['query', name]);
  }
  const twice = (await visitor.get('/usage?from=2026-01-01&from=2026-01-02')).json();
  expect(twice.detail).toBe('query.from: must be given once');
});

test('a member sees status and renewal, and a lapsed membership is not shown', async () => {
  const { visitor, id } = await owner();
  const renewsAtMs = Date.now() + 1_000_000;
  const membership = {
    status: 'active',
    renewsAtMs,
    untilMs: renewsAtMs,
    subscription: 's',
  } as const;
  await portal.ledger.setMembership(id, membership, BY);
  // This portal sells nothing, so a paid account would be closed, yet still billed.
  const refused = await visitor.change('DELETE', '/account');
  expect([refused.statusCode, slugOf(refused)]).toEqual([503, 'membership-unavailable']);
  expect((await visitor.get('/account')).json().membership).toEqual({
    status: 'active',
    renews_at: new Date(renewsAtMs).toISOString(),
    portal_url: null,
  });
  const ending = { ...membership, status: 'ending', renewsAtMs: null } as const;
  await portal.ledger.setMembership(id, ending, BY);
  expect((await visitor.get('/account')).json().membership).toMatchObject({
    status: 'ending',
    renews_at: null,
    ends_at: new Date(renewsAtMs).toISOString(),
  });
  await portal.ledger.setMembership(id, { ...membership, untilMs: Date.now() - 1 }, BY);
  expect((await visitor.get('/account')).json().membership).toBeNull();
});

describe('sessions', () => {
  test('are listed with browser and network, the current one marked, and ended individually', async () => {
    const { visitor, email } = await owner({ 'user-agent': 'Laptop/1 \u0007(evil)' });
    const phone = portal.visitor({
      address: '2001:db8:1:2:3::4',
      headers: { 'user-agent': `Phone ${'x'.repeat(500)}` },
    });
    await phone.signIn(email);
    const { sessions } = (await visitor.get('/sessions')).json();
    expect(sessions).toHaveLength(2);
    const [mine, other] = [true, false].map((current) =>
      sessions.find((session: { current: boolean }) => session.current === current),
    );
    expect(mine).toMatchObject({ client: 'Laptop/1 (evil)', address: `10.9.${clients}.1` });
    expect(other).toMatchObject({ address: '2001:db8:1:2::/64' });
    expect(other.client).toMatch(/^Phone x{100,160}/);
    expect((await visitor.change('DELETE', `/sessions/${other.id}`)).statusCode).toBe(204);
    expect((await phone.get('/account')).statusCode).toBe(401);
    const again = await visitor.change('DELETE', `/sessions/${other.id}`);
    expect([again.statusCode, slugOf(again)]).toEqual([404, 'session-not-found']);
    const ended = await visitor.change('DELETE', `/sessions/${mine.id}`);
    expect(ended.headers['set-cookie']).toMatch(/^portal_session=; .*Max-Age=0/);
  });

  test('signing out ends the session, not only the cookie', async () => {
    const { visitor } = await owner();
    const { cookie } = visitor;
    expect((await visitor.change('POST', '/auth/logout')).statusCode).toBe(204);
    expect(visitor.cookie).toBe('');
    visitor.cookie = cookie;
    expect((await visitor.get('/account')).statusCode).toBe(401);
  });

  test('last thirty days from their last use', async () => {
    const own = await ofThisTest(openPortal());
    const visitor = own.visitor();
    await visitor.signIn('old@example.org');
    for (const [passedMs, status] of [
      [SESSION_LIFE_MS - 1000, 200],
      [SESSION_LIFE_MS - 1000, 200],
      [SESSION_LIFE_MS, 401],
    ]) {
      own.clock.aheadMs += passedMs;
      const used = await visitor.get('/account');
      expect(used.statusCode).toBe(status);
      if (status === 200) expect(used.headers['set-cookie']).toContain('Max-Age=2592000');
    }
  });
});

test('the audit trail shows sign-ins, keys, grants and sessions, newest first, to their owner', async () => {
  const { visitor, id } = await owner({ 'user-agent': 'Laptop' });
  await visitor.change('POST', '/keys', { label: 'one' });
  const [{ id: keyId, prefix }] = (await visitor.get('/keys')).json().keys;
  await visitor.change('DELETE', `/keys/${keyId}`);
  await portal.ledger.setDisabled(id, true, { by: 'operator', atMs: Date.now() });
  const { entries } = (await visitor.get('/audit')).json();
  expect(entries.map(({ what, by }: { what: string; by: string }) => `${by} ${what}`)).toEqual([
    'operator account-disabled',
    'owner key-revoked',
    'owner key-created',
    'owner signed-in',
    'owner tokens-granted',
    'owner account-opened',
  ]);
  expect(entries[1].detail).toContain(prefix);
  expect(entries[3].detail).toContain('Laptop');
  expect(Date.parse(entries[0].at)).toBeGreaterThan(Date.now() - 60_000);
});
