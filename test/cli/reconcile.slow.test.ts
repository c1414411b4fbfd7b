import { afterAll, beforeAll, expect, test } from 'vitest';
import { servePortal } from '../../infra/portal.ts';
import { portalSchema, portalSettings } from '../../infra/settings/portal-server.ts';
import { readSettings } from '../../infra/settings/read-settings.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { MEMBERSHIP_PRICE, PaymentFixture } from '../support/payment-fixture.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { commandsOfTests, ttaIn } from '../support/tta.ts';

const runIn = commandsOfTests();
const newAddress = newSqliteLedgers();
let address: string;
let shop: PaymentFixture;
beforeAll(async () => {
  address = newAddress();
  shop = await PaymentFixture.open(address);
});
afterAll(() => shop.close());

const settings = () => ({
  STRIPE_SECRET_KEY: shop.standIn.secretKey,
  STRIPE_WEBHOOK_SECRET: shop.standIn.webhookSecret,
  STRIPE_MEMBERSHIP_PRICE: MEMBERSHIP_PRICE,
  STRIPE_API_URL: shop.standIn.address,
});

const reconcile = (args: string[], env?: Record<string, string>) =>
  tta(['portal', 'reconcile', ...args], env);

/** Runs a command in another process, while a portal has the ledger open. */
const tta = (args: string[], env: Record<string, string> = settings()) =>
  runIn({ LEDGER: address, ...env }, ...args);

test('tta portal reconcile books missed payments once, and prints the amounts', async () => {
  const id = await shop.newAccount();
  await shop.subscribe(id);
  shop.books.refund(shop.books.chargeOf(await shop.buyPack(id, 'pack_10k')), 600);
  shop.books.events.length = 0;
  const env = { LEDGER: address, ...settings() };
  const first = await ttaIn(env, 'portal', 'reconcile', '--json', '--since', '2026-12-31');
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(JSON.parse(first.stdout)).toEqual({
    invoices: 1,
    sessions: 2,
    refunds: 1,
    disputes: 0,
    subscriptions: 1,
    tokens_granted: 20_000,
    tokens_taken_back: 5_000,
    memberships_changed: 1,
  });
  expect(await shop.standing(id)).toMatchObject({
    balance: 15_000,
    membership: { status: 'active' },
    addsUp: true,
  });
  const second = await reconcile([]);
  expect(second.stdout).toBe(
    'checked 1 invoices, 2 sessions, 1 refunds, 0 disputes, 1 subscriptions\n' +
      'granted 0 tokens, took back 0, changed 0 memberships\n',
  );
});

test('tta accounts member --end ends the subscription too, and does nothing without Stripe’s settings', async () => {
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  await shop.deliverNew();
  const end = ['accounts', 'member', id, '--end'];
  const refused = await tta(end, {});
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain(subscription.id);
  expect(refused.stderr).toContain('STRIPE_SECRET_KEY');
  expect((await shop.account(id)).membership?.status).toBe('active');
  const ended = await tta(end);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(shop.books.subscriptions.get(subscription.id)!.status).toBe('canceled');
  await shop.deliverNew();
  expect((await shop.account(id)).membership).toBeNull();
  // A former customer may have more at Stripe than the ledger records.
  expect((await tta(end, {})).stderr).toMatch(/cus_\w+ at Stripe/);
});

test('tta portal reconcile reports on one line why it cannot run', async () => {
  const day = await reconcile(['--since', 'yesterday']);
  expect(day).toMatchObject({ code: 2, stdout: '' });
  expect(day.stderr).toBe('tta: --since: "yesterday" is not a date such as 2026-11-01\n');
  const none = await reconcile([], {});
  expect(none.stderr).toBe('tta: settings: STRIPE_SECRET_KEY: is required\n');
  const part = await reconcile([], { STRIPE_SECRET_KEY: 'sk_test_1' });
  expect(part.stderr).toMatch(
    /STRIPE_WEBHOOK_SECRET: is required.*STRIPE_MEMBERSHIP_PRICE: is required/,
  );
  const wrongKey = await reconcile([], { ...settings(), STRIPE_SECRET_KEY: 'sk_test_other' });
  expect(wrongKey.stderr).toBe('tta: Stripe: Invalid API Key provided\n');
});

const settingsOf = (ledger: string, env: Record<string, string>) =>
  portalSettings(readSettings(portalSchema, { ledger, port: '0' }, env), '1');

test('a portal with a wrong membership price does not start, but one starts while Stripe is down', async () => {
  const start = (env: Record<string, string>) => {
    const set = settingsOf(address, { ...settings(), ...env });
    return servePortal(set, shop.ledger);
  };
  shop.books.addPrice('price_dear', 2_000);
  await expect(start({ STRIPE_MEMBERSHIP_PRICE: 'price_dear' })).rejects.toThrow(
    'STRIPE_MEMBERSHIP_PRICE: price "price_dear" must be 10 USD a month',
  );
  await expect(start({ STRIPE_MEMBERSHIP_PRICE: 'price_none' })).rejects.toThrow(
    'STRIPE_MEMBERSHIP_PRICE: Stripe has no price "price_none"',
  );
  shop.books.addPrice('price_archived', 1_000).active = false;
  await expect(start({ STRIPE_MEMBERSHIP_PRICE: 'price_archived' })).rejects.toThrow(
    'STRIPE_MEMBERSHIP_PRICE: price "price_archived" is archived at Stripe; activate it',
  );
  shop.books.addPrice('price_euro', 1_000, 'eur');
  for (const [old, fault] of [
    ['price_none', 'Stripe has no price "price_none"'],
    ['price_euro', 'price "price_euro" must be in USD, billed every month'],
  ]) {
    const prices = `${MEMBERSHIP_PRICE},price_dear,${old}`;
    await expect(start({ STRIPE_MEMBERSHIP_PRICE: prices })).rejects.toThrow(fault);
  }
  for (const prices of ['prod_1', 'price_1,prod_1', ',']) {
    expect(() => start({ STRIPE_MEMBERSHIP_PRICE: prices })).toThrow('must be a price id');
  }
  // A portal that does not start leaves nothing running. This one has a ledger of its own, since
  // the shop's portal settles the events that it finds.
  const own = newAddress();
  const ledger = await ofThisTest(openLedger(own, { rateLimitPerMinute: 1 }));
  const event = { id: 'evt_kept', type: 'invoice.paid', object: 'in_kept' };
  await ledger.storeEvent({ ...event, receivedAtMs: shop.now() });
  const set = settingsOf(own, settings());
  const failing = servePortal(set, ledger, () => {
    throw new Error('no such route');
  });
  await expect(failing).rejects.toThrow('no such route');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(shop.standIn.requests).not.toContain('GET /v1/invoices/in_kept');
  shop.standIn.fault = 'error';
  const serving = await ofThisTest(start({}));
  expect((await fetch(`${serving.address}/health`)).status).toBe(200);
});
