import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { newChallenge } from '../../portal/sign-in/challenge.ts';
import { knownBrowser } from '../../portal/sign-in/known-browser.ts';
import { LIMITS, takeMailTo, takeOne, takeTry } from '../../portal/sign-in/limits.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { forAll } from '../support/for-all.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { openPortal, slugOf } from '../support/portal-harness.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const portal = ofTests(() => openPortal());
beforeEach(() => {
  // A day later, all limits are back to full.
  portal.clock.aheadMs += 25 * 60 * 60 * 1000;
});

let people = 0;
const someone = () => `someone${++people}@example.org`;
const otherLetter = (letter: string) => (letter === 'A' ? 'B' : 'A');
const otherCode = (code: string) => code.slice(0, -1) + ((Number(code.at(-1)) + 1) % 10);
const DAY_MS = 24 * 60 * 60 * 1000;

test('requesting a code and entering it signs a new account in with its grant', async () => {
  const email = someone();
  const visitor = portal.visitor();
  const asked = await visitor.post('/auth/request', { email });
  expect([asked.statusCode, asked.json()]).toEqual([202, { sent: true }]);
  const { text, subject } = await portal.nextMail(email, 0);
  expect(subject).toBe('Sign in to 127.0.0.1:8081');
  const response = await visitor.post('/auth/verify-code', {
    email,
    // The code in two groups, as the mail displays it.
    code: /\b\d{6}\b/.exec(text)![0].replace(/^.../, '$& '),
  });
  expect([response.statusCode, response.json()]).toEqual([
    200,
    { email, tokens_remaining: 5_000, membership: null },
  ]);
  expect((await visitor.get('/account')).json()).toEqual(response.json());
});

test('the link of a mail leads on to the requested page', async () => {
  const email = someone();
  const visitor = portal.visitor();
  await visitor.post('/auth/request', { email, next: '/my/plan' });
  const { text, html } = await portal.nextMail(email, 0);
  const link = /http:\S+(\/auth\/verify\S+)/.exec(text)![1];
  expect(html).toContain(link.replace('&', '&#38;'));
  const { body } = await visitor.get(link, { accept: 'text/html' });
  const fields = [...body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const payload = fields.map(([, name, value]) => `${name}=${value}`).join('&');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const pressed = await portal.app.inject({
    method: 'POST',
    url: '/auth/verify',
    payload,
    headers,
  });
  expect([pressed.statusCode, pressed.headers.location]).toEqual([303, '/my/plan']);
});

test('a program may POST the mailed link as it is, without a body, once', async () => {
  const email = someone();
  const visitor = portal.visitor();
  const { token } = await visitor.ask(email);
  const link = `/auth/verify?token=${encodeURIComponent(token)}`;
  expect((await visitor.post(link)).json()).toMatchObject({ email });
  expect(slugOf(await portal.visitor().post(link))).toBe('invalid-link');
});

test('one mailbox is one account with one grant, however its address is written, closed or not', async () => {
  const first = portal.visitor();
  expect((await first.signIn('Some.One@gmail.com')).json().tokens_remaining).toBe(5_000);
  await first.change('POST', '/keys', { label: 'mine' });
  const again = portal.visitor();
  expect((await again.signIn('someone+shop@GoogleMail.com'.toLowerCase())).json()).toEqual({
    email: 'Some.One@gmail.com',
    tokens_remaining: 5_000,
    membership: null,
  });
  expect((await again.get('/keys')).json().keys).toHaveLength(1);
  expect((await again.change('DELETE', '/account')).statusCode).toBe(204);
  for (const visitor of [first, again]) {
    visitor.cookie ??= 'portal_session=gone';
    expect((await visitor.get('/account')).statusCode).toBe(401);
  }
  const back = portal.visitor();
  expect((await back.signIn('s.o.m.e.o.n.e@gmail.com')).json().tokens_remaining).toBe(0);
});

test('the response is the same for an address that is known, unknown, or has been sent many mails', async () => {
  const [known, unknown, many] = [someone(), someone(), someone()];
  await portal.visitor().signIn(known);
  const visitor = portal.visitor({ address: '10.1.0.1' });
  const responses = [];
  for (const email of [known, unknown, ...Array<string>(8).fill(many)]) {
    const { statusCode, body, headers } = await visitor.post('/auth/request', { email });
    responses.push([statusCode, body, Object.keys(headers)]);
  }
  expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  await portal.nextMail(many, 4);
  expect(portal.mails.filter(({ to }) => to === many)).toHaveLength(5);
});

test('a code is accepted once, even from racing requests, and the mail’s link expires with it', async () => {
  const email = someone();
  const { code, token } = await portal.visitor().ask(email);
  const racing = await Promise.all(
    Array.from({ length: 4 }, () => portal.visitor().post('/auth/verify-code', { email, code })),
  );
  expect(racing.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400, 400]);
  const late = await portal.visitor().post('/auth/verify', { token });
  expect([late.statusCode, slugOf(late)]).toEqual([400, 'invalid-link']);
});

test('a code lasts ten minutes, and only the newest of its own address counts', async () => {
  const [email, other] = [someone(), someone()];
  const visitor = portal.visitor();
  const first = await visitor.ask(email);
  const second = await visitor.ask(email);
  const tries: [string, string][] = [
    [email, first.code],
    [other, second.code],
  ];
  for (const [email, code] of tries) {
    const response = await visitor.post('/auth/verify-code', { email, code });
    expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-code']);
  }
  portal.clock.aheadMs += 10 * 60 * 1000;
  const { code } = second;
  expect((await visitor.post('/auth/verify-code', { email, code })).statusCode).toBe(400);
  expect((await visitor.get('/auth/csrf')).statusCode).toBe(401);
});

test('an owner gets in at any minute, however many mails others have requested', async () => {
  const emails = Array.from({ length: 21 }, someone);
  for (const [i, email] of emails.entries()) {
    const stranger = portal.visitor({ address: `10.3.${i}.1` });
    for (let mails = 0; mails < LIMITS['sent to mailbox'].limit; mails++) await stranger.ask(email);
  }
  for (const [minute, email] of emails.entries()) {
    const owner = portal.visitor({ address: `10.4.${minute}.1` });
    expect((await owner.post('/auth/request', { email })).statusCode).toBe(202);
    // Mails are sent in order: once this mail has been sent, so has the requested one, if it is
    // sent at all.
    await owner.ask(someone());
    const { text } = portal.mails.findLast(({ to }) => to === email)!;
    const token = /token=([\w-]+)/.exec(text)![1];
    const response = await owner.post('/auth/verify', { token });
    expect([minute, response.statusCode]).toEqual([minute, 200]);
    portal.clock.aheadMs += 60_000;
  }
});

test.each([
  ['SQLite', newSqliteLedgers()],
  ['Redis', newRedisLedgers()],
])(
  'strangers use up thirty of the forty mails a day to a mailbox, fifteen from one network, and none of its owner’s browser (%s)',
  async (_, newAddress) => {
    const ledger = await ofThisTest(openLedger(newAddress(), { rateLimitPerMinute: 1_000 }));
    const portal = await ofThisTest(openPortal({ ledger }));
    const email = someone();
    const owners = ['10.11.0.1', '2001:db8:5:6::1'].map((address) => portal.visitor({ address }));
    let known = '';
    for (const owner of owners) {
      const signedIn = await owner.signIn(email);
      known = [signedIn.headers['set-cookie']].flat()[1]!.split(';')[0];
    }
    const sent = () => portal.mails.filter(({ to }) => to === email).length;
    const bomb = async (networks: number) => {
      const before = sent();
      for (let quarter = 0; quarter < 12; quarter++) {
        portal.clock.aheadMs += 15 * 60 * 1000;
        for (let i = 0; i < 5; i++) {
          const address = `10.12.${(quarter + i) % networks}.${quarter}`;
          await portal.visitor({ address }).post('/auth/request', { email });
        }
        // Mails are sent in order: once this one has been sent, so have those before.
        await portal.visitor({ address: `10.13.${quarter}.1` }).ask(someone());
      }
      return sent() - before;
    };
    expect(await bomb(1)).toBe(15);
    portal.clock.aheadMs += 25 * 60 * 60 * 1000;
    expect(await bomb(8)).toBe(30);
    for (const address of ['10.11.0.77', '2001:db8:5:99::1']) {
      expect((await portal.visitor({ address }).signIn(email)).statusCode).toBe(200);
    }
    const stranger = portal.visitor({ address: '2001:db8:6:6::1' });
    await stranger.post('/auth/request', { email });
    await stranger.ask(someone());
    expect(await bomb(8)).toBeLessThanOrEqual(30);
    const browser = portal.visitor({ address: '10.14.0.1' });
    browser.cookie = known;
    expect((await browser.signIn(email)).statusCode).toBe(200);
  },
);

test('a stranger who is refused takes none of the mails of others, not even for a moment', async () => {
  const { ledger } = portal;
  const taken: string[] = [];
  const counted = {
    takeLimited: (...limit: Parameters<typeof ledger.takeLimited>) => {
      taken.push(limit[0]);
      return ledger.takeLimited(...limit);
    },
    returnLimited: (name: string) => ledger.returnLimited(name),
  } as unknown as typeof ledger;
  const mailbox = someone();
  const now = Date.now();
  const ofStrangers = 'sent to mailbox for strangers';
  for (let sent = 0; sent < LIMITS[ofStrangers].limit; sent++) {
    expect(await takeOne(ledger, ofStrangers, mailbox, now)).toBeNull();
  }
  const stranger = { ip: '10.15.0.1', mailbox, isKnownBrowser: false, isKnownNetwork: false };
  expect(await takeMailTo(counted, stranger, now)).not.toBeNull();
  const shared = ['sent to mailbox', 'sent to mailbox in a day'].map(
    (what) => `${what} ${mailbox}`,
  );
  expect(taken.filter((name) => shared.includes(name))).toEqual([]);
  const owner = { ...stranger, ip: '10.16.0.1', isKnownNetwork: true };
  expect(await takeMailTo(counted, owner, now)).toBeNull();
  expect(taken.filter((name) => shared.includes(name))).toEqual(shared);
});

describe('guessing', () => {
  const ALL = LIMITS['tried by all'];
  /** How many tries all strangers have left today. */
  const triesLeft = async () => {
    const nowMs = Date.now() + portal.clock.aheadMs;
    const { allowed, rate } = await portal.ledger.takeLimited('tried by all ', ALL, nowMs);
    if (!allowed) return 0;
    await portal.ledger.returnLimited('tried by all ');
    return rate.remaining + 1;
  };

  /**
   * Requests a mail and tries a wrong code from an address; returns the response.
   */
  const tryWrongly = async (email: string, address: string) => {
    // Five codes are allowed in ten minutes.
    portal.clock.aheadMs += 3 * 60 * 1000;
    const guesser = portal.visitor({ address });
    const mailed = await guesser.ask(email);
    const code = otherCode(mailed.code);
    return guesser.post('/auth/verify-code', { email, code });
  };

  test('a network has ten tries a day at a mailbox, and closes it to no other network', async () => {
    const email = someone();
    for (let tries = 0; tries < 10; tries++) {
      const response = await tryWrongly(email, `10.2.7.${tries}`);
      expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-code']);
    }
    const guesser = portal.visitor({ address: '10.2.7.99' });
    const mailed = await guesser.ask(email);
    const six = { email, code: '123456' };
    const refused = await guesser.post('/auth/verify-code', six);
    expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'too-many-codes']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60 * 60);
    const { code, token } = mailed;
    const owner = portal.visitor({ address: '10.2.8.1' });
    expect((await owner.post('/auth/verify-code', { email, code })).statusCode).toBe(200);
    // From the first network, six digits are refused, but neither twelve nor the link.
    const again = await guesser.ask(email);
    expect(again.code).toHaveLength(12);
    expect((await guesser.post('/auth/verify-code', six)).statusCode).toBe(429);
    expect(again.token).not.toBe(token);
    expect((await guesser.post('/auth/verify', { token: again.token })).statusCode).toBe(200);
    expect((await guesser.signIn(email)).statusCode).toBe(200);
    // Another mailbox is open to the first network.
    expect((await portal.visitor({ address: '10.2.7.1' }).signIn(someone())).statusCode).toBe(200);
  });

  test('a mailbox allows a hundred tries a day in all: a code is guessed once in decades', async () => {
    const mailbox = `one of ${people}`;
    const nowMs = Date.now() + portal.clock.aheadMs;
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, i) =>
        takeTry(portal.ledger, { ip: `10.${30 + (i >> 6)}.${i & 63}.1`, mailbox }, false, nowMs),
      ),
    );
    const tries = outcomes.filter((outcome) => outcome === null).length;
    expect(tries).toBe(100);
    // Chance per year of a right guess among a million codes, for one network and for all together.
    const yearly = (triesPerDay: number) => 1 - (1 - 1e-6) ** (365 * triesPerDay);
    expect(1 / yearly(10)).toBeGreaterThan(250);
    expect(1 / yearly(tries)).toBeGreaterThan(25);
  });

  test('a network has twenty-five wrong codes a day over all addresses, and any number of right ones', async () => {
    const guess = async (address: string) => {
      const guesser = portal.visitor({ address });
      return guesser.post('/auth/verify-code', { email: someone(), code: '123456' });
    };
    for (let people = 0; people < 30; people++) {
      const honest = portal.visitor({ address: `2001:db8:7:${people}::1` });
      expect((await honest.signIn(someone())).statusCode).toBe(200);
    }
    for (let tries = 0; tries < 25; tries++) {
      expect((await guess(`2001:db8:7:${tries}::1`)).statusCode).toBe(400);
    }
    const refused = await guess('2001:db8:7:ffff::1');
    expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'too-many-codes']);
    const neighbour = portal.visitor({ address: '2001:db8:8::1' });
    expect((await neighbour.signIn(someone())).statusCode).toBe(200);
  });

  test('any number of networks, clients and mailboxes together guess one code in more than ten years', async () => {
    const now = () => Date.now() + portal.clock.aheadMs;
    const beganMs = now();
    let tries = 0;
    // Four hundred networks try four hundred mailboxes, all at once, every three hours.
    while (now() < beganMs + 72 * 60 * 60 * 1000) {
      const outcomes = await Promise.all(
        Array.from({ length: 400 }, (_, i) => {
          const client = { ip: `10.${i >> 8}.${i & 255}.1`, mailbox: `one of many ${i}` };
          return takeTry(portal.ledger, client, false, now());
        }),
      );
      tries += outcomes.filter((outcome) => outcome === null).length;
      portal.clock.aheadMs += 3 * 60 * 60 * 1000;
    }
    expect(tries).toBeGreaterThan(0);
    expect(990_000 / ((tries / 3) * 365.25)).toBeGreaterThan(10);
  });

  test('long codes are guessed by all strangers together once in more than ten years, and one network uses up none of others', async () => {
    expect(1e10 / (LIMITS['long tried by all'].limit * 365.25)).toBeGreaterThan(10);
    const nowMs = Date.now() + portal.clock.aheadMs;
    const take = (ip: string, i: number) =>
      takeTry(portal.ledger, { ip, mailbox: `long ${i}` }, true, nowMs);
    const outcomes = await Promise.all(
      Array.from({ length: 1_200 }, (_, i) => take(`10.60.0.${i & 255}`, i)),
    );
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1_000);
    expect(await take('10.60.1.1', 0)).toBeNull();
  });

  test('no wrong code, of whatever length, ends a code of another network', async () => {
    const short = { email: someone(), owner: portal.visitor({ address: '10.61.0.1' }) };
    const long = { email: someone(), owner: portal.visitor({ address: '10.61.1.1' }) };
    const nowMs = Date.now() + portal.clock.aheadMs;
    const network = { ip: '10.61.1.1', mailbox: 'of another' };
    while ((await takeTry(portal.ledger, network, false, nowMs)) === null) {
      network.mailbox += '.';
    }
    for (const [{ email, owner }, digits] of [[short, 6] as const, [long, 12] as const]) {
      const { code } = await owner.ask(email);
      expect(code).toHaveLength(digits);
      const stranger = portal.visitor({ address: '10.62.0.1' });
      for (let i = 0; i < 30; i++) {
        for (const wrong of [`99000000000${i % 10}`, `12345${i % 10}`]) {
          if (wrong !== code) await stranger.post('/auth/verify-code', { email, code: wrong });
        }
      }
      const right = await owner.post('/auth/verify-code', { email, code });
      expect([digits, right.statusCode]).toEqual([digits, 200]);
    }
  });

  test('six digits that no open challenge could be met by take no try of other networks', async () => {
    const email = someone();
    const before = await triesLeft();
    const guess = (address: string, of: string) =>
      portal.visitor({ address }).post('/auth/verify-code', { email: of, code: '123456' });
    // Nothing was mailed; what was mailed has expired or is used.
    for (let i = 0; i < 20; i++) {
      expect(slugOf(await guess(`10.40.${i}.1`, someone()))).toBe('invalid-code');
    }
    const owner = portal.visitor({ address: '10.41.0.1' });
    await owner.ask(email);
    portal.clock.aheadMs += 10 * 60 * 1000;
    await guess('10.42.0.1', email);
    await owner.signIn(email);
    await guess('10.42.1.1', email);
    expect(await triesLeft()).toBe(before);
    const { code } = await owner.ask(email);
    for (let i = 0; i < 12; i++) {
      await portal
        .visitor({ address: `10.43.${i}.1` })
        .post('/auth/verify-code', { email, code: otherCode(code) });
    }
    expect(await triesLeft()).toBe(before - 12);
  });

  test('strangers who use up all tries lengthen the codes, and end signing in by them for nobody', async () => {
    const now = () => Date.now() + portal.clock.aheadMs;
    portal.clock.aheadMs += 2 * DAY_MS;
    // Ten tries at each of their own mailboxes, from as many networks as it takes.
    for (let i = 0; (await triesLeft()) > 0; i++) {
      const stranger = portal.visitor({ address: `10.50.${i % 250}.1` });
      const email = someone();
      const { code } = await stranger.ask(email);
      for (let tries = 0; tries < 10; tries++) {
        await stranger.post('/auth/verify-code', { email, code: otherCode(code) });
      }
      expect(i).toBeLessThan(60);
    }
    const [email, visitor] = [someone(), portal.visitor({ address: '10.51.0.1' })];
    const guess = await visitor.post('/auth/verify-code', { email, code: '123456' });
    expect([guess.statusCode, slugOf(guess)]).toEqual([429, 'too-many-codes']);
    expect(guess.json().detail).toMatch(/request another, which will have twelve/);
    const { code } = await visitor.ask(email);
    expect(code).toHaveLength(12);
    const spaced = code.match(/.{3}/g)!.join(' ');
    for (const wrong of [otherCode(code), code.slice(0, 9)]) {
      const response = await visitor.post('/auth/verify-code', { email, code: wrong });
      expect(response.statusCode).toBe(400);
    }
    const right = await visitor.post('/auth/verify-code', { email, code: spaced });
    expect(right.statusCode).toBe(200);
    // A day later, codes are short again.
    portal.clock.aheadMs += DAY_MS;
    expect((await visitor.ask(someone())).code).toHaveLength(6);
    const { remaining } = (await portal.ledger.takeLimited('tried by all ', ALL, now())).rate;
    expect(remaining).toBe(ALL.limit - 1);
  });

  test('when strangers have used up all tries, links work everywhere, and short codes in browsers that signed in before', async () => {
    const now = () => Date.now() + portal.clock.aheadMs;
    const email = someone();
    const owner = portal.visitor({ address: '10.5.0.1' });
    const signedIn = await owner.signIn(email);
    const [, known] = [signedIn.headers['set-cookie']].flat().map((one) => one!.split(';')[0]);
    await owner.change('POST', '/auth/logout');
    owner.cookie = known;
    const { limit } = LIMITS['tried by all'];
    await Promise.all(
      Array.from({ length: limit }, () => takeOne(portal.ledger, 'tried by all', '', now())),
    );
    const strangers = portal.visitor({ address: '10.6.0.1' });
    const guess = await strangers.post('/auth/verify-code', { email, code: '123456' });
    expect([guess.statusCode, slugOf(guess)]).toEqual([429, 'too-many-codes']);
    const other = someone();
    const mailed = await strangers.ask(other);
    const paused = await strangers.post('/auth/verify-code', { email: other, code: '123456' });
    expect(paused.statusCode).toBe(429);
    expect((await strangers.post('/auth/verify', { token: mailed.token })).statusCode).toBe(200);
    expect((await owner.signIn(email)).statusCode).toBe(200);
    owner.cookie = known;
    const { token } = await owner.ask(email);
    const phone = portal.visitor({ address: '10.7.0.1' });
    expect((await phone.post('/auth/verify', { token })).json()).toMatchObject({ email });
    portal.clock.aheadMs += Number(paused.headers['retry-after']) * 1000;
    expect((await portal.visitor().signIn(someone())).statusCode).toBe(200);
    expect(portal.app.codeOutcomes!.get('refused')).toBeGreaterThan(0);
  });

  test('a known browser’s code outlasts strangers who request other codes and use up their tries', async () => {
    const email = someone();
    const owner = portal.visitor({ address: '10.8.0.1' });
    const signedIn = await owner.signIn(email);
    const [, known] = [signedIn.headers['set-cookie']].flat().map((one) => one!.split(';')[0]);
    owner.cookie = known;
    const { code, token } = await owner.ask(email);
    for (let network = 0; network < 5; network++) {
      const stranger = portal.visitor({ address: `10.9.${network}.1` });
      if (network < 4) await stranger.ask(email);
      for (let tries = 0; tries < 5; tries++) {
        await stranger.post('/auth/verify-code', { email, code: otherCode(code) });
      }
    }
    expect((await owner.post('/auth/verify-code', { email, code })).statusCode).toBe(200);
    // A code is accepted once, and the link of its mail ends with it.
    owner.cookie = known;
    expect((await owner.post('/auth/verify-code', { email, code })).statusCode).not.toBe(200);
    expect((await owner.post('/auth/verify', { token })).statusCode).toBe(400);
  });

  test('the cookie of a known browser is good for its own mailbox only, and not when altered', async () => {
    const [email, other] = [someone(), someone()];
    const visitor = portal.visitor({ address: '10.10.0.1' });
    const signedIn = await visitor.signIn(email);
    const [, known] = [signedIn.headers['set-cookie']].flat().map((one) => one!.split(';')[0]);
    expect(known).toMatch(/^portal_browser=/);
    const secrets = await portal.ledger.secret('sessions');
    const browserIn = (cookies: string, of: string) => knownBrowser([secrets], cookies, of, false);
    expect(browserIn(known, email)).toMatch(/^[\w-]{16}$/);
    expect(browserIn(`a=b; ${known}`, email.toUpperCase())).toBe(browserIn(known, email));
    expect(browserIn(known, other)).toBeUndefined();
    const at = known.indexOf('=') + 1;
    for (const altered of [
      known.slice(0, at) + otherLetter(known[at]) + known.slice(at + 1),
      known.slice(0, -2) + otherLetter(known.at(-2)!) + known.at(-1),
      `${known}; ${known}`,
      'portal_browser=',
    ]) {
      expect([altered, browserIn(altered, email)]).toEqual([altered, undefined]);
    }
  });

  test('an IPv6 /48, with any number of clients, blocks no other client’s code or mail', async () => {
    const now = () => Date.now() + portal.clock.aheadMs;
    /** Addresses of 700 of the network's apparent 65,536 clients. */
    const hosts = Array.from({ length: 700 }, (_, i) => `2001:db8:bad:${i.toString(16)}::1`);
    const refusedAfter = async (take: (ip: string, i: number) => Promise<object | null>) => {
      const outcomes = await Promise.all(
        Array.from({ length: 7_000 }, (_, i) => take(hosts[i % hosts.length], i)),
      );
      return outcomes.filter((outcome) => outcome === null).length;
    };
    const tries = await refusedAfter((ip, i) =>
      takeTry(portal.ledger, { ip, mailbox: `guessed ${people} ${i}` }, false, now()),
    );
    expect(tries).toBe(LIMITS['tried by network'].limit);
    const mails = await refusedAfter((ip) => portal.app.mailBudget!.take(ip, now()));
    expect(mails).toBe(200);
    expect((await portal.visitor({ address: '10.5.0.1' }).signIn(someone())).statusCode).toBe(200);
    // Another machine of the network is refused before any work is done for it.
    const asked = await portal
      .visitor({ address: '2001:db8:bad:ffff::1' })
      .post('/auth/request', { email: someone() });
    expect([asked.statusCode, slugOf(asked)]).toEqual([429, 'too-many-codes']);
    expect(portal.app.mailBudget!.refused).toBe(0);
  });

  test('a client can request thirty codes in ten minutes, and then gets the time to wait', async () => {
    const clientId = portal.visitor({ address: '10.3.0.1' });
    for (let asked = 0; asked < 30; asked++) await clientId.ask(someone());
    const refused = await clientId.post('/auth/request', { email: someone() });
    expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'too-many-codes']);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(600);
    portal.clock.aheadMs += wait * 1000;
    expect((await clientId.post('/auth/request', { email: someone() })).statusCode).toBe(202);
  });
});

test('all portals of a ledger share an hourly mail limit; past it requests must wait, but sent mails still work', async () => {
  const { ledger } = portal;
  const config = { mailsPerHour: 10 };
  const [one, other] = [
    await ofThisTest(openPortal({ config, ledger })),
    await ofThisTest(openPortal({ config, ledger })),
  ];
  const later = portal.clock.aheadMs + 60 * 60 * 1000;
  for (const { clock } of [one, other]) clock.aheadMs = later;
  const email = someone();
  const { token } = await one.visitor({ address: '10.20.0.1' }).ask(email);
  // A network may use two of the ten mails.
  for (let i = 1; i < 10; i++) {
    const from = (i % 2 ? one : other).visitor({ address: `10.20.${i >> 1}.2` });
    expect((await from.post('/auth/request', { email: someone() })).statusCode).toBe(202);
  }
  const honest = other.visitor({ address: '10.21.0.1' });
  const refused = await honest.post('/auth/request', { email: someone() });
  expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'too-many-codes']);
  expect(refused.json().detail).toMatch(
    /^this service has reached its hourly limit of sign-in messages/,
  );
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(50 * 60);
  expect([one.app.mailBudget!.refused, other.app.mailBudget!.refused]).toEqual([0, 1]);
  expect((await honest.post('/auth/verify', { token })).statusCode).toBe(200);
  other.clock.aheadMs += wait * 1000;
  expect((await honest.post('/auth/request', { email: someone() })).statusCode).toBe(202);
});

test('requests for a mailbox that gets no more mails use up no mails of others', async () => {
  const { ledger } = portal;
  const one = await ofThisTest(openPortal({ config: { mailsPerHour: 40 }, ledger }));
  one.clock.aheadMs = portal.clock.aheadMs + 2 * 60 * 60 * 1000;
  const victim = someone();
  for (let network = 0; network < 6; network++) {
    for (let i = 0; i < 10; i++) {
      const from = one.visitor({ address: `10.3${network}.0.${i}` });
      // A mail is given back after the response.
      const asked = async () => (await from.post('/auth/request', { email: victim })).statusCode;
      await expect.poll(asked).toBe(202);
    }
  }
  expect(one.app.mailBudget!.refused).toBe(0);
});

test('a stored challenge reveals neither its code nor its address', () => {
  const email = 'somebody@example.org';
  const { mailed, mailbox, challenge } = newChallenge('a secret of the portal', email, 0, false);
  const kept = JSON.stringify({ mailbox, challenge });
  for (const open of [mailed.code, mailed.linkToken, 'somebody', 'example.org']) {
    expect(kept).not.toContain(open);
  }
  expect(Buffer.from(mailed.linkToken, 'base64url').toString('latin1')).not.toContain('somebody');
});

test('codes are uniform over the 990,000 that do not begin like long ones, and these over ten billion', () => {
  const N = 20_000;
  let malformed = 0;
  // Which part of a code, and how many values it has.
  const ofShort = [[0, 2, 99] as const, [2, 3, 10] as const, [5, 6, 10] as const];
  const ofLong = [2, 5, 8, 11].map((at) => [at, at + 1, 10] as const);
  for (const [isLong, parts] of [[false, ofShort] as const, [true, ofLong] as const]) {
    const counts = parts.map(([, , values]) => new Array<number>(values).fill(0));
    for (let i = 0; i < N; i++) {
      const { code } = newChallenge('a secret', 'a@example.org', 0, isLong).mailed;
      malformed += (isLong ? /^99\d{10}$/ : /^(?!99)\d{6}$/).test(code) ? 0 : 1;
      for (const [which, [from, to]] of parts.entries()) {
        counts[which][Number(code.slice(from, to))]++;
      }
    }
    for (const [which, [, , values]] of parts.entries()) {
      const expected = N / values;
      const chi = counts[which].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
      // Exceeded by chance once in 50,000,000 runs, with 9 and with 98 degrees of freedom.
      expect(chi).toBeLessThan(values === 10 ? 55 : 190);
    }
  }
  expect(malformed).toBe(0);
});

test('a link altered in any character opens nothing', async () => {
  const email = someone();
  const visitor = portal.visitor();
  const { token } = await visitor.ask(email);
  await forAll(60, fc.nat(token.length - 1), fc.base64String({ minLength: 4 }), async (at, by) => {
    const altered = token.slice(0, at) + by[0].replace(token[at], '!') + token.slice(at + 1);
    const response = await visitor.post('/auth/verify', { token: altered });
    expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-link']);
  });
  expect((await visitor.post('/auth/verify', { token })).statusCode).toBe(200);
});

test('a secret can be changed during a sign-in and while others are signed in', async () => {
  const secrets = ['the secret of yesterday', 'the secret of today'];
  const ledger = portal.ledger;
  const before = await ofThisTest(openPortal({ config: { sessionSecrets: [secrets[0]] }, ledger }));
  const after = await ofThisTest(
    openPortal({ config: { sessionSecrets: [...secrets].reverse() }, ledger }),
  );
  const [email, other] = [someone(), someone()];
  const visitor = before.visitor();
  await visitor.signIn(email);
  const csrf = await visitor.csrf();
  const moved = after.visitor();
  moved.cookie = visitor.cookie;
  expect((await moved.post('/keys', { label: '' }, { 'x-csrf-token': csrf })).statusCode).toBe(201);
  const { code } = await before.visitor().ask(other);
  expect((await after.visitor().post('/auth/verify-code', { email: other, code })).statusCode).toBe(
    200,
  );
  const { token } = await before.visitor().ask(other);
  expect((await after.visitor().post('/auth/verify', { token })).statusCode).toBe(200);
});
