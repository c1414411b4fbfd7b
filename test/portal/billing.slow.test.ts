import { beforeAll, beforeEach, expect, test } from 'vitest';
import { WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { BY } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { DAY, LONG_LIMITS, PaymentFixture, SHORT_LIMITS } from '../support/payment-fixture.ts';
import { openPortal, slugOf, type Visitor } from '../support/portal-harness.ts';
import { signatureOf } from '../support/stripe-stand-in/signature.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofTests(() => PaymentFixture.open(newAddress()));
const portal = ofTests(() =>
  openPortal({
    ledger: shop.ledger,
    payment: () => shop.payment,
    config: { accountUrl: 'https://account.example.org' },
  }),
);
beforeAll(() => void Object.assign(shop.books, { now: Math.floor(Date.now() / 1000) }));

let visitor: Visitor;
let people = 0;
beforeEach(async () => {
  shop.standIn.fault = 'none';
  portal.clock.aheadMs += DAY * 1000;
  visitor = portal.visitor();
  await visitor.signIn(`buyer${++people}@example.org`);
});

const ownId = async () => (await shop.ledger.accountByEmail(`buyer${people}@example.org`))!.id;
const send = (body: string | Buffer, headers: Record<string, string>) =>
  portal.app.inject({ method: 'POST', url: '/billing/webhook', payload: body, headers });

/** Begins the visitor's checkout of the membership, and pays it. */
async function paid() {
  const { checkout_url } = (await visitor.change('POST', '/billing/subscribe')).json();
  const session = shop.sessionAt(checkout_url);
  shop.books.pay(session);
  return session;
}

/** Pays for a membership, notifies the portal, and returns the visitor's subscription. */
async function subscribed() {
  const session = await paid();
  await shop.deliverNew();
  return shop.books.subscriptions.get(session.subscription!)!;
}

test('a checkout that has been paid makes its account a member once its events arrive', async () => {
  const response = await visitor.change('POST', '/billing/subscribe');
  expect([response.statusCode, Object.keys(response.json())]).toEqual([200, ['checkout_url']]);
  const session = shop.sessionAt(response.json().checkout_url);
  const id = await ownId();
  expect(session).toMatchObject({ mode: 'subscription', client_reference_id: id });
  expect(session.metadata).toEqual({ account: id });
  expect(shop.books.orders.get(session.id)?.subscriptionMetadata).toEqual({ account: id });
  for (const url of [session.success_url, session.cancel_url]) {
    expect(new URL(url).origin).toBe('https://account.example.org');
  }
  shop.books.pay(session);
  for (const event of shop.books.events.splice(0)) {
    const { body, signature } = shop.standIn.sign(event);
    const taken = await send(body, { 'stripe-signature': signature });
    expect([taken.statusCode, taken.json()]).toEqual([200, { received: true }]);
  }
  await shop.payment.settleOpenEvents();
  expect((await visitor.get('/account')).json()).toMatchObject({
    tokens_remaining: 15_000,
    membership: { status: 'active', portal_url: 'https://account.example.org/billing/portal' },
  });
  // A membership given by an operator cannot be managed, even by an owner who has bought packs.
  const paid = (await portal.ledger.account(id))!.membership;
  await portal.ledger.setMembership(id, WITHOUT_END, BY);
  expect((await visitor.get('/account')).json().membership.portal_url).toBeNull();
  await portal.ledger.setMembership(id, paid, BY);

  const again = await visitor.change('POST', '/billing/subscribe');
  expect([again.statusCode, slugOf(again)]).toEqual([409, 'already-subscribed']);
  expect(again.json().portal_url).toMatch(/^https:\/\/billing\.stripe\.test\//);
  expect(again.json().error).toBe(again.json().detail);
  shop.standIn.fault = 'error';
  const without = await visitor.change('POST', '/billing/subscribe');
  expect([without.statusCode, without.json().portal_url]).toEqual([409, null]);
});

test('alongside any number of concurrent pack purchases, there is one checkout of the membership', async () => {
  await visitor.change('POST', '/billing/packs', { pack_id: 'pack_10k' });
  const account = (await shop.ledger.account(await ownId()))!;
  const begin = () => shop.payment.subscribe(account);
  // More than a page of other checkouts is created after the first.
  const first = await begin();
  const buyPack = () => shop.payment.buyPack(account, 'pack_10k');
  for (let bought = 0; bought <= 100; bought += 10) {
    await Promise.all(Array.from({ length: 10 }, buyPack));
  }
  expect(await begin()).toBe(first);
  const { customer } = account;
  for (const one of shop.books.sessions.values()) {
    if (one.customer === customer) one.status = 'expired';
  }
  // Two checkouts race, and a pack is bought between them.
  let second = '';
  shop.standIn.when('POST /v1/checkout/sessions', 'before', async () => {
    await shop.payment.buyPack(account, 'pack_10k');
    second = await begin();
  });
  expect([await begin(), second]).toEqual([second, expect.stringContaining('http')]);
});

test('an account can start ten checkouts an hour', async () => {
  const begin = () => visitor.change('POST', '/billing/packs', { pack_id: 'pack_10k' });
  for (let i = 0; i < 10; i++) expect((await begin()).statusCode).toBe(200);
  const asked = shop.standIn.requests.length;
  for (const refused of [await begin(), await visitor.change('POST', '/billing/subscribe')]) {
    expect([refused.statusCode, slugOf(refused)]).toEqual([429, 'rate-limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  }
  expect(shop.standIn.requests).toHaveLength(asked);
  portal.clock.aheadMs += 3_600_000;
  expect((await begin()).statusCode).toBe(200);
  // However often the closing of the account is requested, it yields one event.
  const id = await ownId();
  shop.standIn.fault = 'error';
  await Promise.all(Array.from({ length: 8 }, () => visitor.change('DELETE', '/account')));
  expect(await shop.ledger.openEvents(10)).toHaveLength(1);
  shop.standIn.fault = 'none';
  shop.books.advance(3_600);
  await shop.payment.settleOpenEvents();
  const own = [...shop.books.sessions.values()].filter(
    (session) => session.client_reference_id === id,
  );
  expect(own.map(({ status }) => status)).toEqual(Array(11).fill('expired'));
});

test('a pack costs its price in the plans, and each checkout is a new one', async () => {
  const response = await visitor.change('POST', '/billing/packs', { pack_id: 'pack_50k' });
  expect(response.statusCode).toBe(200);
  const session = shop.sessionAt(response.json().checkout_url);
  expect(session).toMatchObject({ mode: 'payment', amount_total: 5_000, currency: 'usd' });
  shop.books.pay(session);
  const next = await visitor.change('POST', '/billing/packs', { pack_id: 'pack_50k' });
  expect(next.json().checkout_url).not.toBe(response.json().checkout_url);
  await shop.deliverNew();
  expect((await visitor.get('/account')).json().tokens_remaining).toBe(55_000);
});

test('an item that is not for sale is refused with a list of those that are', async () => {
  const bodies = [
    { pack_id: 'pack_1' },
    { pack_id: 'constructor' },
    { pack_id: 10 },
    {},
    { pack_id: 'pack_10k', price: 1 },
    { pack_id: 'pack_10k', success_url: 'https://elsewhere.example' },
  ];
  const asked = shop.standIn.requests.length;
  for (const body of bodies) {
    const response = await visitor.change('POST', '/billing/packs', body);
    expect([response.statusCode, slugOf(response)]).toEqual([400, 'invalid-parameters']);
  }
  const [{ msg }] = (await visitor.change('POST', '/billing/packs', bodies[0])).json().errors;
  expect(msg).toBe('must be one of pack_10k, pack_50k, pack_250k');
  expect(shop.standIn.requests).toHaveLength(asked);
});

test('nothing is sold without a session, or without its CSRF token', async () => {
  for (const url of ['/billing/subscribe', '/billing/packs', '/billing/portal']) {
    const stranger = await portal.visitor().post(url, { pack_id: 'pack_10k' });
    expect([stranger.statusCode, slugOf(stranger)]).toEqual([401, 'no-session']);
    const forged = await visitor.post(url, { pack_id: 'pack_10k' });
    expect([forged.statusCode, slugOf(forged)]).toEqual([403, 'invalid-csrf-token']);
  }
  expect((await portal.visitor().get('/billing/portal')).statusCode).toBe(401);
});

test('a disabled account buys nothing, but can still cancel what it has', async () => {
  await shop.ledger.setDisabled(await ownId(), true, { by: 'operator', atMs: 1 });
  for (const [url, body] of [
    ['/billing/subscribe', {}],
    ['/billing/packs', { pack_id: 'pack_10k' }],
  ] as const) {
    const response = await visitor.change('POST', url, body);
    expect([response.statusCode, slugOf(response)]).toEqual([403, 'account-disabled']);
  }
  expect((await visitor.change('POST', '/billing/portal')).statusCode).toBe(200);
});

test('an owner is led to the page where the membership is managed', async () => {
  const response = await visitor.change('POST', '/billing/portal');
  expect(response.json().portal_url).toMatch(/^https:\/\/billing\.stripe\.test\//);
  const link = await visitor.get('/billing/portal');
  expect([link.statusCode, link.headers.location]).toEqual([
    303,
    expect.stringMatching(/^https:\/\/billing\.stripe\.test\//),
  ]);
});

test('the permanent link does nothing for another site, and redirects visitors within our own', async () => {
  const page = { accept: 'text/html,*/*;q=0.8' };
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  const asked = shop.standIn.requests.length;
  const refused = await visitor.get('/billing/portal', foreign);
  expect([refused.statusCode, slugOf(refused)]).toEqual([403, 'invalid-csrf-token']);
  for (const [who, headers, to] of [
    [visitor, { ...page, ...foreign }, '/my/plan'],
    [portal.visitor(), page, '/sign-in?next=/my/plan'],
    [portal.visitor(), { ...page, ...foreign }, '/sign-in?next=/my/plan'],
  ] as const) {
    const led = await who.get('/billing/portal', headers);
    expect([led.statusCode, led.headers.location]).toEqual([303, to]);
  }
  expect(shop.standIn.requests).toHaveLength(asked);
});

test('while Stripe fails, stalls, or responds a byte at a time, purchases are promptly reported unavailable', async () => {
  await shop.limit(SHORT_LIMITS);
  for (const fault of ['error', 'stall', 'drip'] as const) {
    shop.standIn.fault = fault;
    const response = await visitor.change('POST', '/billing/subscribe');
    expect([fault, response.statusCode, slugOf(response)]).toEqual([
      fault,
      503,
      'payment-unavailable',
    ]);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.body).not.toMatch(/stripe|127\.0\.0\.1/i);
  }
  shop.standIn.fault = 'none';
  await shop.limit(LONG_LIMITS);
  expect((await visitor.change('POST', '/billing/subscribe')).statusCode).toBe(200);
});

test('an event that is forged, altered by a byte or old is refused, and nothing is stored', async () => {
  shop.books.tell('invoice.paid', { id: 'in_forged', object: 'invoice', created: 0 });
  const [event] = shop.books.events.splice(0);
  const secret = shop.standIn.webhookSecret;
  const at = shop.books.now;
  const { body, signature } = shop.standIn.sign(event);
  const changed = Buffer.from(body);
  changed[body.indexOf('in_forged')] ^= 1;
  const wrong: [string, string | Buffer, Record<string, string>][] = [
    ['none', body, {}],
    ['empty', body, { 'stripe-signature': '' }],
    ['nonsense', body, { 'stripe-signature': 't=abc,v1=zz,,=' }],
    ['of another secret', body, { 'stripe-signature': signatureOf(body, 'whsec_other', at) }],
    ['old', body, { 'stripe-signature': signatureOf(body, secret, at - 301) }],
    ['of the future', body, { 'stripe-signature': signatureOf(body, secret, at + 302) }],
    ['another time', body, { 'stripe-signature': signature.replace(/t=\d+/, `t=${at + 1}`) }],
    ['another scheme', body, { 'stripe-signature': signature.replace('v1=', 'v0=') }],
    ['changed', changed, { 'stripe-signature': signature }],
    ['longer', Buffer.concat([body, Buffer.from(' ')]), { 'stripe-signature': signature }],
    ['no body', '', { 'stripe-signature': signature }],
    ['no JSON', 'x', { 'stripe-signature': signatureOf(Buffer.from('x'), secret, at) }],
  ];
  for (const [what, sent, headers] of wrong) {
    const response = await send(sent, { 'content-type': 'application/json', ...headers });
    expect([what, response.statusCode, slugOf(response)]).toEqual([what, 400, 'invalid-signature']);
  }
  expect(await shop.ledger.openEvents(10)).toEqual([]);
  const inTime = { 'stripe-signature': signatureOf(body, secret, at - 300) };
  expect((await send(body, inTime)).statusCode).toBe(200);
  expect(await shop.ledger.openEvents(10)).toMatchObject([{ object: 'in_forged' }]);
  await shop.ledger.closeEvent(event.id, Date.now());
});

test('events from one address are accepted without a rate limit', async () => {
  const strict = await ofThisTest(
    openPortal({
      ledger: shop.ledger,
      payment: () => shop.payment,
      config: { rateLimitPerMinute: 2 },
    }),
  );
  const body = Buffer.from('{"id":"evt_many","type":"product.created","data":{"object":{}}}');
  const signature = signatureOf(body, shop.standIn.webhookSecret, shop.books.now);
  const request = { method: 'POST', url: '/billing/webhook', payload: body } as const;
  for (let i = 0; i < 10; i++) {
    const headers = { 'stripe-signature': signature };
    expect((await strict.app.inject({ ...request, headers })).statusCode).toBe(200);
  }
});

test('a customer with an unpaid month is led to change the card, and not sold a second membership', async () => {
  const { customer, items } = await subscribed();
  shop.books.withoutMoney.add(customer);
  const [item] = items.data;
  shop.books.advance(item.current_period_end - shop.books.now + 4 * DAY);
  await shop.deliverNew();
  portal.clock.aheadMs = shop.now() - Date.now();
  await visitor.signIn(`buyer${people}@example.org`);
  expect((await visitor.get('/account')).json().membership).toBeNull();
  const again = await visitor.change('POST', '/billing/subscribe');
  expect([again.statusCode, slugOf(again)]).toEqual([409, 'already-subscribed']);
  expect(again.json().portal_url).toMatch(/^https:\/\/billing\.stripe\.test\//);
});

test('an account closed at the very moment of subscribing leaves nothing that can be paid', async () => {
  const email = `buyer${people}@example.org`;
  for (const moment of ['POST /v1/customers', 'POST /v1/checkout/sessions']) {
    for (const when of ['before', 'after'] as const) {
      const own = portal.visitor();
      await own.signIn(email);
      const id = await ownId();
      shop.standIn.when(moment, when, async () => {
        expect((await own.change('DELETE', '/account')).statusCode).toBe(204);
      });
      const response = await own.change('POST', '/billing/subscribe');
      expect([moment, when, response.statusCode, slugOf(response)]).toEqual([
        moment,
        when,
        401,
        'no-session',
      ]);
      await shop.payment.settleOpenEvents();
      const { customer } = (await shop.ledger.account(id))!;
      const begun = [...shop.books.sessions.values()].filter((one) => one.customer === customer);
      expect(begun.filter(({ status }) => status === 'open')).toEqual([]);
    }
  }
});

test('without Stripe nothing can be bought, and existing features work', async () => {
  const poor = await ofThisTest(openPortal());
  const customer = poor.visitor();
  await customer.signIn('somebody@example.org');
  for (const [url, body] of [
    ['/billing/subscribe', undefined],
    ['/billing/packs', { pack_id: 'pack_10k' }],
    ['/billing/portal', undefined],
  ] as const) {
    const response = await customer.change('POST', url, body);
    expect([response.statusCode, slugOf(response)]).toEqual([503, 'membership-unavailable']);
  }
  const event = await poor.app.inject({ method: 'POST', url: '/billing/webhook', payload: '{}' });
  expect(event.statusCode).toBe(503);
  expect((await customer.change('DELETE', '/account')).statusCode).toBe(204);
});
