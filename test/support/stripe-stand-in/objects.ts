// Objects that the stand-in keeps, with the members that Stripe documents. Times are in seconds
// since 1970.

export interface StandInObject {
  readonly id: string;
  readonly object: string;
  readonly created: number;
}

export type Metadata = Readonly<Record<string, string>>;

export interface Customer extends StandInObject {
  readonly email: string | null;
  readonly metadata: Metadata;
  deleted?: true;
}

export interface Price extends StandInObject {
  active: boolean;
  readonly currency: string;
  readonly unit_amount: number;
  readonly recurring: { readonly interval: string; readonly interval_count: number } | null;
}

export interface Session extends StandInObject {
  readonly mode: 'payment' | 'subscription';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  readonly customer: string;
  readonly client_reference_id: string | null;
  readonly metadata: Metadata;
  readonly currency: string;
  readonly amount_total: number;
  readonly success_url: string;
  readonly cancel_url: string;
  url: string | null;
  readonly adaptive_pricing: { readonly enabled: boolean };
  subscription: string | null;
  invoice: string | null;
  payment_intent: string | null;
}

/** The purpose of a checkout, which is not part of its session. */
export interface Order {
  readonly price: Price;
  /** Name of the product, unless the price names it. */
  readonly product: string | null;
  readonly subscriptionMetadata: Metadata;
}

export interface Subscription extends StandInObject {
  status: 'active' | 'past_due' | 'unpaid' | 'canceled';
  readonly customer: string;
  readonly metadata: Metadata;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  readonly items: {
    readonly object: 'list';
    readonly data: readonly [
      { price: Price; current_period_start: number; current_period_end: number },
    ];
  };
}

export interface Invoice extends StandInObject {
  status: 'open' | 'paid' | 'void';
  readonly customer: string;
  readonly currency: string;
  readonly total: number;
  amount_paid: number;
  readonly billing_reason: string;
  readonly parent: {
    readonly type: 'subscription_details';
    readonly subscription_details: { readonly subscription: string; readonly metadata: Metadata };
  } | null;
  readonly lines: {
    readonly object: 'list';
    readonly data: readonly {
      readonly amount: number;
      readonly parent: { readonly subscription_item_details: { readonly proration: boolean } };
      readonly period: { readonly start: number; readonly end: number };
      readonly pricing: { readonly price_details: { readonly price: string } };
    }[];
  };
  readonly status_transitions: { paid_at: number | null };
}

export interface InvoicePayment extends StandInObject {
  readonly invoice: string;
  readonly payment: { readonly type: 'payment_intent'; readonly payment_intent: string };
  readonly status: 'paid';
}

export interface Charge extends StandInObject {
  readonly amount: number;
  amount_refunded: number;
  readonly currency: string;
  readonly payment_intent: string;
}

export interface Refund extends StandInObject {
  readonly amount: number;
  readonly charge: string;
  readonly payment_intent: string;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface Dispute extends StandInObject {
  readonly amount: number;
  readonly charge: string;
  readonly payment_intent: string;
  status: 'needs_response' | 'warning_needs_response' | 'won' | 'lost' | 'warning_closed';
}

export interface StripeEvent extends StandInObject {
  readonly type: string;
  /** The object as it was when the event occurred. */
  readonly data: { readonly object: StandInObject };
}
