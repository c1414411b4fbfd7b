import { randomUUID } from 'node:crypto';
import type { BillingContext, MembershipPrices } from '../../portal/payment/billing-context.ts';
import { type OpenPayment, openPayment } from '../../portal/payment/open-payment.ts';
import { reconcile } from '../../portal/payment/reconcile.ts';
import { stripeClient } from '../../portal/payment/stripe-client.ts';
import type { Account, AccountId } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import type { PackId } from '../../proxy/plans.ts';
import { totalsOf } from './account-totals.ts';
import type { Session, StripeEvent, Subscription } from './stripe-stand-in/objects.ts';
import type { StripeBooks } from './stripe-stand-in/stripe-books.ts';
import { openStripeStandIn, type StripeStandIn } from './stripe-stand-in/stripe-stand-in.ts';

export const MEMBERSHIP_PRICE = 'price_membership';
export const DAY = 86_400;

/** Time limits of the portal for Stripe. */
interface Limits {
  /** Limit on waiting for the response to a request. */
  readonly timeoutMs: number;
  /** Limit on all requests of an event. */
  readonly settleWithinMs: number;
}
/** Limits within which a stand-in that responds does so, however busy the machine is. */
export const LONG_LIMITS: Limits = { timeoutMs: 60_000, settleWithinMs: 120_000 };
/** Limits for tests in which Stripe does not respond. */
export const SHORT_LIMITS: Limits = { timeoutMs: 1_500, settleWithinMs: 6_000 };

/** A ledger, a Stripe account, and the payment code between them: all on the stand-in's clock. */
export class PaymentFixture {
  readonly standIn: StripeStandIn;
  readonly #address: string;
  /** Errors that occurred while events were handled. */
  readonly errors: unknown[] = [];
  /** Prices of memberships; a change takes effect when `restart` or `limit` opens payment again. */
  membershipPrices: MembershipPrices = [MEMBERSHIP_PRICE];
  ledger!: Ledger;
  payment!: OpenPayment;

  private constructor(standIn: StripeStandIn, address: string) {
    this.standIn = standIn;
    this.#address = address;
  }

  static async open(ledgerAddress: string): Promise<PaymentFixture> {
    const standIn = await openStripeStandIn();
    standIn.books.addPrice(MEMBERSHIP_PRICE, 1_000);
    const shop = new PaymentFixture(standIn, ledgerAddress);
    await shop.#openPortal();
    return shop;
  }

  get books(): StripeBooks {
    return this.standIn.books;
  }

  async #openPortal(): Promise<void> {
    this.ledger = await openLedger(this.#address, { rateLimitPerMinute: 1_000_000 });
    this.payment = this.paymentFor(this.ledger);
  }

  paymentFor(ledger: Ledger, { timeoutMs, settleWithinMs } = LONG_LIMITS): OpenPayment {
    const { address: apiUrl, secretKey, webhookSecret } = this.standIn;
    const access = { apiUrl, secretKey, timeoutMs };
    const payment = openPayment({
      settings: { ...access, webhookSecret, membershipPrices: this.membershipPrices },
      ledger,
      accountUrl: 'https://account.example.org',
      now: this.now,
      settleWithinMs,
    });
    payment.start((error) => this.errors.push(error));
    return payment;
  }

  /** Sets other time limits for Stripe, until `restart`. */
  async limit(limits: Limits): Promise<void> {
    await this.payment.close();
    this.payment = this.paymentFor(this.ledger, limits);
  }

  readonly now = () => this.books.now * 1000;

  /** Closes the portal and opens it again, as if its process exited and another started. */
  async restart(): Promise<void> {
    await this.#closePortal();
    await this.#openPortal();
  }

  async #closePortal(): Promise<void> {
    await this.payment.close();
    await this.ledger.close();
  }

  async close(): Promise<void> {
    await this.#closePortal();
    await this.standIn.close();
  }

  /** Opens an account without tokens. */
  async newAccount(email = `${randomUUID()}@example.org`): Promise<AccountId> {
    const order = { email, grant: null, by: 'owner', atMs: this.now() } as const;
    return (await this.ledger.openAccount(order)).account.id;
  }

  async account(id: AccountId): Promise<Account> {
    return (await this.ledger.account(id))!;
  }

  /** Subscribes an account and pays, as its owner would. */
  async subscribe(id: AccountId): Promise<Subscription> {
    const session = this.sessionAt(await this.payment.subscribe(await this.account(id)));
    this.books.pay(session);
    return this.books.subscriptions.get(session.subscription!)!;
  }

  async buyPack(id: AccountId, pack: PackId, by: 'card' | 'bank' = 'card'): Promise<Session> {
    const session = this.sessionAt(await this.payment.buyPack(await this.account(id), pack));
    this.books.pay(session, by);
    return session;
  }

  /** The checkout session at an address. */
  sessionAt(checkoutUrl: string): Session {
    return this.books.sessions.get(new URL(checkoutUrl).pathname.slice(1))!;
  }

  /** Delivers events in this order, each with a fresh signature. */
  async deliver(events: readonly StripeEvent[]): Promise<void> {
    for (const event of events) {
      const { body, signature } = this.standIn.sign(event);
      await this.payment.receive(body, signature);
    }
    await this.payment.settleOpenEvents();
  }

  /** Delivers all undelivered events. */
  async deliverNew(): Promise<void> {
    await this.deliver(this.books.events.splice(0));
  }

  /** Reconciles with Stripe for missed events. */
  reconcile(sinceMs: number | null = null) {
    return reconcile(this.billing(), sinceMs);
  }

  billing(ledger: Ledger = this.ledger): BillingContext {
    const { address: apiUrl, secretKey } = this.standIn;
    const { timeoutMs } = LONG_LIMITS;
    const stripe = stripeClient({ apiUrl, secretKey, timeoutMs });
    return { stripe, ledger, membershipPrices: this.membershipPrices, now: this.now };
  }

  /** An account's balance and membership, and whether its books add up. */
  async standing(id: AccountId) {
    const { membership, balance } = await this.account(id);
    const { granted, used } = await totalsOf(this.ledger, id);
    return { balance, membership, addsUp: granted - used === balance };
  }

  /** Delivers all new events, then returns the account's standing. */
  async reported(id: AccountId) {
    await this.deliverNew();
    return this.standing(id);
  }

  /** Uses up tokens of an account. */
  async use(id: AccountId, tokens: number): Promise<void> {
    const [key] = await this.ledger.keys(id);
    const keyId = key?.id ?? (await this.#newKey(id));
    const charge = { account: id, keyId, route: 'GET /test', tokens, atMs: this.now() };
    const { outcome } = await this.ledger.debit(charge);
    if (outcome !== 'debited') throw new Error(outcome);
  }

  async #newKey(id: AccountId): Promise<string> {
    const order = { owner: { id }, label: 'test', by: 'owner', atMs: this.now() } as const;
    const made = await this.ledger.issueKey(order);
    if (!made.created) throw new Error(made.reason);
    return made.key.id;
  }
}
