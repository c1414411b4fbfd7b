import type Stripe from 'stripe';
import type { Accounts } from '../../proxy/ledger/accounts.ts';

/** Dependencies of settling, which turns payments into tokens: Stripe and the ledger. */
export interface BillingContext {
  readonly stripe: Stripe;
  readonly ledger: Accounts;
  readonly membershipPrices: MembershipPrices;
  readonly now: () => number;
}

/**
 * The ids of the membership's prices at Stripe: the first is on sale; subscribers at a former one
 * are members too. A subscription to none of them is not a membership.
 */
export type MembershipPrices = readonly [sold: string, ...before: string[]];

/**
 * Maximum number of rounds in which settling reads and writes until Stripe and the ledger agree.
 */
export const MAX_ROUNDS = 5;

export interface Settled {
  readonly tokensGranted: number;
  readonly tokensTakenBack: number;
  readonly membershipsChanged: number;
}

export const NOTHING: Settled = { tokensGranted: 0, tokensTakenBack: 0, membershipsChanged: 0 };

export function sumSettled(...parts: readonly Settled[]): Settled {
  return parts.reduce(
    (sum, part) => ({
      tokensGranted: sum.tokensGranted + part.tokensGranted,
      tokensTakenBack: sum.tokensTakenBack + part.tokensTakenBack,
      membershipsChanged: sum.membershipsChanged + part.membershipsChanged,
    }),
    NOTHING,
  );
}

/** Error for a payment processor that does not respond, or not correctly: nothing was sold. */
export class PaymentUnavailable extends Error {
  override readonly name = 'PaymentUnavailable';
}
