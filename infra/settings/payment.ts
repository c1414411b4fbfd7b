import { z } from 'zod';
import type { PaymentSettings } from '../../portal/payment/open-payment.ts';
import { type Environment, type Flags, readSettings } from './read-settings.ts';
import { setting } from './setting.ts';
import { listOf } from './setting-types.ts';

const priceId = z
  .string('is the id of a price, or several, comma-separated')
  .startsWith('price_', 'is the id of a price');

/** Settings of payment, shared with the portal's. */
export const STRIPE = {
  STRIPE_SECRET_KEY: setting(z.string().optional(), {
    says: 'Stripe’s key',
    secret: true,
    otherwise: 'nothing can be bought',
    needs: ['STRIPE_WEBHOOK_SECRET', 'STRIPE_MEMBERSHIP_PRICE'],
  }),
  STRIPE_WEBHOOK_SECRET: setting(z.string().optional(), {
    says: 'the secret of the webhook ACCOUNT_URL/billing/webhook',
    secret: true,
    needs: ['STRIPE_SECRET_KEY'],
  }),
  STRIPE_MEMBERSHIP_PRICE: setting(
    z
      .string()
      .transform(listOf)
      .pipe(z.tuple([priceId], priceId))
      .optional(),
    {
      says: 'the id of a price of 10 USD a month, which is sold; after it, comma-separated, those sold before, which members may still pay',
      value: '<prices>',
      needs: ['STRIPE_SECRET_KEY'],
    },
  ),
  STRIPE_API_URL: setting(z.url({ protocol: /^https?$/ }).optional(), {
    says: 'where Stripe is',
    value: '<url>',
    otherwise: 'Stripe itself',
  }),
};

/** Settings for requests to Stripe. */
const paymentSchema = z.object(STRIPE);

/** Reads how to reach Stripe; `null` if nothing is sold. */
export function paymentSettings(flags: Flags = {}, env?: Environment): PaymentSettings | null {
  return stripeOf(readSettings(paymentSchema, flags, env));
}

/** As `paymentSettings`, from settings that were read together with others. */
export function stripeOf(set: z.output<typeof paymentSchema>): PaymentSettings | null {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_MEMBERSHIP_PRICE: membershipPrices,
    STRIPE_API_URL: apiUrl,
  } = set;
  if (!secretKey || !webhookSecret || !membershipPrices) return null;
  return { secretKey, webhookSecret, membershipPrices, apiUrl };
}
