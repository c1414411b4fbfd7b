import { beforeAll, describe, expect, test } from 'vitest';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { ownMailDomain } from '../../portal/sign-in/signup-grants.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { ofThisTest } from '../support/of-tests.ts';
import { openPortal } from '../support/portal-harness.ts';

const LIMITS = { perDay: 500, perNetwork: 10, perDomain: 20 };
const DAY_MS = 24 * 60 * 60 * 1000;

describe.each([
  ['SQLite', newSqliteLedgers()],
  ['Redis', newRedisLedgers()],
])('sign-up grants on %s', (_, newAddress) => {
  let address: string;
  beforeAll(() => {
    address = newAddress();
  });
  let people = 0;

  /**
   * Opens a portal with the given limits on a ledger that is already in use; no network or domain
   * occurs twice.
   */
  async function portalWith(limits: Partial<typeof LIMITS> | undefined) {
    const ledger = await ofThisTest(openLedger(address, { rateLimitPerMinute: 1_000_000 }));
    const config = { signupGrants: limits && { ...LIMITS, ...limits } };
    const portal = await ofThisTest(openPortal({ ledger, config }));
    const number = ++people;
    return Object.assign(portal, {
      ip: `10.${number}.0.9`,
      now: () => Date.now() + portal.clock.aheadMs,
      domain: `company${number}.example`,
      /** Signs in from an address; returns the account as the response shows it. */
      signIn: async (email: string, from = `10.${number}.0.9`) => {
        const response = await portal.visitor({ address: from }).signIn(email);
        expect(response.statusCode).toBe(200);
        const { email: of, tokens_remaining, grant_withheld } = response.json();
        return { email: of, tokens_remaining, withheld: grant_withheld?.reason ?? null };
      },
      outcome: (name: string) => portal.app.signupGrants!.outcomes.get(name as 'given'),
    });
  }
  const GIVEN = { tokens_remaining: 5_000, withheld: null };
  const withheld = (reason: string) => ({ tokens_remaining: 0, withheld: reason });
  /** Returns an unused address at a public mail host. */
  const someone = () => `someone.${++people}@comcast.net`;

  test('one IP address gets ten grants a day by default; further accounts are opened with an explanation', async () => {
    const portal = await portalWith(undefined);
    const balances: number[] = [];
    for (let i = 0; i < 29; i++) balances.push((await portal.signIn(someone())).tokens_remaining);
    expect(balances.filter((tokens) => tokens > 0)).toEqual(Array(10).fill(5_000));
    const visitor = portal.visitor({ address: portal.ip });
    const signedIn = (await visitor.signIn(someone())).json();
    expect(signedIn).toMatchObject({ email: expect.any(String), tokens_remaining: 0 });
    expect(signedIn.grant_withheld.reason).toBe('network');
    expect(signedIn.grant_withheld.detail).toMatch(/network.*Sign in again tomorrow/);
    expect((await visitor.get('/account')).json()).toEqual(signedIn);
    // An account without a grant is one like any other.
    expect((await visitor.change('POST', '/keys', { label: 'mine' })).statusCode).toBe(201);
    expect([portal.outcome('given'), portal.outcome('network')]).toEqual([10, 20]);
  });

  test('a /24 of IPv4 and a /48 of IPv6 are one network each, separate from their neighbours', async () => {
    const portal = await portalWith({ perNetwork: 2 });
    const site = `2001:db8:${portal.ip.split('.')[1]}`;
    const net = portal.ip.replace(/\.0\.9$/, '');
    for (const [same, neighbour] of [
      [[`${net}.7.1`, `${net}.7.200`, `::ffff:${net}.7.3`], `${net}.8.1`],
      [[`${site}:1::1`, `${site}:ffff::2`, `${site}:0:9::3`], `2001:db9:${site.split(':')[2]}::1`],
    ] as const) {
      for (const from of same.slice(0, 2)) {
        expect(await portal.signIn(someone(), from)).toMatchObject(GIVEN);
      }
      expect(await portal.signIn(someone(), same[2])).toMatchObject(withheld('network'));
      expect(await portal.signIn(someone(), neighbour)).toMatchObject(GIVEN);
    }
  });

  test('a private domain has a daily limit across its subdomains; a public mail host has none', async () => {
    const portal = await portalWith({ perNetwork: 1_000, perDomain: 3 });
    const { domain } = portal;
    for (const at of [domain, `a.${domain}`, `b.c.${domain}`]) {
      expect(await portal.signIn(`x${++people}@${at}`)).toMatchObject(GIVEN);
    }
    expect(await portal.signIn(`x@d.${domain}`)).toMatchObject(withheld('domain'));
    expect(await portal.signIn(`x@other-${domain}`)).toMatchObject(GIVEN);
    for (let i = 0; i < 8; i++) expect(await portal.signIn(someone())).toMatchObject(GIVEN);
  });

  test('a mailbox has one grant, under its plain address; an address with a plus is an account without a grant', async () => {
    const portal = await portalWith({ perNetwork: 1_000 });
    const name = `ada.${++people}`;
    const tagged = `${name}+shop@comcast.net`;
    for (let again = 0; again < 2; again++) {
      expect(await portal.signIn(tagged)).toMatchObject({ email: tagged, ...withheld('mailbox') });
    }
    expect(await portal.signIn(`${name}@comcast.net`)).toMatchObject(GIVEN);
    expect(await portal.signIn(`${name}@gmail.com`)).toMatchObject(GIVEN);
    // Another spelling of the mailbox leads to the same account, as always.
    const written = `${name.replace('.', '')}+shop@googlemail.com`;
    expect(await portal.signIn(written)).toMatchObject({ email: `${name}@gmail.com`, ...GIVEN });
    expect(await portal.signIn(`+${name}@comcast.net`)).toMatchObject(GIVEN);
  });

  test('a withheld grant is paid once, when its owner signs in and the limit allows it', async () => {
    const portal = await portalWith({ perNetwork: 1 });
    await portal.signIn(someone());
    const email = someone();
    expect(await portal.signIn(email)).toMatchObject(withheld('network'));
    expect(await portal.signIn(email)).toMatchObject(withheld('network'));
    portal.clock.aheadMs += DAY_MS;
    const open = () => portal.app.signupGrants!.openAccount(email, portal.ip, portal.now());
    const accounts = await Promise.all(Array.from({ length: 4 }, open));
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
    expect(await portal.signIn(email)).toMatchObject(GIVEN);
    const { id, balance } = (await portal.ledger.accountByEmail(email))!;
    const grants = await portal.ledger.grants(id);
    expect(grants.map(({ cause, tokens }) => [cause, tokens])).toEqual([
      ['signup-withheld:network', 0],
      ['signup', 5_000],
    ]);
    expect(balance).toBe(5_000);
  });

  test('racing first sign-ins of one mailbox give one grant, and no more', async () => {
    const portal = await portalWith({});
    const email = someone();
    const { signupGrants } = portal.app;
    const open = () => signupGrants!.openAccount(email, portal.ip, portal.now());
    const accounts = await Promise.all(Array.from({ length: 6 }, open));
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
    const { id, balance } = (await portal.ledger.accountByEmail(email))!;
    expect(balance).toBe(5_000);
    const causes = (await portal.ledger.grants(id)).map(({ cause }) => cause);
    expect(causes.filter((cause) => cause === 'signup')).toHaveLength(1);
  });

  test('an owner who closes an account and returns gets no second grant', async () => {
    const portal = await portalWith({ perNetwork: 1 });
    const email = someone();
    const visitor = portal.visitor({ address: portal.ip });
    expect((await visitor.signIn(email)).json().tokens_remaining).toBe(5_000);
    await visitor.change('DELETE', '/account');
    const NONE = { tokens_remaining: 0, withheld: null };
    expect(await portal.signIn(email)).toMatchObject(NONE);
    portal.clock.aheadMs += DAY_MS;
    expect(await portal.signIn(email)).toMatchObject(NONE);
    expect(portal.outcome('former')).toBe(1);
  });

  test('operators limit the grants of a day, and turn them off; their own gifts do not count', async () => {
    const off = await portalWith({ perDay: 0 });
    const email = someone();
    expect(await off.signIn(email)).toMatchObject(withheld('off'));
    const { id } = (await off.ledger.accountByEmail(email))!;
    await off.ledger.grant(id, { tokens: 70, cause: 'cli:1', atMs: 1 }, 'operator');
    expect(await off.signIn(email)).toMatchObject({ withheld: 'off', tokens_remaining: 70 });
    const on = await portalWith({ perDay: 1_000 });
    expect(await on.signIn(email)).toMatchObject({ withheld: null, tokens_remaining: 5_070 });
    // All grants of this ledger count towards the daily limit.
    const full = await portalWith({ perDay: 1 });
    expect(await full.signIn(someone())).toMatchObject(withheld('day'));
  });
});

test.each([
  ['ada@gmail.com', null],
  ['ada@GoogleMail.com', null],
  ['ada@me.com', null],
  ['ada@yahoo.co.uk', null],
  ['ada@comcast.net', null],
  ['ada@ｇｍａｉｌ.com', null],
  ['ada@evil.example', 'evil.example'],
  ['ada@a.b.evil.co.uk', 'evil.co.uk'],
  ['ada@gmail.com.evil.com', 'evil.com'],
  // At this provider, every name below its domain is a mailbox of one customer.
  ['ada@customer.fastmail.com', 'fastmail.com'],
  // This provider gives subdomains to any applicant.
  ['ada@x.duckdns.org', 'duckdns.org'],
  ['ada@bücher.de', 'xn--bcher-kva.de'],
  ['ada@co.uk', 'co.uk'],
])('the mailboxes of %s are counted under %s', (email, domain) => {
  expect(ownMailDomain(email)).toBe(domain);
});
