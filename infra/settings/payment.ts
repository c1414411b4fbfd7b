import { z } from 'zod';
import type { PaymentSettings } from '../../portal/payment/open-payment.ts';
import { webUrl } from '../../proxy/http/web-url.ts';
import { setting } from './setting.ts';
import { listOf } from './setting-types.ts';

const priceId = z
  .string('must be a price id, or several, comma-separated')
  .startsWith('price_', 'must be a price id');

/** Settings of payment, which are also part of the portal's settings. */
export const STRIPE = {
  STRIPE_SECRET_KEY: setting(z.string().optional(), {
    description: 'Stripe secret key',
    secret: true,
    whenUnset: 'nothing is for sale',
    needs: ['STRIPE_WEBHOOK_SECRET', 'STRIPE_MEMBERSHIP_PRICE'],
  }),
  STRIPE_WEBHOOK_SECRET: setting(z.string().optional(), {
    description: 'secret of the webhook ACCOUNT_URL/billing/webhook',
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
      description:
        'id of the current price, 10 USD a month; optionally followed, comma-separated, by former prices that members may still pay',
      value: '<prices>',
      needs: ['STRIPE_SECRET_KEY'],
    },
  ),
  STRIPE_API_URL: setting(webUrl('https://api.stripe.com').optional(), {
    description: 'URL of the Stripe API',
    value: '<url>',
    whenUnset: 'Stripe itself',
  }),
};

/** Schema of the settings for requests to Stripe. */
export const paymentSchema = z.object(STRIPE);

/** The settings for requests to Stripe, from those read; `null` if nothing is for sale. */
export function paymentSettings(set: z.output<typeof paymentSchema>): PaymentSettings | null {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_MEMBERSHIP_PRICE: membershipPrices,
    STRIPE_API_URL: apiUrl,
  } = set;
  if (!secretKey || !webhookSecret || !membershipPrices) return null;
  return { secretKey, webhookSecret, membershipPrices, apiUrl };
}
