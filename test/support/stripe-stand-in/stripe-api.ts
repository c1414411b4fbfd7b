import { type Form, group, list, text } from './form.ts';
import type { Invoice, Metadata, Session, StandInObject } from './objects.ts';
import type { StripeBooks } from './stripe-books.ts';

/** Stripe's error for a request. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, message: string, members: object = {}) {
    super(message);
    this.status = status;
    this.body = { error: { type: 'invalid_request_error', message, ...members } };
  }
}

/** A response: a stored object, perhaps with members added, such as expanded lists. */
type Shown = StandInObject | object;

/** Handles a request like Stripe's API, as far as the portal uses it. Throws `ApiError`. */
export function respondTo(books: StripeBooks, method: string, path: string, form: Form): Shown {
  const [, , collection, ...rest] = path.split('/');
  const route = `${method} ${[collection, ...rest.map((part) => (PLAIN.has(part) ? part : ':id'))].join('/')}`;
  const id = rest.find((part) => !PLAIN.has(part)) ?? '';
  const handler = ROUTES[route];
  if (!handler) throw new ApiError(404, `Unrecognized request URL (${method}: ${path}).`);
  return handler(books, form, id);
}

const PLAIN = new Set(['sessions', 'expire']);

const ROUTES: Readonly<Record<string, (books: StripeBooks, form: Form, id: string) => Shown>> = {
  'POST customers': (books, form) => {
    requireKnown(form, ['email', 'metadata']);
    return books.addCustomer(text(form.email) ?? null, metadataOf(form.metadata));
  },
  'GET prices/:id': (books, _form, id) => found(books.prices, id, 'price'),
  'POST checkout/sessions': createSession,
  'GET checkout/sessions': (books, form) => {
    const { customer, payment_intent, status } = form;
    requireCustomer(books, text(customer));
    return page(form, books.sessions, { customer, payment_intent, status });
  },
  'GET checkout/sessions/:id': (books, _form, id) => found(books.sessions, id, 'checkout.session'),
  'POST checkout/sessions/:id/expire': (books, _form, id) => {
    const session = found(books.sessions, id, 'checkout.session');
    if (session.status !== 'open') throw new ApiError(400, `${id} is not open`);
    session.status = 'expired';
    session.url = null;
    return session;
  },
  'POST billing_portal/sessions': (books, form) => {
    requireKnown(form, ['customer', 'return_url']);
    requireCustomer(books, text(form.customer));
    const made = books.base('bps', 'billing_portal.session');
    const back = encodeURIComponent(text(form.return_url)!);
    return { ...made, url: `https://billing.stripe.test/${made.id}?return=${back}` };
  },
  'GET subscriptions': (books, form) => {
    requireCustomer(books, text(form.customer));
    const { customer } = form;
    const price = text(form.price);
    return page(form, books.subscriptions, { customer }, ({ status, items }) => {
      const isShown = text(form.status) === 'all' || status !== 'canceled';
      return isShown && (price === undefined || items.data[0].price.id === price);
    });
  },
  'GET subscriptions/:id': (books, _form, id) => found(books.subscriptions, id, 'subscription'),
  'DELETE subscriptions/:id': (books, _form, id) => {
    const subscription = found(books.subscriptions, id, 'subscription');
    if (subscription.status === 'canceled') throw missing('subscription', id);
    books.cancel(subscription);
    return subscription;
  },
  'GET invoices': (books, form) => {
    const subscription = text(form.subscription);
    const shown = page(form, books.invoices, { status: form.status }, ({ parent }) => {
      const of = parent?.subscription_details.subscription;
      return subscription === undefined || of === subscription;
    });
    if (!list(form.expand).includes('data.payments')) return shown;
    return { ...shown, data: shown.data.map((invoice) => withPayments(books, invoice)) };
  },
  'GET invoices/:id': (books, form, id) => {
    const invoice = found(books.invoices, id, 'invoice');
    return list(form.expand).includes('payments') ? withPayments(books, invoice) : invoice;
  },
  'GET invoice_payments': (books, form) => {
    const wanted = text(group(form.payment).payment_intent);
    return page(form, books.invoicePayments, {}, ({ payment }) => {
      return wanted === undefined || payment.payment_intent === wanted;
    });
  },
  'GET charges/:id': (books, _form, id) => found(books.charges, id, 'charge'),
  'GET refunds': (books, form) =>
    page(form, books.refunds, { payment_intent: form.payment_intent }),
  'GET refunds/:id': (books, _form, id) => found(books.refunds, id, 'refund'),
  'GET disputes': (books, form) =>
    page(form, books.disputes, { payment_intent: form.payment_intent }),
  'GET disputes/:id': (books, _form, id) => found(books.disputes, id, 'dispute'),
};

function createSession(books: StripeBooks, form: Form): Session {
  requireKnown(form, [
    'mode',
    'customer',
    'line_items',
    'subscription_data',
    'client_reference_id',
    'metadata',
    'success_url',
    'cancel_url',
    'adaptive_pricing',
  ]);
  const { mode } = form;
  if (mode !== 'payment' && mode !== 'subscription') throw new ApiError(400, 'Invalid mode');
  const customer = text(form.customer)!;
  requireCustomer(books, customer);
  const [line] = list(form.line_items).map(group);
  const data = group(line?.price_data);
  const price =
    line?.price === undefined
      ? books.addPrice(
          books.newId('price'),
          Number(data.unit_amount),
          text(data.currency),
          'recurring' in data,
        )
      : found(books.prices, text(line.price)!, 'line_items[0][price]');
  if ((price.recurring !== null) !== (mode === 'subscription')) {
    throw new ApiError(400, `The price is not one of mode ${mode}`);
  }
  const made = books.base('cs_test', 'checkout.session');
  const session: Session = {
    ...made,
    mode,
    status: 'open',
    payment_status: 'unpaid',
    customer,
    client_reference_id: text(form.client_reference_id) ?? null,
    metadata: metadataOf(form.metadata),
    currency: price.currency,
    amount_total: price.unit_amount * Number(text(line.quantity) ?? 1),
    success_url: new URL(text(form.success_url)!).href,
    cancel_url: new URL(text(form.cancel_url)!).href,
    url: `https://checkout.stripe.test/${made.id}`,
    adaptive_pricing: { enabled: text(group(form.adaptive_pricing).enabled) !== 'false' },
    subscription: null,
    invoice: null,
    payment_intent: null,
  };
  books.sessions.set(session.id, session);
  const subscriptionMetadata = metadataOf(group(form.subscription_data).metadata);
  const product = text(group(data.product_data).name) ?? null;
  books.orders.set(session.id, { price, product, subscriptionMetadata });
  return session;
}

function withPayments(books: StripeBooks, invoice: Invoice): object {
  const data = [...books.invoicePayments.values()].filter((paid) => paid.invoice === invoice.id);
  return { ...invoice, payments: { object: 'list', data } };
}

/** A page of a table, newest first. */
function page<T extends StandInObject>(
  form: Form,
  table: ReadonlyMap<string, T>,
  equal: Form | { [name: string]: unknown },
  fits: (item: T) => boolean = () => true,
) {
  const limit = Number(text(form.limit) ?? 10);
  if (!(limit >= 1 && limit <= 100)) throw new ApiError(400, 'limit is 1 to 100');
  const since = Number(text(group(form.created).gte) ?? 0);
  if (!(since >= 0 && Number.isInteger(since))) throw new ApiError(400, 'Invalid timestamp');
  const all = [...table.values()].reverse().filter((item) => {
    const wanted = Object.entries(equal).filter(([, value]) => value !== undefined);
    const isEqual = wanted.every(([name, value]) => Reflect.get(item, name) === value);
    return isEqual && item.created >= since && fits(item);
  });
  const after = text(form.starting_after);
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(start, start + limit);
  return { object: 'list', data, has_more: start + limit < all.length, url: '' };
}

function found<T>(table: ReadonlyMap<string, T>, id: string, param: string): T {
  const item = table.get(id);
  if (!item) throw missing(param, id);
  return item;
}

function missing(param: string, id: string): ApiError {
  return new ApiError(404, `No such ${param}: '${id}'`, { code: 'resource_missing', param });
}

function requireCustomer(books: StripeBooks, id: string | undefined): void {
  if (id !== undefined && found(books.customers, id, 'customer').deleted) {
    throw missing('customer', id);
  }
}

function requireKnown(form: Form, known: readonly string[]): void {
  const unknown = Object.keys(form).find((name) => !known.includes(name));
  if (unknown) throw new ApiError(400, `Received unknown parameter: ${unknown}`);
}

function metadataOf(value: Form[string] | undefined): Metadata {
  const entries = Object.entries(group(value)).map(([name, part]) => [name, String(part)]);
  return Object.fromEntries(entries);
}
