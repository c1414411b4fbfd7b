import type { AccountId } from '../../proxy/ledger/accounts.ts';
import {
  type BillingContext,
  MAX_ROUNDS,
  NOTHING,
  type Settled,
  sumSettled,
} from './billing-context.ts';
import { type Purchase, purchaseOfInvoice, purchaseOfSession } from './purchase.ts';
import { reversalsOf, sharesOf } from './reversals.ts';
import { settleSubscription } from './settle-membership.ts';
import { idOf } from './stripe-client.ts';

// Each function compares the current state at Stripe with the ledger and applies what is missing.
// The kind of event, its order, repetition and delay therefore do not matter.

/** Settles an invoice: the tokens it bought, and the membership it is for. */
export async function settleInvoice(billing: BillingContext, id: string): Promise<Settled> {
  const invoice = await billing.stripe.invoices.retrieve(id, { expand: ['payments'] });
  const subscription = invoice.parent?.subscription_details?.subscription;
  return sumSettled(
    await settlePurchase(billing, purchaseOfInvoice(invoice, billing.membershipPrices)),
    subscription ? await settleSubscription(billing, idOf(subscription)) : NOTHING,
  );
}

/** Settles a checkout session: the pack it bought, or the membership it started. */
export async function settleSession(billing: BillingContext, id: string): Promise<Settled> {
  const session = await billing.stripe.checkout.sessions.retrieve(id);
  if (session.invoice) return settleInvoice(billing, idOf(session.invoice));
  if (session.subscription) return settleSubscription(billing, idOf(session.subscription));
  return settlePurchase(billing, purchaseOfSession(session));
}

export async function settleCharge(billing: BillingContext, id: string): Promise<Settled> {
  return settlePaymentIntent(billing, await billing.stripe.charges.retrieve(id));
}

export async function settleRefund(billing: BillingContext, id: string): Promise<Settled> {
  return settlePaymentIntent(billing, await billing.stripe.refunds.retrieve(id));
}

export async function settleDispute(billing: BillingContext, id: string): Promise<Settled> {
  return settlePaymentIntent(billing, await billing.stripe.disputes.retrieve(id));
}

async function settlePaymentIntent(
  billing: BillingContext,
  { payment_intent }: { readonly payment_intent: string | { readonly id: string } | null },
): Promise<Settled> {
  if (payment_intent === null) return NOTHING;
  const id = idOf(payment_intent);
  const payment = { type: 'payment_intent', payment_intent: id } as const;
  const settled: Settled[] = [];
  for await (const { invoice } of billing.stripe.invoicePayments.list({ payment, limit: 100 })) {
    settled.push(await settleInvoice(billing, idOf(invoice)));
  }
  for await (const session of billing.stripe.checkout.sessions.list({ payment_intent: id })) {
    settled.push(await settleSession(billing, session.id));
  }
  return sumSettled(...settled);
}

/**
 * Settles a purchase: first its grant, then its reversals; otherwise a refund reported first would
 * take nothing.
 */
export async function settlePurchase(
  billing: BillingContext,
  purchase: Purchase | null,
): Promise<Settled> {
  if (!purchase || !(await billing.ledger.account(purchase.account))) return NOTHING;
  const { account, cause, tokens, paidAtMs } = purchase;
  const { ledger } = billing;
  const { granted } = await ledger.grant(account, { tokens, cause, atMs: paidAtMs }, 'payment');
  let tokensGranted = granted ? tokens : 0;
  let tokensTakenBack = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reversed = await settleReversals(billing, purchase);
    if (!reversed) return { ...NOTHING, tokensGranted, tokensTakenBack };
    tokensGranted += reversed.given;
    tokensTakenBack += reversed.taken;
  }
  throw new Error(`refunds of ${cause} are changing too fast to be settled`);
}

/**
 * Books new and cancelled reversals; returns `null` if all are in the ledger. The ledger is read
 * before Stripe is queried, so its entries are older than that response. A portal that booked
 * something compares both again, so that of two portals the last one ends with the current state.
 */
async function settleReversals(
  billing: BillingContext,
  purchase: Purchase,
): Promise<{ readonly given: number; readonly taken: number } | null> {
  const { account, paymentIntents } = purchase;
  const booked = await bookedBy(billing, account);
  const reversals = await reversalsOf(billing.stripe, paymentIntents);
  const shares = sharesOf(reversals, purchase);
  let isSettled = true;
  let [given, taken] = [0, 0];
  for (const [which, { cause, atMs, stands }] of reversals.entries()) {
    const current = currentCause(cause, booked);
    const isTaken = booked.has(current);
    // A reversal that is cancelled already is booked too, for 0 tokens in the end: a portal that
    // has read Stripe before the cancellation then finds its cause taken.
    if (stands ? isTaken : !isTaken && current !== cause) continue;
    isSettled = false;
    if (stands) {
      const share = { tokens: shares[which], cause: current, atMs };
      taken += (await billing.ledger.takeBack(account, share, 'payment')).taken;
    } else given += await giveBack(billing, account, current, atMs);
  }
  return isSettled ? null : { given, taken };
}

/** Cause of a reversal's current state: a dispute may be lost, won, and lost again. */
function currentCause(cause: string, booked: ReadonlyMap<string, number>): string {
  for (let round = 1; ; round++) {
    const name = round === 1 ? cause : `${cause}:${round}`;
    if (!booked.has(undoing(name))) return name;
  }
}

async function giveBack(
  billing: BillingContext,
  account: AccountId,
  cause: string,
  atMs: number,
): Promise<number> {
  await billing.ledger.takeBack(account, { tokens: 0, cause, atMs }, 'payment');
  const tokens = Math.abs((await bookedBy(billing, account)).get(cause) ?? 0);
  const given = { tokens, cause: undoing(cause), atMs: billing.now() };
  const { granted } = await billing.ledger.grant(account, given, 'payment');
  return granted ? tokens : 0;
}

function undoing(cause: string): string {
  return `${cause}:undone`;
}

/** Tokens of an account's ledger entries by cause; negative if they were taken back. */
async function bookedBy(
  { ledger }: BillingContext,
  account: AccountId,
): Promise<Map<string, number>> {
  return new Map((await ledger.grants(account)).map(({ cause, tokens }) => [cause, tokens]));
}
