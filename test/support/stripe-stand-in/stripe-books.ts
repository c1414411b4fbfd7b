import type {
  Charge,
  Customer,
  Dispute,
  Invoice,
  InvoicePayment,
  Metadata,
  Order,
  Price,
  Refund,
  Session,
  StandInObject,
  StripeEvent,
  Subscription,
} from './objects.ts';

const DAY = 86_400;
/**
 * Retry schedule of a failed payment, in days after it was due. If the last retry fails, the
 * subscription is cancelled.
 */
const RETRY_DAYS = [2, 5, 9];

/**
 * The books of a Stripe account that sells by Checkout, with the customers and banks that act on
 * them. State changes only through its methods: time advances by `advance`.
 */
export class StripeBooks {
  /** Current time in seconds since 1970. */
  now = Math.floor(Date.UTC(2027, 0, 1) / 1000);
  /** Events, oldest first; the tables below are in the same order. */
  readonly events: StripeEvent[] = [];
  readonly customers = new Map<string, Customer>();
  readonly prices = new Map<string, Price>();
  readonly sessions = new Map<string, Session>();
  readonly orders = new Map<string, Order>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly invoices = new Map<string, Invoice>();
  readonly invoicePayments = new Map<string, InvoicePayment>();
  readonly charges = new Map<string, Charge>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  /** Per customer, the cents that a coupon takes off every invoice. */
  readonly coupons = new Map<string, number>();
  /** Per customer, the credit at Stripe in cents, which is used before other payment. */
  readonly balances = new Map<string, number>();
  /** Customers whose cards are declined. */
  readonly withoutMoney = new Set<string>();
  #numbers = 0;

  newId(prefix: string): string {
    return `${prefix}_${String(++this.#numbers).padStart(8, '0')}`;
  }

  base<Kind extends string>(prefix: string, object: Kind) {
    return { id: this.newId(prefix), object, created: this.now };
  }

  addPrice(id: string, unit_amount: number, currency = 'usd', isMonthly = true): Price {
    const recurring = isMonthly ? { interval: 'month', interval_count: 1 } : null;
    const price = { object: 'price', created: this.now, active: true, currency, unit_amount };
    const made = { id, ...price, recurring };
    this.prices.set(id, made);
    return made;
  }

  addCustomer(email: string | null, metadata: Metadata): Customer {
    const customer = { ...this.base('cus', 'customer'), email, metadata };
    this.customers.set(customer.id, customer);
    return customer;
  }

  /**
   * Completes a checkout as the customer does. A payment by bank arrives later: see `moneyArrives`.
   */
  pay(session: Session, by: 'card' | 'bank' = 'card'): void {
    if (session.status !== 'open') throw new Error(`${session.id} is ${session.status}`);
    session.status = 'complete';
    session.url = null;
    const order = this.orders.get(session.id)!;
    if (session.mode === 'subscription') {
      const subscription = this.subscribe(
        session.customer,
        order.price,
        order.subscriptionMetadata,
      );
      session.subscription = subscription.id;
      session.invoice = [...this.invoices.keys()].at(-1)!;
      session.payment_status = 'paid';
    } else {
      session.payment_intent = this.newId('pi');
      if (by === 'card') this.#payPack(session);
    }
    this.tell('checkout.session.completed', session);
  }

  /** Completes a pending payment by bank. */
  moneyArrives(session: Session): void {
    this.#payPack(session);
    this.tell('checkout.session.async_payment_succeeded', session);
  }

  #payPack(session: Session): void {
    session.payment_status = 'paid';
    this.#charge(session.amount_total, session.currency, session.payment_intent!);
  }

  subscribe(customer: string, price: Price, metadata: Metadata): Subscription {
    const item = { price, current_period_start: this.now, current_period_end: this.now + 30 * DAY };
    const subscription: Subscription = {
      ...this.base('sub', 'subscription'),
      status: 'active',
      customer,
      metadata,
      cancel_at: null,
      cancel_at_period_end: false,
      items: { object: 'list', data: [item] },
    };
    this.subscriptions.set(subscription.id, subscription);
    this.tell('customer.subscription.created', subscription);
    this.bill(subscription, 'subscription_create');
    return subscription;
  }

  /** Creates the invoice of a period and collects it, if there is money. */
  bill(
    subscription: Subscription,
    billing_reason: string,
    cents = subscription.items.data[0].price.unit_amount,
    /** The credit for the rest of a period that is changed. */
    credit = 0,
  ): Invoice {
    const [{ price, current_period_start: start, current_period_end: end }] =
      subscription.items.data;
    const { id, customer, metadata } = subscription;
    const pricing = { price_details: { price: price.id } };
    const proration = billing_reason === 'subscription_update';
    const line = (amount: number, proration: boolean) => ({
      amount,
      period: { start, end },
      pricing,
      parent: { subscription_item_details: { proration } },
    });
    const credits = credit > 0 ? [line(-credit, true)] : [];
    const total = Math.max(0, cents - credit - (this.coupons.get(customer) ?? 0));
    const invoice: Invoice = {
      ...this.base('in', 'invoice'),
      status: 'open',
      customer,
      currency: price.currency,
      total,
      amount_paid: 0,
      billing_reason,
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: id, metadata },
      },
      lines: { object: 'list', data: [line(cents, proration), ...credits] },
      status_transitions: { paid_at: null },
    };
    this.invoices.set(invoice.id, invoice);
    this.#collect(invoice, subscription);
    return invoice;
  }

  #collect(invoice: Invoice, subscription: Subscription): void {
    if (this.withoutMoney.has(invoice.customer)) {
      this.tell('invoice.payment_failed', invoice);
      this.#setStatus(subscription, 'past_due');
      return;
    }
    const balance = this.balances.get(invoice.customer) ?? 0;
    const due = Math.max(0, invoice.total - balance);
    this.balances.set(invoice.customer, balance - (invoice.total - due));
    if (due > 0) {
      const payment_intent = this.newId('pi');
      this.#charge(due, invoice.currency, payment_intent);
      const made = this.base('inpay', 'invoice_payment');
      const payment = { type: 'payment_intent', payment_intent } as const;
      this.invoicePayments.set(made.id, { ...made, invoice: invoice.id, payment, status: 'paid' });
    }
    invoice.status = 'paid';
    invoice.amount_paid = due;
    invoice.status_transitions.paid_at = this.now;
    this.tell('invoice.paid', invoice);
    this.#setStatus(subscription, 'active');
  }

  #setStatus(subscription: Subscription, status: Subscription['status']): void {
    if (subscription.status === status) return;
    subscription.status = status;
    this.tell('customer.subscription.updated', subscription);
  }

  #charge(amount: number, currency: string, payment_intent: string): void {
    const made = this.base('ch', 'charge');
    this.charges.set(made.id, { ...made, amount, amount_refunded: 0, currency, payment_intent });
  }

  /** Advances time: periods end and renew, and failed payments are retried. */
  advance(seconds: number): void {
    const end = this.now + seconds;
    for (let due = this.#nextDue(); due && due.at <= end; due = this.#nextDue()) {
      this.now = Math.max(due.at, this.now);
      due.happen();
    }
    this.now = end;
  }

  #nextDue(): { at: number; happen: () => void } | undefined {
    const due: { at: number; happen: () => void }[] = [];
    for (const subscription of this.subscriptions.values()) {
      const [item] = subscription.items.data;
      if (subscription.status === 'active') {
        const happen = () => this.#endPeriod(subscription);
        due.push({ at: item.current_period_end, happen });
      } else if (subscription.status === 'past_due') {
        const tried = this.#retries.get(subscription.id) ?? 0;
        const at = item.current_period_start + RETRY_DAYS[tried] * DAY;
        due.push({ at, happen: () => this.#retry(subscription, tried) });
      }
    }
    return due.sort((a, b) => a.at - b.at)[0];
  }
  readonly #retries = new Map<string, number>();

  #endPeriod(subscription: Subscription): void {
    if (subscription.cancel_at_period_end) {
      this.cancel(subscription);
      return;
    }
    const [item] = subscription.items.data;
    item.current_period_start = item.current_period_end;
    item.current_period_end += 30 * DAY;
    this.tell('customer.subscription.updated', subscription);
    this.bill(subscription, 'subscription_cycle');
  }

  #retry(subscription: Subscription, tried: number): void {
    const invoices = [...this.invoices.values()];
    const invoice = invoices.findLast(
      ({ parent }) => parent?.subscription_details.subscription === subscription.id,
    )!;
    this.#collect(invoice, subscription);
    this.#retries.set(subscription.id, tried + 1);
    if (invoice.status === 'paid') this.#retries.delete(subscription.id);
    else if (tried + 1 === RETRY_DAYS.length) this.cancel(subscription);
  }

  cancel(subscription: Subscription): void {
    subscription.status = 'canceled';
    this.tell('customer.subscription.deleted', subscription);
  }

  cancelAtPeriodEnd(subscription: Subscription, isToEnd = true): void {
    subscription.cancel_at_period_end = isToEnd;
    subscription.cancel_at = isToEnd ? subscription.items.data[0].current_period_end : null;
    this.tell('customer.subscription.updated', subscription);
  }

  /** The charge that paid an invoice or a session. */
  chargeOf(paid: Invoice | Session): Charge {
    const payment =
      'payment_intent' in paid
        ? paid.payment_intent
        : [...this.invoicePayments.values()].find(({ invoice }) => invoice === paid.id)?.payment
            .payment_intent;
    return [...this.charges.values()].find(({ payment_intent }) => payment_intent === payment)!;
  }

  refund(charge: Charge, amount: number): Refund {
    const { id, payment_intent } = charge;
    if (charge.amount_refunded + amount > charge.amount) throw new Error('more than was paid');
    charge.amount_refunded += amount;
    const made = this.base('re', 'refund');
    const refund: Refund = { ...made, amount, charge: id, payment_intent, status: 'succeeded' };
    this.refunds.set(refund.id, refund);
    this.tell('refund.created', refund);
    this.tell('charge.refunded', charge);
    return refund;
  }

  /** Fails a refund, as when the bank could not return the money. */
  failRefund(refund: Refund): void {
    refund.status = 'failed';
    this.charges.get(refund.charge)!.amount_refunded -= refund.amount;
    this.tell('refund.failed', refund);
  }

  dispute(charge: Charge, amount: number, isInquiry = false): Dispute {
    const { id, payment_intent } = charge;
    const status = isInquiry ? 'warning_needs_response' : 'needs_response';
    const made = this.base('du', 'dispute');
    const dispute: Dispute = { ...made, amount, charge: id, payment_intent, status };
    this.disputes.set(dispute.id, dispute);
    this.tell('charge.dispute.created', dispute);
    if (!isInquiry) this.tell('charge.dispute.funds_withdrawn', dispute);
    return dispute;
  }

  closeDispute(dispute: Dispute, status: 'won' | 'lost' | 'warning_closed'): void {
    dispute.status = status;
    this.tell('charge.dispute.closed', dispute);
    if (status === 'won') this.tell('charge.dispute.funds_reinstated', dispute);
  }

  tell(type: string, object: StandInObject): void {
    const event = this.base('evt', 'event');
    this.events.push({ ...event, type, data: { object: structuredClone(object) } });
  }
}
