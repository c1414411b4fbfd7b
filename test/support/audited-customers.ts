import { expect } from 'vitest';
import { isMember } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { PLANS } from '../../proxy/plans.ts';
import { totalsOf } from './account-totals.ts';
import type { StripeBooks } from './stripe-stand-in/stripe-books.ts';

/** A customer who signed up, and the charges in the responses that the customer received. */
export interface Customer {
  readonly email: string;
  readonly used: number;
  readonly requests: number;
}

/** Tokens of each sale in these tests, before any refund. */
const TOKENS_OF_A_SALE = PLANS.membership.tokens_per_month;

/**
 * Checks the books of an account against its owner's responses and Stripe's payments: one sign-up
 * grant, the tokens of each paid sale less refunds, no duplicates, no losses, charges equal to
 * deliveries. For customers who buy months and packs of 10,000, and have not used up refunded
 * tokens.
 */
export async function expectAccountedFor(
  { ledger, books, nowMs }: { ledger: Ledger; books: StripeBooks; nowMs: number },
  owner: Customer,
): Promise<void> {
  const account = (await ledger.accountByEmail(owner.email))!;
  const { customer, membership } = account;
  const found = await totalsOf(ledger, account.id);
  expect(found.granted - found.used).toBe(found.balance);
  expect([found.used, found.requests]).toEqual([owner.used, owner.requests]);
  const isOwn = (one: { customer: string }) => one.customer === customer;
  const invoices = [...books.invoices.values()].filter(({ status }) => status === 'paid');
  const packs = [...books.sessions.values()].filter(
    ({ mode, payment_status }) => mode === 'payment' && payment_status === 'paid',
  );
  const kept = [...invoices, ...packs].filter(isOwn).map((sale) => {
    const { amount, amount_refunded } = books.chargeOf(sale);
    return TOKENS_OF_A_SALE - Math.floor((TOKENS_OF_A_SALE * amount_refunded) / amount);
  });
  expect(owner.used).toBeLessThan(PLANS.free_grant.tokens);
  expect(found.granted).toBe(kept.reduce((sum, tokens) => sum + tokens, PLANS.free_grant.tokens));
  const isPaid = [...books.subscriptions.values()]
    .filter(isOwn)
    .some(({ status }) => status === 'active');
  if (isPaid) expect(isMember(membership, nowMs)).toBe(true);
  else expect([null, 'past_due']).toContain(membership?.status ?? null);
}
