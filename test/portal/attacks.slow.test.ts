import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { forAll } from '../support/for-all.ts';
import { openPortal, slugOf } from '../support/portal-harness.ts';
import { standardWorks } from '../support/standard-work.ts';
import { ofTests } from '../support/test-resources.ts';

const HTTPS = 'https://account.example.org';
const portal = ofTests(openPortal);
const secure = ofTests(() => openPortal({ config: { accountUrl: HTTPS } }));

let people = 0;
const someone = () => `target${++people}@example.org`;
const newVisitor = (of = portal, headers = {}) =>
  of.visitor({ address: `10.7.${++people}.1`, headers });

describe('the session cookie', () => {
  test('over https is bound to the host, hidden from scripts and not sent by other sites', async () => {
    const signedIn = await newVisitor(secure).signIn(someone());
    const [cookie] = [signedIn.headers['set-cookie']].flat();
    expect(cookie).toMatch(/^__Host-portal_session=[\w-]+\.[\w-]+\.[\w-]{43}; /);
    const attributes = cookie!.split('; ').slice(1).sort();
    expect(attributes).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
    expect(signedIn.headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
  });

  test('over http has the plain name; each scheme ignores the other’s name', async () => {
    for (const [of, name, wrong] of [
      [portal, 'portal_session', '__Host-portal_session'],
      [secure, '__Host-portal_session', 'portal_session'],
    ] as const) {
      const visitor = newVisitor(of);
      const signedIn = await visitor.signIn(someone());
      expect(signedIn.headers['set-cookie']![0]).toMatch(new RegExp(`^${name}=`));
      expect((await visitor.get('/account')).statusCode).toBe(200);
      visitor.cookie = visitor.cookie!.replace(name, wrong);
      expect((await visitor.get('/account')).statusCode).toBe(401);
    }
  });

  test('planted by another party is not adopted: a sign-in creates a new session', async () => {
    const attacker = newVisitor();
    await attacker.signIn(someone());
    const victim = newVisitor();
    victim.cookie = attacker.cookie;
    const email = someone();
    const signedIn = await victim.signIn(email);
    expect(signedIn.json().email).toBe(email);
    expect(victim.cookie).not.toBe(attacker.cookie);
    // The session of the sent cookie is ended, so that none is left behind in a browser.
    expect((await attacker.get('/account')).statusCode).toBe(401);
    expect((await victim.get('/account')).json().email).toBe(email);
  });

  test('with another session’s id and a wrong secret opens nothing and ends nothing', async () => {
    const owner = newVisitor();
    await owner.signIn(someone());
    const [account, id] = owner.cookie!.replace('portal_session=', '').split('.');
    const forger = newVisitor();
    forger.cookie = `portal_session=${account}.${id}.${'A'.repeat(43)}`;
    expect((await forger.get('/account')).statusCode).toBe(401);
    await forger.signIn(someone());
    expect((await owner.get('/account')).statusCode).toBe(200);
  });

  test('that occurs twice is no session, whichever of the two is right and in whichever order', async () => {
    const [owner, other] = [newVisitor(), newVisitor()];
    await owner.signIn(someone());
    await other.signIn(someone());
    const own = owner.cookie!;
    for (const second of [other.cookie!, own, 'portal_session=x', 'portal_session=']) {
      for (const cookie of [
        `${own}; ${second}`,
        `${second};${own}`,
        `a=b; ${own}; c=d; ${second}`,
      ]) {
        const response = await portal.app.inject({ url: '/account', headers: { cookie } });
        expect([cookie, response.statusCode]).toEqual([cookie, 401]);
      }
    }
    expect((await owner.get('/account', { cookie: `a=b; ${own}; c=d` })).statusCode).toBe(200);
  });

  test('of any malformed kind is no session, and causes no server error', () =>
    forAll(
      100,
      fc.string({ unit: fc.constantFrom(...'a.;= "\\%é\u0000-_/'), maxLength: 80 }),
      async (text) => {
        const cookie = `portal_session=${text.replaceAll('\u0000', '')}`;
        const response = await portal.app.inject({ url: '/account', headers: { cookie } });
        expect([response.statusCode, slugOf(response)]).toEqual([401, 'no-session']);
      },
    ));
});

describe('a page of another site', () => {
  const CHANGES = [
    ['POST', '/keys', { label: 'theirs' }],
    ['DELETE', '/account', undefined],
    ['DELETE', '/keys/x', undefined],
    ['DELETE', '/sessions/x', undefined],
    ['POST', '/auth/logout', undefined],
    ['POST', '/billing/subscribe', undefined],
    ['POST', '/billing/packs', { pack_id: 'pack_10k' }],
    ['POST', '/billing/portal', undefined],
  ] as const;

  test.each(CHANGES)(
    'cannot %s %s: without the token of this very session nothing changes',
    async (method, url, payload) => {
      const [victim, attacker] = [newVisitor(), newVisitor()];
      await victim.signIn(someone());
      await attacker.signIn(someone());
      const stolen = await attacker.csrf();
      const cookie = victim.cookie!;
      for (const token of [undefined, '', 'x', stolen, stolen.toLowerCase(), 'é']) {
        const headers = { cookie, ...(token !== undefined && { 'x-csrf-token': token }) };
        const response = await portal.app.inject({
          method,
          url,
          headers,
          payload: payload as object,
        });
        expect([response.statusCode, slugOf(response)]).toEqual([403, 'invalid-csrf-token']);
      }
      const without = await portal.app.inject({ method, url, payload: payload as object });
      expect([without.statusCode, slugOf(without)]).toEqual([401, 'no-session']);
      expect((await victim.get('/account')).statusCode).toBe(200);
      expect((await victim.get('/keys')).json().keys).toEqual([]);
    },
  );

  test('is refused by Origin or Sec-Fetch-Site, even with the right token', async () => {
    const victim = newVisitor(secure);
    await victim.signIn(someone());
    const token = await victim.csrf();
    const send = (headers: Record<string, string>) =>
      victim.post('/keys', { label: '' }, { 'x-csrf-token': token, ...headers });
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${HTTPS}.evil.example` },
      { origin: HTTPS.replace('https', 'http') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: HTTPS, 'sec-fetch-site': 'cross-site' },
    ]) {
      const response = await send(headers as Record<string, string>);
      expect([headers, response.statusCode]).toEqual([headers, 403]);
    }
    expect((await send({ origin: HTTPS, 'sec-fetch-site': 'same-origin' })).statusCode).toBe(201);
    expect((await send({})).statusCode).toBe(201);
  });

  test('cannot sign a visitor in as another user', async () => {
    const attacker = newVisitor();
    const email = someone();
    const { code, token } = await attacker.ask(email);
    const foreign = { origin: 'https://evil.example' };
    for (const response of [
      await attacker.post('/auth/verify-code', { email, code }, foreign),
      await attacker.post('/auth/verify', { token }, { 'sec-fetch-site': 'cross-site' }),
      await portal.app.inject({
        method: 'POST',
        url: '/auth/verify',
        payload: `token=${token}`,
        headers: { origin: 'null', 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ]) {
      expect([response.statusCode, response.headers['set-cookie']]).toEqual([403, undefined]);
    }
    expect((await attacker.post('/auth/verify-code', { email, code })).statusCode).toBe(200);
  });

  test('reads nothing: no response is open to other origins', async () => {
    const visitor = newVisitor();
    await visitor.signIn(someone());
    for (const url of ['/account', '/auth/csrf', '/keys', '/nowhere']) {
      const { headers } = await visitor.get(url, { origin: 'https://evil.example' });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const preflight = await portal.app.inject({ method: 'OPTIONS', url: '/keys' });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the link of a mail', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };

  test('can be followed by scanners without harm; the page has a button that needs no script', async () => {
    const visitor = newVisitor();
    const email = someone();
    const { token } = await visitor.ask(email);
    const url = `/auth/verify?token=${token}`;
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS'] as const) {
      const seen = await portal.app.inject({ method, url });
      expect(seen.headers['set-cookie']).toBeUndefined();
    }
    const page = await visitor.get(url);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.body).toContain(email);
    expect(page.body).not.toMatch(/<script|\son\w+=|https?:/);
    const [, action] = /<form method="post" action="([^"]+)"/.exec(page.body)!;
    const [, value] = /name="token" value="([^"]+)"/.exec(page.body)!;
    // Headers as sent by a browser from a page that withholds its address.
    const headers = { ...FORM, origin: 'null', 'sec-fetch-site': 'same-origin' };
    const press = () =>
      portal.app.inject({ method: 'POST', url: action, payload: `token=${value}`, headers });
    const pressed = await press();
    expect([pressed.statusCode, pressed.headers.location]).toEqual([303, '/my']);
    expect(pressed.headers['set-cookie']![0]).toMatch(/^portal_session=/);
    const again = await press();
    expect([again.statusCode, again.headers['set-cookie']]).toEqual([400, undefined]);
    expect(again.headers['content-type']).toMatch(/^text\/html/);
  });

  test('leads nowhere else, whatever parameters are added', async () => {
    const { token } = await newVisitor().ask(someone());
    for (const more of ['next=https://evil.example', 'redirect=//evil.example', 'to=/%0d%0aX:y']) {
      const page = await portal.app.inject(`/auth/verify?token=${token}&${more}`);
      expect(page.body).not.toContain('evil.example');
    }
    for (const next of ['https://evil.example', '//evil.example', '/my/../x', ['/my', '/my']]) {
      const email = someone();
      const asked = await newVisitor().post('/auth/request', { email, next });
      expect([asked.statusCode, slugOf(asked)]).toEqual([400, 'invalid-parameters']);
    }
    const payload = `token=${token}&next=https://evil.example&return_to=//evil.example`;
    const response = await portal.app.inject({
      method: 'POST',
      url: '/auth/verify?next=https://evil.example',
      payload,
      headers: FORM,
    });
    expect([response.statusCode, response.headers.location]).toEqual([303, '/my']);
  });

  test('that is invalid shows an error page, which echoes none of the input', async () => {
    for (const token of ['<script>alert(1)</script>', 'A'.repeat(200), '', '"><b']) {
      const url = `/auth/verify?token=${encodeURIComponent(token)}`;
      const page = await portal.app.inject({ url, headers: { accept: 'text/html' } });
      expect([page.statusCode, page.headers['content-type']]).toEqual([
        400,
        'text/html; charset=utf-8',
      ]);
      expect(page.body).not.toMatch(/<script|<b/);
      const program = await portal.app.inject(url);
      expect([program.statusCode, slugOf(program)]).toEqual([400, 'invalid-link']);
    }
    expect((await portal.app.inject('/auth/verify')).statusCode).toBe(400);
  });
});

describe('an address', () => {
  test.each(['', 'a@c.example\r\nBcc: x@y.example', `a@${'c'.repeat(250)}.example`])(
    '%j is refused with the name of its member, and no mail is sent',
    async (email) => {
      const had = portal.mails.length;
      const response = await newVisitor().post('/auth/request', { email });
      expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-parameters']);
      expect(response.json().errors[0].loc).toEqual(['body', 'email']);
      expect(portal.mails.length).toBe(had);
    },
  );

  test('that resembles another receives the mail for its own account', async () => {
    // The Kelvin sign is a K in some comparisons, and its lower case is always a k.
    const visitor = newVisitor();
    const asked = await visitor.post('/auth/request', { email: 'MI\u212aE@Example.ORG' });
    expect(asked.statusCode).toBe(202);
    expect((await portal.nextMail('MIKE@example.org', 0)).to).toBe('MIKE@example.org');
  });

  test.each(["o'hara+x@mail.example.org", 'jürgen@müller.example', ' padded@example.org '])(
    '%s is accepted',
    async (email) => {
      expect((await newVisitor().post('/auth/request', { email })).statusCode).toBe(202);
    },
  );
});

test('malformed bodies of every kind get problems with an error text, and sign no visitor in', async () => {
  const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
  const bodies: [string, string | Buffer, number][] = [
    ['application/json', '', 400],
    ['application/json', '{', 400],
    ['application/json', 'null', 400],
    ['application/json', '[]', 400],
    ...([['application/json', '{"email":1,"code":[],"x":{}}', 400]] as const),
    ...([['application/json', '{"email":"a@b.example","code":"12345"}', 400]] as const),
    ...([['application/json', `{"email":${deep}}`, 400]] as const),
    ['text/plain', 'email=a@b.example', 415],
    ['application/xml', '<a/>', 415],
    ...([['application/x-www-form-urlencoded', 'email=a%40b.example', 415]] as const),
    ['application/json', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400],
    ['application/json', `{"email":"${'x'.repeat(2 ** 14)}"}`, 413],
  ] as [string, string | Buffer, number][];
  for (const url of ['/auth/request', '/auth/verify-code']) {
    for (const [type, payload, status] of bodies) {
      const headers = { 'content-type': type };
      const response = await portal.app.inject({ method: 'POST', url, payload, headers });
      expect([type, payload.slice(0, 30), response.statusCode]).toEqual([
        type,
        payload.slice(0, 30),
        status,
      ]);
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(response.json().error).toBe(response.json().detail);
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(response.body).not.toMatch(/\.ts:|node_modules|at \w+ \(/);
    }
  }
});

test('requesting a code takes equally long for addresses with an account, without one, or with many mails', async () => {
  const ROUNDS = 6;
  const CALL_MS = 200;
  const many = someone();
  for (let sent = 0; sent < 5; sent++) await newVisitor().ask(many);
  // Slows each ledger call enough that an additional one would be visible.
  const slow = await openPortal({ ledger: slowed(portal.ledger, CALL_MS) });
  // Minimum time per kind of address, since delays of a busy machine only add to a time.
  const shortest = new Map<string, number>();
  const aRound = async () => {
    const known = someone();
    await newVisitor().signIn(known);
    for (const [kind, email] of Object.entries({ known, unknown: someone(), many })) {
      const visitor = newVisitor(slow);
      const begun = performance.now();
      expect((await visitor.post('/auth/request', { email })).statusCode).toBe(202);
      const tookMs = performance.now() - begun;
      shortest.set(kind, Math.min(shortest.get(kind) ?? Infinity, tookMs));
    }
    const times = [...shortest.values()];
    return Math.max(...times) - Math.min(...times);
  };
  for (let round = 1; round < ROUNDS; round++) await aRound();
  await expect.poll(aRound).toBeLessThan(CALL_MS / 2);
  await slow.close();
  expect(Math.min(...shortest.values())).toBeGreaterThan(CALL_MS - 5);
});

function slowed(ledger: Ledger, callMs: number): Ledger {
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      return async (...args: never[]) => {
        await new Promise((resolve) => setTimeout(resolve, callMs));
        return (target[name] as (...args: never[]) => unknown).apply(target, args);
      };
    },
  });
}

describe('expensive inputs', () => {
  // As many as fit in a body: inner spaces, and accents to be normalized.
  test.each([
    ['spaces', `a${' '.repeat(16_000)}@example.org`],
    ['accents', `a${'\u0316\u0301'.repeat(3_900)}@example.org`],
  ])('an address with very many %s is refused without much work', async (_, email) => {
    const works = await standardWorks(async () => {
      for (const [url, body] of [
        ['/auth/request', { email }],
        ['/auth/verify-code', { email, code: '000000' }],
      ] as const) {
        const response = await newVisitor().post(url, body);
        expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-parameters']);
      }
    });
    expect(works).toBeLessThan(10);
  });

  test('an invalid id is not found, however long', async () => {
    const visitor = newVisitor();
    await visitor.signIn(someone());
    for (const [url, slug] of [
      [`/keys/${'a'.repeat(5_000)}`, 'key-not-found'],
      [`/sessions/${'é'.repeat(800)}`, 'session-not-found'],
    ] as const) {
      const response = await visitor.change('DELETE', encodeURI(url));
      expect([response.statusCode, slugOf(response)]).toEqual([404, slug]);
    }
  });
});

test('a request whose session ends before its body has arrived changes nothing', async () => {
  const visitor = newVisitor();
  await visitor.signIn(someone());
  const csrf = await visitor.csrf();
  const address = await portal.app.listen({ port: 0, host: '127.0.0.1' });
  const body = JSON.stringify({ label: 'late' });
  const { port } = new URL(address);
  const socket = connect(Number(port), '127.0.0.1');
  const heard: Buffer[] = [];
  socket.on('data', (bytes) => heard.push(bytes));
  socket.write(
    `POST /keys HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nCookie: ${visitor.cookie}\r\nX-CSRF-Token: ${csrf}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body[0]}`,
  );
  // By then the request has been admitted, since a later one has been served.
  await fetch(`${address}/health`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await visitor.change('POST', '/auth/logout')).statusCode).toBe(204);
  socket.end(body.slice(1));
  await once(socket, 'close');
  expect(Buffer.concat(heard).toString()).toMatch(/^HTTP\/1\.1 401 /);
});
