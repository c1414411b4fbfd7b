import type { FastifyInstance } from 'fastify';
import type { Random } from '../../infra/demo/seeded-random.ts';
import { buildProxy } from '../../proxy/app.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { ReleaseSource } from '../../shards/release/release-source.ts';
import { openStore } from '../../shards/store/open-store.ts';
import type { Store } from '../../shards/store/store.ts';
import { PaymentFixture } from '../support/payment-fixture.ts';
import { openPortal, type PortalHarness, type Visitor } from '../support/portal-harness.ts';
import type { StripeEvent } from '../support/stripe-stand-in/objects.ts';

/** A resident of the town, and a record of their own actions. */
export interface Citizen {
  readonly email: string;
  readonly address: string;
  cookie: string | undefined;
  key: string | undefined;
  /** Tokens charged by the received responses; `requests` is the number of these responses. */
  used: number;
  requests: number;
}

/** A portal and a proxy over one ledger, each with its own connection, and their users. */
export class Town {
  readonly citizens: Citizen[] = [];
  readonly random: Random;
  readonly shop: PaymentFixture;
  /** Events that Stripe has not delivered yet. */
  readonly responseWriter: StripeEvent[] = [];
  readonly #ledger: string;
  readonly #store: Store;
  readonly #releases: ReleaseSource;
  #portal!: PortalHarness;
  #proxy!: { readonly app: FastifyInstance; readonly ledger: Ledger };
  restarts = 0;
  lost = 0;

  private constructor(shop: PaymentFixture, ledger: string, store: Store, random: Random) {
    this.shop = shop;
    this.#ledger = ledger;
    this.#store = store;
    this.#releases = new ReleaseSource(store, new ReleaseCache(1 << 28));
    this.random = random;
  }

  static async open(ledger: string, store: string, random: Random): Promise<Town> {
    const shop = await PaymentFixture.open(ledger);
    shop.books.now = Math.floor(Date.now() / 1000);
    const town = new Town(shop, ledger, await openStore(store), random);
    await town.#releases.refresh();
    await town.#openPortal();
    await town.#openProxy();
    return town;
  }

  async close(): Promise<void> {
    await this.#portal.close();
    await this.#closeProxy();
    await this.shop.close();
    await this.#store.close();
  }

  /** URLs of requests about blocks of the release. */
  async urls(): Promise<string[]> {
    const { manifest } = this.#releases.current;
    const { geoids } = await this.#releases.current.index(Object.values(manifest.counties)[0]);
    return Array.from(geoids.subarray(0, 50), (number) => {
      return `/v1/blocks/${geoidFromNumber(number)}/summary?mode=walk`;
    });
  }

  async #openPortal(): Promise<void> {
    const { ledger, payment } = this.shop;
    this.#portal = await openPortal({ ledger, payment: () => payment });
  }

  async restartPortal(): Promise<void> {
    this.restarts++;
    await this.#portal.close();
    await this.shop.restart();
    await this.#openPortal();
  }

  async #openProxy(): Promise<void> {
    const ledger = await openLedger(this.#ledger, { rateLimitPerMinute: 1_000_000 });
    const config = {
      freeRateLimitPerMinute: 1_000_000,
      logLevel: 'silent',
      // The portal and the test share its event loop, and delay it.
      shedAtLagMs: 0,
    } as const;
    this.#proxy = { app: await buildProxy({ releases: this.#releases, ledger, config }), ledger };
  }

  async #closeProxy(): Promise<void> {
    await this.#proxy.app.close();
    await this.#proxy.ledger.close();
  }

  async restartProxy(): Promise<void> {
    this.restarts++;
    await this.#closeProxy();
    await this.#openProxy();
  }

  /** Signs a new customer up, with a key. */
  async settle(): Promise<void> {
    const number = this.citizens.length + 1;
    const email = `citizen${number}@example.org`;
    const address = `10.0.${number >> 8}.${number & 255}`;
    const citizen = { email, address, cookie: undefined, key: undefined, used: 0, requests: 0 };
    this.citizens.push(citizen);
    await this.#newKey(citizen);
  }

  async #newKey(citizen: Citizen): Promise<void> {
    const made = await (await this.#at(citizen)).change('POST', '/keys', { label: 'town' });
    citizen.key = made.json().key;
  }

  /** Returns a customer's visitor at the portal, signed in again if the session has ended. */
  async #at(citizen: Citizen): Promise<Visitor> {
    const { clock } = this.#portal;
    clock.aheadMs = this.shop.now() - Date.now();
    const visitor = this.#portal.visitor({ address: citizen.address });
    visitor.cookie = citizen.cookie;
    if ((await visitor.get('/account')).statusCode !== 200) await visitor.signIn(citizen.email);
    citizen.cookie = visitor.cookie;
    return visitor;
  }

  /** Calls the API, and records the charge of a successful response. */
  async call(citizen: Citizen, url: string): Promise<void> {
    const headers = { authorization: `Bearer ${citizen.key}` };
    const response = await this.#proxy.app.inject({ url, headers }).catch(() => null);
    if (response?.statusCode !== 200) return;
    citizen.used += Number(response.headers['x-tokens-charged']);
    citizen.requests++;
  }

  /** Subscribes and pays; does nothing if there is a membership. */
  async subscribe(citizen: Citizen): Promise<void> {
    const response = await (await this.#at(citizen)).change('POST', '/billing/subscribe');
    if (response.statusCode !== 200) return;
    const session = this.shop.sessionAt(response.json().checkout_url);
    this.shop.books.withoutMoney.delete(session.customer);
    this.shop.books.pay(session);
  }

  async buyPack(citizen: Citizen): Promise<void> {
    const visitor = await this.#at(citizen);
    const response = await visitor.change('POST', '/billing/packs', { pack_id: 'pack_10k' });
    this.shop.books.pay(this.shop.sessionAt(response.json().checkout_url));
  }

  async changeKey(citizen: Citizen): Promise<void> {
    const visitor = await this.#at(citizen);
    const { keys } = (await visitor.get('/keys')).json();
    const active = keys.find(({ revoked_at }: { revoked_at: string | null }) => !revoked_at);
    if (active) await visitor.change('DELETE', `/keys/${active.id}`);
    await this.#newKey(citizen);
  }

  /**
   * Delivers Stripe's events in random order, losing some on the way and keeping others to be sent
   * again.
   */
  async post(): Promise<void> {
    this.responseWriter.push(...this.shop.books.events.splice(0));
    for (const event of this.random.shuffle(this.responseWriter.splice(0))) {
      if (this.random.chance(0.05)) {
        this.lost++;
        continue;
      }
      const { body, signature } = this.shop.standIn.sign(event);
      const response = await this.#portal.app.inject({
        method: 'POST',
        url: '/billing/webhook',
        payload: body,
        headers: { 'stripe-signature': signature },
      });
      if (response.statusCode !== 200 || this.random.chance(0.1)) this.responseWriter.push(event);
    }
  }
}
