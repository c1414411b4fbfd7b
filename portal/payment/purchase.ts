import type Stripe from 'stripe';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import { PLANS } from '../../proxy/plans.ts';
import type { MembershipPrices } from './billing-context.ts';
import { idOf } from './stripe-client.ts';

export interface Purchase {
  readonly account: AccountId;
  readonly cause: string;
  readonly tokens: number;
  /** Sum paid in cents, including taxes; refunds of that sum take back all tokens. */
  readonly cents: number;
  readonly paidAtMs: number;
  readonly paymentIntents: readonly string[];
}

/**
 * Returns the purchase of a month of membership, at any of its prices; `null` for an invoice that
 * is unpaid, for another product, or for part of a month, as after a plan change. Coupons and
 * customer balance count as money, since operators grant them. Credit for the rest of a month does
 * not count, since its tokens were granted already. `payments` must be expanded.
 */
export function purchaseOfInvoice(
  invoice: Stripe.Invoice,
  prices: MembershipPrices,
): Purchase | null {
  const account = invoice.parent?.subscription_details?.metadata?.account;
  const month = membershipLines(invoice, prices).find(isWholeMonth);
  if (!account || !month || invoice.status !== 'paid' || invoice.currency !== 'usd') return null;
  const isCredited = invoice.lines.data.some((line) => line.amount < 0 && isProration(line));
  if (isCredited && invoice.amount_paid < month.amount) return null;
  return {
    account,
    cause: `invoice:${invoice.id}`,
    tokens: PLANS.membership.tokens_per_month,
    cents: invoice.total,
    paidAtMs: (invoice.status_transitions.paid_at ?? invoice.created) * 1000,
    paymentIntents: (invoice.payments?.data ?? []).flatMap(({ payment }) =>
      payment.payment_intent ? [idOf(payment.payment_intent)] : [],
    ),
  };
}

/**
 * The lines of an invoice that are for the membership: a month of it, or the proration of a change.
 */
export function membershipLines(
  invoice: Stripe.Invoice,
  prices: MembershipPrices,
): Stripe.InvoiceLineItem[] {
  return invoice.lines.data.filter(({ pricing }) => {
    const price = pricing?.price_details?.price;
    return price !== undefined && prices.includes(idOf(price));
  });
}

function isWholeMonth(line: Stripe.InvoiceLineItem): boolean {
  return line.amount > 0 && !isProration(line);
}

function isProration({ parent }: Stripe.InvoiceLineItem): boolean {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details;
  return details?.proration ?? false;
}

/**
 * Returns the purchase of a paid token pack; `null` for a session that is unpaid or of another
 * product.
 */
export function purchaseOfSession(session: Stripe.Checkout.Session): Purchase | null {
  const { account, tokens, cents } = session.metadata ?? {};
  if (session.mode !== 'payment' || session.payment_status !== 'paid') return null;
  if (!account || session.currency !== 'usd' || !session.payment_intent) return null;
  const [granted, price, paid] = [Number(tokens), Number(cents), session.amount_total ?? 0];
  if (!Number.isSafeInteger(granted) || !(granted > 0 && price > 0 && paid >= price)) return null;
  return {
    account,
    cause: `session:${session.id}`,
    tokens: granted,
    cents: paid,
    paidAtMs: session.created * 1000,
    paymentIntents: [idOf(session.payment_intent)],
  };
}

/**
 * Metadata that identifies a pack when its session is paid, since plans may have changed by then.
 */
export function packMetadata(account: AccountId, pack: { tokens: number; cents: number }) {
  return { account, tokens: String(pack.tokens), cents: String(pack.cents) };
}
