import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { expectAccountedFor } from '../support/audited-customers.ts';
import { freePort } from '../support/free-port.ts';
import { HttpVisitor } from '../support/http-visitor.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { MEMBERSHIP_PRICE } from '../support/payment-fixture.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import {
  openStripeStandIn,
  type StripeStandIn,
} from '../support/stripe-stand-in/stripe-stand-in.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA } from '../support/tta.ts';

// Runs the real programs: a portal that is killed with SIGKILL repeatedly while customers sign up,
// create keys and pay, and a proxy that serves them throughout over the same ledger.

const KILLS = 2;
const AT_ONCE = 6;
/** Numbers of the separate random sequences of one seed. */
const [MOMENTS, DELIVERIES, PEOPLE] = [0, 1, 2];
/** Milliseconds after a kill within which a mail sent before may still arrive. */
const MAIL_MS = 2_000;
/**
 * Mails that a customer requests before giving up: fewer than the portal sends to one mailbox in a
 * quarter of an hour, since the portal may count a mail whose response was cut off.
 */
const MAX_MAILS = 4;

const county = smallCounty({ fips: '24510', seed: 5, blocks: 12, pois: 40 });
const store = smallReleaseOfTests(county);

test.each([
  ['SQLite', newSqliteLedgers()],
  ['Redis', newRedisLedgers()],
])(
  'kill −9 of the portal grants nothing twice and loses nothing paid, on %s',
  async (_, address) => {
    const seed = randomInt(2 ** 31);
    await killAmidLife(address(), seed).catch((cause) => {
      throw new Error(`the lives of seed ${seed}: ${String(cause)}`, { cause });
    });
  },
);

async function killAmidLife(ledgerAddress: string, seed: number): Promise<void> {
  const standIn = await ofThisTest(openStripeStandIn());
  const { books } = standIn;
  books.addPrice(MEMBERSHIP_PRICE, 1_000);
  books.now = Math.floor(Date.now() / 1000);
  const inbox = await ofThisTest(openInbox());
  const proxy = await ofThisTest(startProxy(ledgerAddress));
  const portal = await ofThisTest(KillablePortal.start(ledgerAddress, standIn, inbox));
  const service = { portal, proxy, standIn, inbox, seed };

  const people: Person[] = [];
  const newPerson = () => {
    const person = new Person(people.length, service);
    people.push(person);
    return person;
  };
  const random = new Random(seed, MOMENTS);
  let isOver = false;
  const live = async () => {
    while (!isOver) await newPerson().live();
  };
  const lives = Promise.all(Array.from({ length: AT_ONCE }, live));
  let isQuiet = false;
  const courier = deliver(service, () => isQuiet);
  // An error in a life or in the courier ends the test at once, not after all the kills.
  const faults = Promise.all([lives, courier]);
  faults.catch(() => {});
  for (let kill = 0; kill < KILLS; kill++) {
    const mailed = newPerson();
    const link = await mailed.mailedLink();
    const signedIn = people.findLast(({ keys }) => keys.length > 0);
    const moment = kill % 2 === 0 ? pause(random.below(300)) : whileGranting(standIn, random);
    await Promise.race([moment, faults]);
    await portal.killAndRestart();
    // Mails and sessions carry over to the next portal.
    await mailed.followLink(link);
    if (signedIn) expect((await signedIn.visitor.get('/account')).status).toBe(200);
  }
  isOver = true;
  await lives;
  isQuiet = true;
  await courier;

  const ledger = await ofThisTest(openLedger(ledgerAddress, { rateLimitPerMinute: 1 }));
  await expect.poll(() => ledger.openEvents(10)).toEqual([]);
  expect(portal.cut).toBeGreaterThan(KILLS / 2);
  expect(people.filter(({ paid }) => paid === 2).length).toBeGreaterThan(KILLS);
  const emails: (string | null)[] = [];
  for await (const { email } of ledger.allAccounts()) emails.push(email);
  const customers = people.filter(({ email, hasLeft }) => !hasLeft || emails.includes(email));
  // Only these customers have accounts, and so tokens.
  expect(emails.toSorted()).toEqual(customers.map(({ email }) => email).toSorted());
  for (const person of customers) {
    await expectAccountedFor({ ledger, books, nowMs: Date.now() }, person);
    const { id } = (await ledger.accountByEmail(person.email))!;
    const keys = (await ledger.keys(id)).map(({ prefix }) => prefix);
    expect(keys).toEqual(expect.arrayContaining(person.keys));
  }
}

function startProxy(ledger: string): Promise<ServerProcess> {
  return startServer([TTA, 'serve', '--port', '0', '--store', store, '--ledger', ledger], {
    RATE_LIMIT_PER_MINUTE: '1000000',
  });
}

/**
 * Resolves when tokens are about to be granted, or have just been, judging by the requests to
 * Stripe.
 */
async function whileGranting({ requests }: StripeStandIn, random: Random): Promise<void> {
  const asked = random.chance(0.5) ? /^GET .*\/(invoices|sessions)\/./ : /^GET .*\/disputes$/;
  for (let seen = requests.length; !requests.slice(seen).some((one) => asked.test(one)); ) {
    seen = requests.length;
    await pause(1);
  }
  await pause(random.below(6));
}

/** Delivers Stripe's events to the portal until it accepts them, some of them twice. */
async function deliver(
  { portal, standIn: { books, sign }, seed }: Service,
  isQuiet: () => boolean,
): Promise<void> {
  const random = new Random(seed, DELIVERIES);
  while (!isQuiet() || books.events.length > 0) {
    const [event] = books.events.splice(0, 1);
    if (event === undefined) await pause(5);
    for (let times = event ? 1 + random.below(2) : 0; times > 0; times--) {
      const { body, signature } = sign(event, Math.floor(Date.now() / 1000));
      const response = await portal.asked(() =>
        fetch(`${portal.address}/billing/webhook`, {
          method: 'POST',
          body,
          headers: { 'stripe-signature': signature },
        }),
      );
      expect(response.status).toBe(200);
    }
  }
}

/** `tta portal` on a fixed port. */
class KillablePortal {
  readonly #start: () => Promise<ServerProcess>;
  #server: ServerProcess;
  /** Number of requests that were cut off. */
  cut = 0;
  kills = 0;

  private constructor(start: () => Promise<ServerProcess>, server: ServerProcess) {
    this.#start = start;
    this.#server = server;
  }

  static async start(ledger: string, standIn: StripeStandIn, inbox: Inbox) {
    const settings = {
      LEDGER: ledger,
      PORTAL_PORT: String(await freePort()),
      TRUST_PROXY: 'loopback',
      FREE_RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'fatal',
      SIGNUP_GRANTS_PER_DAY: '1000000',
      SIGNUP_GRANTS_PER_DOMAIN: '1000000',
      SMTP_URL: inbox.address,
      MAIL_FROM: 'no-reply@example.org',
      STRIPE_SECRET_KEY: standIn.secretKey,
      STRIPE_API_URL: standIn.address,
      STRIPE_WEBHOOK_SECRET: standIn.webhookSecret,
      STRIPE_MEMBERSHIP_PRICE: MEMBERSHIP_PRICE,
    };
    const start = () => startServer([TTA, 'portal'], settings);
    return new KillablePortal(start, await start());
  }

  get address(): string {
    return this.#server.address;
  }

  async killAndRestart(): Promise<void> {
    this.kills++;
    this.#server.child.kill('SIGKILL');
    await once(this.#server.child, 'exit');
    this.#server = await this.#start();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  /** Retries a request until a complete response arrives, and returns the response. */
  async asked(ask: () => Promise<Response>): Promise<Response> {
    for (;;) {
      try {
        const response = await ask();
        return new Response(await response.text(), response);
      } catch {
        this.cut++;
        await pause(20);
      }
    }
  }
}

interface Service {
  readonly portal: KillablePortal;
  readonly proxy: ServerProcess;
  readonly standIn: StripeStandIn;
  readonly inbox: Inbox;
  readonly seed: number;
}

/** A customer who uses the whole service, and retries requests without a response. */
class Person {
  readonly email: string;
  readonly visitor: HttpVisitor;
  readonly keys: string[] = [];
  used = 0;
  requests = 0;
  paid = 0;
  /** Whether too many of the mails were lost. */
  hasLeft = false;
  readonly #service: Service;
  readonly #random: Random;
  /** Number of mails received; `#requested` is the number of mails requested. */
  #mails = 0;
  #requested = 0;

  constructor(number: number, service: Service) {
    this.email = `person${number}@example.org`;
    const address = `10.${1 + (number >> 8)}.${number & 255}.1`;
    this.visitor = new HttpVisitor(service.portal.address, { 'x-forwarded-for': address });
    this.#service = service;
    this.#random = new Random(service.seed, PEOPLE, number);
  }

  async live(): Promise<void> {
    await this.#signIn();
    if (this.hasLeft) return;
    const key = await this.#newKey();
    for (let asks = 0; asks < 3; asks++) await this.#ask(key);
    await this.#buy('/billing/subscribe', {});
    await this.#buy('/billing/packs', { pack_id: 'pack_10k' });
  }

  /**
   * Signs in with the code of the newest mail; a code already used by an interrupted sign-in is
   * refused.
   */
  async #signIn(): Promise<void> {
    for (;;) {
      const mail = await this.#mail();
      if (mail === null) return;
      const code = /^ *(\d{6})$/m.exec(mail)![1];
      const response = await this.#post('/auth/verify-code', { email: this.email, code });
      if (response.status === 200) return;
      expect(((await response.json()) as { type: string }).type).toMatch(/\/invalid-code$/);
    }
  }

  async mailedLink(): Promise<string> {
    return /token=([\w-]+)/.exec((await this.#mail())!)![1];
  }

  async followLink(token: string): Promise<void> {
    const looked = await this.visitor.get(`/auth/verify?token=${token}`);
    expect([looked.status, await looked.text()]).toEqual([
      200,
      expect.stringContaining(this.email),
    ]);
    expect((await this.visitor.post('/auth/verify', { token })).status).toBe(200);
    const again = await this.visitor.post('/auth/verify', { token });
    expect(await again.json()).toMatchObject({ detail: expect.stringContaining('has been used') });
  }

  /**
   * Requests a mail, and returns its text. Only a mail that was lost with the portal is requested
   * again, not one that is merely late: a second request would replace its link. After too many
   * requests, the customer leaves, and the result is null.
   */
  async #mail(): Promise<string | null> {
    const { inbox, portal } = this.#service;
    while (this.#requested < MAX_MAILS) {
      this.#requested++;
      const { kills } = portal;
      expect((await this.#post('/auth/request', { email: this.email })).status).toBe(202);
      for (let isLost = false; !isLost; ) {
        isLost = portal.kills > kills;
        const mail = await inbox.next(this.email, this.#mails, MAIL_MS).catch(() => null);
        if (mail === null) continue;
        this.#mails++;
        return mail.text!;
      }
    }
    this.hasLeft = true;
    return null;
  }

  async #newKey(): Promise<string> {
    const response = await this.#post('/keys', { label: 'mine' });
    expect(response.status).toBe(201);
    const made = (await response.json()) as { key: string; prefix: string };
    this.keys.push(made.prefix);
    return made.key;
  }

  /** Calls the API: one row costs one token. */
  async #ask(key: string): Promise<void> {
    const { proxy } = this.#service;
    const { geoid } = this.#random.pick(county.blocks);
    const response = await fetch(`${proxy.address}/v1/blocks/${geoid}/summary?mode=walk`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    const { results } = (await response.json()) as { results: readonly unknown[] };
    this.used += Math.max(1, results.length);
    this.requests++;
  }

  /** Starts a checkout, and pays it. */
  async #buy(route: string, what: object): Promise<void> {
    const response = await this.#post(route, what);
    expect(response.status).toBe(200);
    const { checkout_url } = (await response.json()) as { checkout_url: string };
    const { books } = this.#service.standIn;
    books.pay(books.sessions.get(path.basename(new URL(checkout_url).pathname))!);
    this.paid++;
  }

  #post(route: string, body: object): Promise<Response> {
    return this.#service.portal.asked(() => this.visitor.post(route, body));
  }
}
