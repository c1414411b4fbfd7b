import Stripe from 'stripe';
import { z } from 'zod';
import { Problem } from '../../proxy/http/problem.ts';
import type { PaymentEvent } from '../../proxy/ledger/payment-events.ts';
import type { BillingContext, Settled } from './billing-context.ts';
import { endSubscriptionsOnceClosed } from './end-subscriptions.ts';
import { settleSubscription } from './settle-membership.ts';
import {
  settleCharge,
  settleDispute,
  settleInvoice,
  settleRefund,
  settleSession,
} from './settle-purchase.ts';

type Settle = (billing: BillingContext, object: string) => Promise<Settled>;

/**
 * Type of an event stored by the portal itself: the account with the id `object` is being closed.
 */
export const ACCOUNT_CLOSED = 'account.closed';

/** Stripe events that can change the ledger. Others are acknowledged and dropped. */
const SETTLERS: Readonly<Record<string, Settle>> = {
  'checkout.session.completed': settleSession,
  'checkout.session.async_payment_succeeded': settleSession,
  'invoice.paid': settleInvoice,
  'invoice.payment_failed': settleInvoice,
  'customer.subscription.created': settleSubscription,
  'customer.subscription.updated': settleSubscription,
  'customer.subscription.deleted': settleSubscription,
  'charge.refunded': settleCharge,
  'refund.created': settleRefund,
  'refund.updated': settleRefund,
  'refund.failed': settleRefund,
  'charge.dispute.created': settleDispute,
  'charge.dispute.updated': settleDispute,
  'charge.dispute.closed': settleDispute,
  'charge.dispute.funds_withdrawn': settleDispute,
  'charge.dispute.funds_reinstated': settleDispute,
};

/**
 * Settles an event according to the current state at Stripe. Returns `null` if it must be tried
 * again later, because the account that it says is closing is not closed yet.
 */
export function settleEvent(billing: BillingContext, event: PaymentEvent): Promise<Settled | null> {
  const { type, object } = event;
  if (type === ACCOUNT_CLOSED) return endSubscriptionsOnceClosed(billing, event);
  const settle = SETTLERS[type];
  // The event was stored by a version that has more event types.
  if (!settle) throw new Error(`unknown event type ${type}`);
  return settle(billing, object);
}

/** Maximum distance of a signature's time from now: limits replay of captured signatures. */
const TOLERANCE_SECONDS = 300;

/**
 * Returns the event in a body signed by Stripe; `null` if it requires no action. Throws the problem
 * `invalid-signature` for any other body.
 */
export function signedEvent(
  body: Buffer,
  signature: string | undefined,
  { webhookSecret, nowMs }: { readonly webhookSecret: string; readonly nowMs: number },
): PaymentEvent | null {
  const event = EVENT.safeParse(verified(body, signature ?? '', webhookSecret, nowMs));
  if (!event.success || !Object.hasOwn(SETTLERS, event.data.type)) return null;
  const { id, type, data } = event.data;
  return { id, type, object: data.object.id, receivedAtMs: nowMs };
}

const EVENT = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  data: z.object({ object: z.object({ id: z.string().min(1).max(255) }) }),
});

function verified(body: Buffer, signature: string, secret: string, nowMs: number): unknown {
  const { webhooks, errors } = Stripe;
  try {
    // Stripe's library only rejects signatures that are too old.
    if (secondsAhead(signature, nowMs) <= TOLERANCE_SECONDS) {
      return webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, nowMs);
    }
  } catch (error) {
    // A signed body that is not JSON does not come from Stripe either.
    if (!(error instanceof errors.StripeSignatureVerificationError || error instanceof SyntaxError))
      throw error;
  }
  throw new Problem(
    'invalid-signature',
    `Stripe-Signature is missing, invalid, or not from the last ${TOLERANCE_SECONDS} seconds`,
  );
}

/**
 * How far in the future a signature is, by the last of its timestamps, as Stripe's library reads
 * it.
 */
function secondsAhead(signature: string, nowMs: number): number {
  const at = signature.split(',').findLast((part) => part.startsWith('t='));
  return at === undefined ? 0 : Number.parseInt(at.slice(2), 10) - nowMs / 1000;
}
