import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ownMailDomain, SignupGrants } from '../../portal/sign-in/signup-grants.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { openPortal } from '../support/portal-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';

const LIMITS = { perDay: 500, perNetwork: 10, perDomain: 20 };
const DAY_MS = 24 * 60 * 60 * 1000;

const newAddress = newSqliteLedgers();
let address: string;
beforeEach(() => {
  address = newAddress();
});
let [people, portals] = [0, 0];

/**
 * Opens a portal with the given limits on the ledger of the test; no network or domain
 * occurs twice.
 */
async function portalWith(limits: Partial<typeof LIMITS & { openDomains: string[] }> | undefined) {
  const ledger = await ofThisTest(openLedger(address, { rateLimitPerMinute: 1_000_000 }));
  const config = { signupGrants: limits && { ...LIMITS, ...limits } };
  const portal = await ofThisTest(openPortal({ ledger, config }));
  const number = ++portals;
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

test('one network gets a hundred grants at once by default; further ones are delayed, with the reason and the time', async () => {
  const portal = await portalWith(undefined);
  const balances: number[] = [];
  for (let i = 0; i < 102; i++) {
    const from = portal.ip.replace(/9$/, String(100 + i));
    balances.push((await portal.signIn(someone(), from)).tokens_remaining);
  }
  expect(balances.filter((tokens) => tokens > 0)).toEqual(Array(100).fill(5_000));
  const visitor = portal.visitor({ address: portal.ip });
  const signedIn = (await visitor.signIn(someone())).json();
  expect(signedIn).toMatchObject({ email: expect.any(String), tokens_remaining: 0 });
  const { reason, until, detail } = signedIn.grant_withheld;
  expect(reason).toBe('network');
  expect(detail).toMatch(/network.*nothing you need to do/);
  // A hundredth of a day for each of the three that wait.
  const waitMs = Date.parse(until) - portal.now();
  expect(waitMs).toBeGreaterThan(0.029 * DAY_MS);
  expect(waitMs).toBeLessThanOrEqual(0.03 * DAY_MS);
  expect((await visitor.get('/account')).json()).toEqual(signedIn);
  // An account without a grant is one like any other.
  expect((await visitor.change('POST', '/keys', { label: 'mine' })).statusCode).toBe(201);
  expect([portal.outcome('given'), portal.outcome('network')]).toEqual([100, 3]);
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

test('addresses of a domain that an operator names are limited by network only, those of its subdomains too', async () => {
  const name = `uni${++people}.example.org`;
  const portal = await portalWith({ perDomain: 1, perNetwork: 6, openDomains: [name] });
  for (const at of [name, name, `a.${name}`, `b.${name}`]) {
    expect(await portal.signIn(`x${++people}@${at}`)).toMatchObject(GIVEN);
  }
  expect(await portal.signIn(`x@other${name}`)).toMatchObject(GIVEN);
  expect(await portal.signIn(`y@other${name}`)).toMatchObject(withheld('domain'));
  expect(await portal.signIn(`x${++people}@${name}`)).toMatchObject(GIVEN);
  expect(await portal.signIn(`x${++people}@${name}`)).toMatchObject(withheld('network'));
});

test('where tags are significant a tagged address is an account with a grant of its own; elsewhere it is the mailbox’s account', async () => {
  const portal = await portalWith({ perNetwork: 1_000 });
  const name = `ada.${++people}`;
  for (const tagged of [`${name}@comcast.net`, `${name}+x@comcast.net`, `${name}+y@uni.edu`]) {
    expect(await portal.signIn(tagged)).toMatchObject({ email: tagged, ...GIVEN });
  }
  expect(await portal.signIn(`${name}@gmail.com`)).toMatchObject(GIVEN);
  // Another spelling of the mailbox leads to the same account, as always.
  const written = `${name.replace('.', '')}+shop@googlemail.com`;
  expect(await portal.signIn(written)).toMatchObject({ email: `${name}@gmail.com`, ...GIVEN });
  expect(portal.outcome('given')).toBe(4);
});

test('one person with many tags takes ten grants a day, and no places of others', async () => {
  const portal = await portalWith({ perNetwork: 1_000, perDomain: 15 });
  const given: number[] = [];
  for (let i = 0; i < 14; i++) {
    given.push((await portal.signIn(`jane+${i}@${portal.domain}`)).tokens_remaining);
  }
  expect(given.filter((tokens) => tokens > 0)).toHaveLength(10);
  for (const name of ['ada', 'bob', 'cyd', 'dora', 'eve']) {
    expect(await portal.signIn(`${name}@${portal.domain}`)).toMatchObject(GIVEN);
  }
});

test('a grant that several requests credit at once takes one of the day', async () => {
  const portal = await portalWith({ perDay: 10_000, perNetwork: 1 });
  const people = Array.from({ length: 2 }, someone);
  for (const email of people) await portal.signIn(email);
  portal.clock.aheadMs += DAY_MS;
  const account = (await portal.ledger.accountByEmail(people[1]))!;
  const left = async () => {
    const window = { limit: 10_000, windowSeconds: DAY_MS / 1000 };
    const { rate } = await portal.ledger.takeLimited('grants for all', window, portal.now());
    return rate.remaining;
  };
  const before = await left();
  const grants = portal.app.signupGrants!;
  await Promise.all(Array.from({ length: 40 }, () => grants.settle(account, portal.now())));
  // One by the grant, and one by asking how many are left.
  expect(await left()).toBe(before - 2);
});

test('a delayed grant is credited when it is due, once, without a sign-in', async () => {
  const portal = await portalWith({ perNetwork: 2 });
  const people = Array.from({ length: 5 }, someone);
  for (const email of people) await portal.signIn(email);
  const credit = () => portal.app.signupGrants!.creditDue(portal.now());
  const balances = () =>
    Promise.all(people.map(async (one) => (await portal.ledger.accountByEmail(one))!.balance));
  await credit();
  expect(await balances()).toEqual([5_000, 5_000, 0, 0, 0]);
  // Two a day: the third after half a day, in the order of their sign-ups.
  portal.clock.aheadMs += DAY_MS / 2;
  await Promise.all(Array.from({ length: 4 }, credit));
  expect(await balances()).toEqual([5_000, 5_000, 5_000, 0, 0]);
  portal.clock.aheadMs += DAY_MS;
  await Promise.all([credit(), credit()]);
  expect(await balances()).toEqual(Array(5).fill(5_000));
  expect(await portal.signIn(people[4])).toMatchObject(GIVEN);
  const { id } = (await portal.ledger.accountByEmail(people[4]))!;
  const grants = await portal.ledger.grants(id);
  expect(grants.map(({ cause, tokens }) => [cause, tokens])).toEqual([
    ['signup-withheld:network', 0],
    ['signup', 5_000],
  ]);
  expect(await portal.ledger.dueGrants(portal.now())).toEqual([]);
});

test('an owner who looks at the account when the grant is due sees it credited', async () => {
  const portal = await portalWith({ perNetwork: 1 });
  await portal.signIn(someone());
  const visitor = portal.visitor({ address: portal.ip });
  const { grant_withheld } = (await visitor.signIn(someone())).json();
  portal.clock.aheadMs += Date.parse(grant_withheld.until) - portal.now() - 60_000;
  expect((await visitor.get('/account')).json()).toMatchObject({ tokens_remaining: 0 });
  portal.clock.aheadMs += 60_000;
  const account = (await visitor.get('/account')).json();
  expect([account.tokens_remaining, account.grant_withheld]).toEqual([5_000, undefined]);
});

test('a delayed grant survives a move to another ledger, and is credited there when it is due', async () => {
  const portal = await portalWith({ perNetwork: 1 });
  await portal.signIn(someone());
  const email = someone();
  await portal.signIn(email);
  const { id } = (await portal.ledger.accountByEmail(email))!;
  const to = await ofThisTest(openLedger(newAddress(), { rateLimitPerMinute: 1 }));
  await to.importAccount((await portal.ledger.exportAccount(id))!);
  const there = await ofThisTest(openPortal({ ledger: to }));
  const { dueAtMs } = (await portal.ledger.delayedGrant(id))!;
  expect(dueAtMs).toBeGreaterThan(portal.now());
  await there.app.signupGrants!.creditDue(dueAtMs - 1);
  expect((await to.account(id))!.balance).toBe(0);
  await there.app.signupGrants!.creditDue(dueAtMs);
  expect((await to.account(id))!.balance).toBe(5_000);
});

test('a disabled account gets its delayed grant by itself once it is enabled again, not before', async () => {
  const portal = await portalWith({ perNetwork: 1 });
  const waiting = [someone(), someone()];
  for (const email of [someone(), ...waiting]) await portal.signIn(email);
  const [id, other] = await Promise.all(
    waiting.map(async (email) => (await portal.ledger.accountByEmail(email))!.id),
  );
  const balance = async (of: string) => (await portal.ledger.account(of))!.balance;
  const change = { by: 'operator', atMs: portal.now() } as const;
  await portal.ledger.setDisabled(id, true, change);
  portal.clock.aheadMs += 9 * DAY_MS;
  await portal.app.signupGrants!.creditDue(portal.now());
  // It takes no place of those behind it.
  expect([await balance(id), await balance(other)]).toEqual([0, 5_000]);
  await portal.ledger.setDisabled(id, false, change);
  portal.clock.aheadMs += DAY_MS;
  await portal.app.signupGrants!.creditDue(portal.now());
  expect(await balance(id)).toBe(5_000);
});

test('a mailbox whose account was closed before it had its grant is due it again, once', async () => {
  const portal = await portalWith({ perNetwork: 1 });
  await portal.signIn(someone());
  const [email, disabled] = [someone(), someone()];
  const visitor = portal.visitor({ address: portal.ip });
  expect((await visitor.signIn(email)).json()).toMatchObject({ tokens_remaining: 0 });
  const { id } = (await portal.ledger.accountByEmail(email))!;
  await visitor.change('DELETE', '/account');
  portal.clock.aheadMs += 3 * DAY_MS;
  await portal.app.signupGrants!.creditDue(portal.now());
  expect((await portal.ledger.account(id))!.balance).toBe(0);
  expect((await visitor.signIn(email)).json()).toMatchObject({ tokens_remaining: 5_000 });
  await visitor.change('DELETE', '/account');
  portal.clock.aheadMs += DAY_MS;
  const back = { tokens_remaining: 0, withheld: null };
  expect(await portal.signIn(email)).toMatchObject(back);
  // One that an operator has disabled stays disabled, and has no grant.
  await portal.signIn(someone());
  await portal.signIn(disabled);
  const other = (await portal.ledger.accountByEmail(disabled))!;
  const change = { by: 'operator', atMs: portal.now() } as const;
  await portal.ledger.setDisabled(other.id, true, change);
  await portal.ledger.closeAccount(other.id, change);
  portal.clock.aheadMs += 3 * DAY_MS;
  expect(await portal.signIn(disabled)).toMatchObject(back);
  expect((await portal.ledger.accountByEmail(disabled))!.disabled).toBe(true);
});

test('owners who close accounts and return take no places from others', async () => {
  const portal = await portalWith({ perNetwork: 3, perDomain: 3 });
  const email = `back@${portal.domain}`;
  for (let times = 0; times < 12; times++) {
    const visitor = portal.visitor({ address: portal.ip });
    portal.clock.aheadMs += 3 * 60 * 1000;
    await visitor.signIn(email);
    expect((await visitor.change('DELETE', '/account')).statusCode).toBe(204);
  }
  expect(await portal.signIn(`a@${portal.domain}`)).toMatchObject(GIVEN);
  expect(await portal.signIn(someone())).toMatchObject(GIVEN);
  expect(portal.outcome('former')).toBe(11);
});

test('however many sign up from one network, one of another mail domain waits for the next free place only', async () => {
  const portal = await portalWith({ perNetwork: 4, perDomain: 3 });
  const { signupGrants } = portal.app;
  const open = (email: string) => signupGrants!.openAccount(email, portal.ip, portal.now());
  // Sixty at once, of three domains: two weeks of the network's grants.
  for (let i = 0; i < 60; i++) await open(`x${++people}@flood${i % 3}-${portal.domain}`);
  portal.clock.aheadMs += 9 * DAY_MS;
  // As the portal does every ten seconds, through nine days.
  for (let hour = 9 * 24; hour >= 0; hour--) {
    await signupGrants!.creditDue(portal.now() - hour * 60 * 60 * 1000);
  }
  const honest = someone();
  expect(await portal.signIn(honest)).toMatchObject(withheld('network'));
  const { dueAtMs } = (await portal.ledger.delayedGrant(
    (await portal.ledger.accountByEmail(honest))!.id,
  ))!;
  expect(dueAtMs - portal.now()).toBeLessThan(DAY_MS);
  for (let hour = 0; hour < 24; hour++) {
    portal.clock.aheadMs += 60 * 60 * 1000;
    await signupGrants!.creditDue(portal.now());
  }
  expect((await portal.ledger.accountByEmail(honest))!.balance).toBe(5_000);
  expect((await portal.ledger.dueGrants(portal.now() + DAY_MS)).length).toBeGreaterThan(0);
});

test('however many sign up at a mail domain, one from another network waits for the next free place only', async () => {
  const portal = await portalWith({ perNetwork: 10, perDomain: 4 });
  const { signupGrants } = portal.app;
  const open = (email: string, ip: string) => signupGrants!.openAccount(email, ip, portal.now());
  for (let i = 0; i < 60; i++) await open(`x${++people}@${portal.domain}`, portal.ip);
  const honest = `honest@${portal.domain}`;
  const neighbour = `192.0.2.${portal.ip.split('.')[1]}`;
  expect(await portal.signIn(honest, neighbour)).toMatchObject(withheld('domain'));
  for (let hour = 0; hour < 25; hour++) {
    portal.clock.aheadMs += 60 * 60 * 1000;
    await signupGrants!.creditDue(portal.now());
  }
  expect((await portal.ledger.accountByEmail(honest))!.balance).toBe(5_000);
});

/** Sign-up grants on a ledger alone, by a clock that the test moves; without sign-ins. */
async function grantsWith(limits: Partial<typeof LIMITS>) {
  const ledger = await ofThisTest(openLedger(newAddress(), { rateLimitPerMinute: 1_000_000 }));
  const grants = new SignupGrants(ledger, { ...LIMITS, openDomains: [], ...limits });
  const clock = { nowMs: Date.UTC(2026, 5, 1) };
  return {
    ledger,
    grants,
    clock,
    open: (email: string, ip: string) => grants.openAccount(email, ip, clock.nowMs),
    hasGrant: async (id: string) => (await ledger.account(id))!.balance > 0,
    /** Credits what is due, as a portal does, once an hour. */
    pass: async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        clock.nowMs += DAY_MS / 24;
        await grants.creditDue(clock.nowMs);
      }
    },
  };
}

test('one who waits for the day’s grants has it before those who sign up when the next day begins', async () => {
  const { clock, grants, open, hasGrant } = await grantsWith({ perDay: 4 });
  for (let i = 0; i < 4; i++) await open(`x${i}@own${i}.com`, `10.1.${i}.1`);
  clock.nowMs += 1_000;
  const honest = await open('honest@gmail.com', '10.2.0.1');
  const { withheld } = await grants.settle(honest, clock.nowMs);
  expect(withheld).toMatchObject({ by: 'day' });
  clock.nowMs = withheld!.untilMs!;
  const rush = Array.from({ length: 20 }, (_, i) => open(`y${i}@own${i % 4}.com`, '10.1.0.1'));
  const rushed = await Promise.all(rush);
  for (let rounds = 0; rounds < 3; rounds++) await grants.creditDue(clock.nowMs);
  expect(await hasGrant(honest.id)).toBe(true);
  const given = await Promise.all(rushed.map(({ id }) => hasGrant(id)));
  expect(given.filter(Boolean)).toHaveLength(3);
});

test('one who signs up many every day, for weeks, delays others by no more than on the first day', async () => {
  const { clock, ledger, open, pass } = await grantsWith({ perDay: 6, perDomain: 3 });
  const honest: { id: string; atMs: number }[] = [];
  for (let day = 0; day < 16; day++) {
    for (let i = 0; i < 12; i++) await open(`x${day}.${i}@own${i % 2}.com`, '10.1.0.1');
    await pass(12);
    const { id } = await open(`honest${day}@gmail.com`, `10.2.${day}.1`);
    honest.push({ id, atMs: clock.nowMs });
    await pass(12);
  }
  await pass(48);
  for (const { id, atMs } of honest) {
    const given = (await ledger.grants(id)).find(({ cause }) => cause === 'signup');
    expect((given!.atMs - atMs) / DAY_MS).toBeLessThan(2);
  }
});

test('a grant that waits for its domain only, or whose account is disabled, holds up nobody else of its network', async () => {
  const { clock, ledger, open, hasGrant, pass } = await grantsWith({ perDomain: 1 });
  const change = { by: 'operator', atMs: clock.nowMs } as const;
  for (let i = 0; i < 6; i++) await open(`x${i}@own.com`, '10.1.0.1');
  const disabled = await open('one@own.com', '10.1.0.1');
  await ledger.setDisabled(disabled.id, true, change);
  for (let day = 0; day < 3; day++) {
    await pass(30);
    const other = await open(`other${day}@gmail.com`, '10.1.0.2');
    expect(await hasGrant(other.id)).toBe(true);
  }
  await pass(20 * 24);
  // The disabled one alone is left.
  const next = await open('next@own.com', '10.1.0.3');
  expect(await hasGrant(next.id)).toBe(true);
  expect(await hasGrant(disabled.id)).toBe(false);
  await ledger.setDisabled(disabled.id, false, change);
  await pass(48);
  expect(await hasGrant(disabled.id)).toBe(true);
});

test('a sign-up, a look at an account and a round read so many records, however many grants wait', async () => {
  const { clock, ledger, grants } = await grantsWith({ perNetwork: 1 });
  const [first, ...waiting] = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      grants.openAccount(`x${i}@gmail.com`, `10.1.${i % 3}.1`, clock.nowMs),
    ),
  );
  let calls = 0;
  const counted = new SignupGrants(
    new Proxy(ledger, {
      get:
        (target, name) =>
        // A method of the ledger; `name` is one of its keys.
        async (...args: never[]) => {
          calls++;
          const result: unknown = await Reflect.get(target, name).apply(target, args);
          if (Array.isArray(result)) calls += result.length;
          return result;
        },
    }),
    { ...LIMITS, perNetwork: 1, openDomains: [] },
  );
  clock.nowMs += 400 * DAY_MS;
  const costOf = async (work: Promise<unknown>) => {
    calls = 0;
    await work;
    return calls;
  };
  expect(first.id).not.toBe(waiting[0].id);
  expect(await costOf(counted.settle(waiting[200], clock.nowMs))).toBeLessThan(100);
  expect(await costOf(counted.openAccount('new@gmail.com', '10.1.0.1', clock.nowMs))).toBeLessThan(
    20,
  );
  expect(await costOf(counted.creditDue(clock.nowMs))).toBeLessThan(100);
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
  const late = someone();
  expect(await full.signIn(late)).toMatchObject(withheld('day'));
  await full.app.signupGrants!.creditDue(full.now());
  expect(await full.signIn(late)).toMatchObject(withheld('day'));
  await full.app.signupGrants!.creditDue(full.now() + DAY_MS);
  expect(await full.signIn(late)).toMatchObject(GIVEN);
});

test('a portal looks for due grants every ten seconds, also after a failure, until it is closed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [looked, failed]: [number[], unknown[]] = [[], []];
  const dueGrants = async (nowMs: number) => {
    looked.push(nowMs);
    if (looked.length === 1) throw new Error('away');
    return [];
  };
  const grants = new SignupGrants({ dueGrants } as never, { ...LIMITS, openDomains: [] });
  grants.start(
    () => 42,
    (error) => failed.push(error),
  );
  await vi.advanceTimersByTimeAsync(35_000);
  expect([looked, failed]).toEqual([[42, 42, 42], [new Error('away')]]);
  await grants.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looked).toHaveLength(3);
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
