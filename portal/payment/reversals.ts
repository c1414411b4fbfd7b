import type Stripe from 'stripe';

export interface Reversal {
  /** Cause of taking tokens back, applied once. */
  readonly cause: string;
  readonly cents: number;
  readonly atMs: number;
  /** Whether the reversal is still effective: a refund may fail, a dispute may be won. */
  readonly stands: boolean;
}

/** All reversals of a payment, refunds first, each kind by creation time. */
export async function reversalsOf(
  stripe: Stripe,
  paymentIntents: readonly string[],
): Promise<Reversal[]> {
  const refunds: Reversal[] = [];
  const disputes: Reversal[] = [];
  for (const payment_intent of paymentIntents) {
    for await (const refund of stripe.refunds.list({ payment_intent, limit: 100 })) {
      refunds.push({
        cause: `refund:${refund.id}`,
        cents: refund.amount,
        atMs: refund.created * 1000,
        stands: refund.status !== 'failed' && refund.status !== 'canceled',
      });
    }
    for await (const dispute of stripe.disputes.list({ payment_intent, limit: 100 })) {
      if (MOVES_NO_MONEY.has(dispute.status)) continue;
      disputes.push({
        cause: `dispute:${dispute.id}`,
        cents: dispute.amount,
        atMs: dispute.created * 1000,
        stands: dispute.status !== 'won',
      });
    }
  }
  return [...inOrder(refunds), ...inOrder(disputes)];
}

/** Statuses of disputes that move no money, such as inquiries: the bank has not withdrawn any. */
const MOVES_NO_MONEY: ReadonlySet<string> = new Set([
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'prevented',
]);

function inOrder(reversals: readonly Reversal[]): Reversal[] {
  return reversals.toSorted((a, b) => a.atMs - b.atMs || (a.cause < b.cause ? -1 : 1));
}

/**
 * Number of a payment's tokens that each of its reversals takes back: in proportion to the money,
 * rounded on the running total, so that a full reversal takes exactly all tokens. A reversal that
 * is not effective takes none.
 */
export function sharesOf(
  reversals: readonly Reversal[],
  bought: { readonly tokens: number; readonly cents: number },
): number[] {
  let cents = 0;
  let tokens = 0;
  return reversals.map((reversal) => {
    if (!reversal.stands) return 0;
    cents = Math.min(cents + reversal.cents, bought.cents);
    const before = tokens;
    tokens = Math.floor((bought.tokens * cents) / bought.cents);
    return tokens - before;
  });
}
