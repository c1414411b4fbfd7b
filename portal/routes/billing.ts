import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../../proxy/http/json-body.ts';
import { Problem } from '../../proxy/http/problem.ts';
import type { ProblemSlug } from '../../proxy/http/problem-types.ts';
import { rateLimited } from '../../proxy/http/rate-limiting.ts';
import type { Account } from '../../proxy/ledger/accounts.ts';
import { PLANS } from '../../proxy/plans.ts';
import { PAGE_PATHS } from '../page-paths.ts';
import type { Payment } from '../payment/payment.ts';
import type { PortalServices } from '../services.ts';
import type { PortalOperation } from './operation.ts';
import { isNavigation, requireOwnSite } from './own-site.ts';
import { forChange, forSession } from './signed-in.ts';

const PACK = z.strictObject({ pack_id: z.enum(PLANS.token_packs.map(({ id }) => id)) });

/**
 * Redirect targets for users who follow the link to `/billing/portal` signed out, or from another
 * site. They lead to the page with its button.
 */
const INSTEAD: ReadonlyMap<ProblemSlug, string> = new Map([
  ['no-session', `${PAGE_PATHS.signIn}?next=${PAGE_PATHS.plan}`],
  ['invalid-csrf-token', PAGE_PATHS.plan],
]);

/** Maximum size of an event. Events are a few kilobytes, since each concerns one object. */
const MAX_EVENT_BYTES = 64 * 1024;

export async function serveBilling(app: FastifyInstance, services: PortalServices): Promise<void> {
  app.post('/billing/subscribe', {
    config: { operation: SUBSCRIBE },
    ...forChange(services, async ({ account }, _request, reply) => {
      const payment = await sellingTo(account, services, reply);
      return { checkout_url: await payment.subscribe(account) };
    }),
  });
  app.post('/billing/packs', {
    config: { operation: BUY },
    ...forChange(services, async ({ account }, request, reply) => {
      const { pack_id } = parseBody(PACK, request);
      const payment = await sellingTo(account, services, reply);
      return { checkout_url: await payment.buyPack(account, pack_id) };
    }),
  });
  app.post('/billing/portal', {
    config: { operation: MANAGE },
    ...forChange(services, async ({ account }) => ({
      portal_url: await selling(services).manage(account),
    })),
  });
  // A permanent link to that page, since pages at the processor are created for one visit.
  const link = forSession(services, async ({ account }, _request, reply) =>
    reply.redirect(await selling(services).manage(account), 303),
  );
  app.get('/billing/portal', {
    config: { operation: FOLLOW },
    ...link,
    onRequest: async (request, reply) => {
      try {
        await link.onRequest(request, reply);
        // The route creates a page at the processor, which a link elsewhere must not trigger.
        requireOwnSite(request, services);
      } catch (error) {
        const page = error instanceof Problem ? INSTEAD.get(error.slug) : undefined;
        if (page === undefined || !isNavigation(request)) throw error;
        return reply.header('vary', 'Accept').redirect(page, 303);
      }
    },
  });
  await app.register(async (scope) => receiveEvents(scope, services));
}

/** Accepts raw bodies of any content type: the signature covers every byte. */
function receiveEvents(app: FastifyInstance, services: PortalServices): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const options = { bodyLimit: MAX_EVENT_BYTES, config: { signed: true, operation: EVENT } };
  app.post('/billing/webhook', options, async (request) => {
    const signature = request.headers['stripe-signature'];
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await selling(services).receive(body, signature?.toString());
    return { received: true };
  });
}

/**
 * Limit on checkouts per account: more than a buyer needs. Each stays open for a day and is expired
 * with its account.
 */
const CHECKOUTS = { limit: 10, windowSeconds: 60 * 60 };

/**
 * Returns payment for a purchase, limiting checkouts per account. A disabled account may not buy,
 * but may still end its membership.
 */
async function sellingTo(
  { id, disabled }: Account,
  services: PortalServices,
  reply: FastifyReply,
): Promise<Payment> {
  const payment = selling(services);
  if (disabled) throw new Problem('account-disabled', 'a disabled account cannot buy anything');
  const { ledger, now } = services;
  const { allowed, rate } = await ledger.takeLimited(`checkouts of ${id}`, CHECKOUTS, now());
  if (!allowed) throw rateLimited(reply, rate, 'checkouts');
  return payment;
}

function selling({ payment }: PortalServices): Payment {
  if (payment) return payment;
  throw new Problem('membership-unavailable', 'purchases are not available here');
}

const checkout = z.object({
  checkout_url: z.url().meta({ description: 'Where the owner pays, in a browser.' }),
});
const CHECKOUT_EXAMPLE = { checkout_url: 'https://checkout.stripe.com/c/pay/cs_a1B2c3' };
const NOT_SOLD: readonly ProblemSlug[] = ['membership-unavailable', 'payment-unavailable'];

const SUBSCRIBE: PortalOperation = {
  operationId: 'subscribe',
  summary: 'Start a membership',
  description:
    'Creates a checkout to be paid in a browser; up to 10 an hour, token packs included. For members, the error states where the membership is managed.',
  tag: 'Payment',
  access: 'change',
  response: {
    description: 'The address of the checkout.',
    schema: checkout,
    example: CHECKOUT_EXAMPLE,
  },
  problems: ['already-subscribed', 'account-disabled', ...NOT_SOLD],
};

const BUY: PortalOperation = {
  operationId: 'buyPack',
  summary: 'Buy a token pack',
  description: 'Creates a checkout; up to 10 an hour. `GET /v1/plans` of the API lists the packs.',
  tag: 'Payment',
  access: 'change',
  body: PACK,
  bodyExample: { pack_id: 'pack_10k' },
  response: {
    description: 'The address of the checkout.',
    schema: checkout,
    example: CHECKOUT_EXAMPLE,
  },
  problems: ['account-disabled', ...NOT_SOLD],
};

const MANAGE: PortalOperation = {
  operationId: 'manageMembership',
  summary: 'Manage membership and invoices',
  description: 'Creates a single-use page of the payment processor.',
  tag: 'Payment',
  access: 'change',
  response: {
    description: 'The address of the page.',
    schema: z.object({ portal_url: z.url() }),
    example: { portal_url: 'https://billing.stripe.com/p/session/a1B2c3' },
  },
  problems: NOT_SOLD,
};

const FOLLOW: PortalOperation = {
  operationId: 'openMembership',
  summary: 'Open membership and invoice management',
  description:
    'The same as a permanent link. Browsers can follow it from the pages of the portal only.',
  tag: 'Payment',
  access: 'session',
  response: {
    status: 303,
    description: 'Redirects to a page of the payment processor, or to the plan page of the portal.',
  },
  problems: ['invalid-csrf-token', ...NOT_SOLD],
};

const EVENT: PortalOperation = {
  operationId: 'receiveEvent',
  summary: 'Receive an event from the payment processor',
  description: 'Responds once the event is stored on disk. It is processed afterwards.',
  tag: 'Payment',
  access: 'open',
  isLenient: true,
  headers: z.object({
    'Stripe-Signature': z
      .string()
      .meta({ description: 'Signature of the exact bytes of the body.' }),
  }),
  body: z.looseObject({}),
  bodyExample: { id: 'evt_1', type: 'invoice.paid' },
  response: {
    description: 'The event is stored.',
    schema: z.object({ received: z.literal(true) }),
    example: { received: true },
  },
  problems: ['invalid-signature', 'membership-unavailable', 'debit-unavailable'],
};
