import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reconcile } from '../../portal/payment/reconcile.ts';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { DAY, PaymentFixture } from '../support/payment-fixture.ts';
import type {
  Charge,
  Dispute,
  StripeEvent,
  Subscription,
} from '../support/stripe-stand-in/objects.ts';

/** Random actions of customers and banks. */
const action = fc.oneof(
  fc.record({ kind: fc.constant('subscribe' as const), who: fc.nat() }),
  fc.record({ kind: fc.constant('pack' as const), who: fc.nat() }),
  fc.record({ kind: fc.constant('use' as const), who: fc.nat(), tokens: fc.nat(500) }),
  fc.record({
    kind: fc.constant('refund' as const),
    which: fc.nat(),
    part: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('dispute' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('decide' as const), which: fc.nat(), isWon: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(), atOnce: fc.boolean() }),
  fc.record({ kind: fc.constant('money' as const), who: fc.nat(), isThere: fc.boolean() }),
  fc.record({ kind: fc.constant('time' as const), days: fc.integer({ min: 1, max: 40 }) }),
);

interface Sale {
  readonly account: AccountId;
  readonly tokens: number;
  readonly charge: Charge;
}

const newAddress = newSqliteLedgers();

test('events delivered in order, shuffled, twice, late or never lead to equal ledgers, as in a plain calculation', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 8, maxLength: 25 }),
      fc.infiniteStream(fc.nat()),
      async (actions, dice) => {
        const shop = await PaymentFixture.open(newAddress());
        const others = await Promise.all(
          [1, 2].map(async () => openLedger(newAddress(), { rateLimitPerMinute: 1e6 })),
        );
        try {
          const accounts = [await shop.newAccount(), await shop.newAccount()];
          for (const id of accounts) {
            const start = { tokens: 20_000, cause: 'start', atMs: shop.now() };
            await shop.ledger.grant(id, start, 'operator');
            const books = (await shop.ledger.exportAccount(id))!;
            for (const ledger of others) await ledger.importAccount(books);
          }
          const reported: StripeEvent[] = [];
          const used = new Map<AccountId, number>();
          for (const one of actions) {
            await act(shop, accounts, used, one);
            reported.push(...shop.books.events);
            await shop.deliverNew();
          }
          const [shuffled, lost] = others;
          await deliverInDisorder(shop, shuffled, reported, dice);
          await reconcile(shop.billing(lost), null);
          await reconcile(shop.billing(lost), null);
          expect(shop.errors).toEqual([]);
          for (const id of accounts) {
            const inOrder = await shop.standing(id);
            expect(inOrder.addsUp).toBe(true);
            const bought = inOrder.balance - 20_000 + (used.get(id) ?? 0);
            expect(bought).toBe(reckoned(shop, id));
            for (const ledger of others) {
              const { membership, balance } = (await ledger.account(id))!;
              expect(membership).toEqual(inOrder.membership);
              expect(balance).toBe(20_000 + bought);
            }
          }
        } finally {
          await shop.close();
          for (const ledger of others) await ledger.close();
        }
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
});

async function act(
  shop: PaymentFixture,
  accounts: readonly AccountId[],
  used: Map<AccountId, number>,
  one: typeof action extends fc.Arbitrary<infer A> ? A : never,
): Promise<void> {
  const { books } = shop;
  const account = 'who' in one ? accounts[one.who % accounts.length] : accounts[0];
  const chosen = <T>(list: readonly T[], which: number): T | undefined =>
    list[which % Math.max(list.length, 1)];
  if (one.kind === 'subscribe') {
    const isFree = ![...books.subscriptions.values()].some(
      ({ status, metadata }) => status !== 'canceled' && metadata.account === account,
    );
    if (isFree) {
      const { customer } = await shop.account(account);
      if (customer !== null) books.withoutMoney.delete(customer);
      await shop.subscribe(account);
    }
  } else if (one.kind === 'pack') {
    await shop.buyPack(account, 'pack_10k');
  } else if (one.kind === 'use') {
    await shop.use(account, one.tokens);
    used.set(account, (used.get(account) ?? 0) + one.tokens);
  } else if (one.kind === 'refund') {
    const open = [...books.charges.values()].filter((charge) => !disputesOf(shop, charge).length);
    const charge = chosen(open, one.which);
    const left = charge ? charge.amount - charge.amount_refunded : 0;
    if (charge && left > 0) books.refund(charge, Math.ceil(left / one.part));
  } else if (one.kind === 'dispute') {
    const open = [...books.charges.values()].filter((charge) => !disputesOf(shop, charge).length);
    const charge = chosen(open, one.which);
    if (charge && charge.amount > charge.amount_refunded) {
      books.dispute(charge, charge.amount - charge.amount_refunded);
    }
  } else if (one.kind === 'decide') {
    // Decides a dispute, which may have been decided already.
    const dispute = chosen([...books.disputes.values()], one.which);
    if (dispute) books.closeDispute(dispute, one.isWon ? 'won' : 'lost');
  } else if (one.kind === 'cancel') {
    const open = [...books.subscriptions.values()].filter(({ status }) => status !== 'canceled');
    const subscription: Subscription | undefined = chosen(open, one.which);
    if (!subscription) return;
    if (one.atOnce) books.cancel(subscription);
    else books.cancelAtPeriodEnd(subscription);
  } else if (one.kind === 'money') {
    const { customer } = await shop.account(account);
    if (customer === null) return;
    if (one.isThere) books.withoutMoney.delete(customer);
    else books.withoutMoney.add(customer);
  } else {
    books.advance(one.days * DAY);
  }
}

/** Delivers the same events again, in any order, some twice, with portals that stop midway. */
async function deliverInDisorder(
  shop: PaymentFixture,
  ledger: Ledger,
  reported: readonly StripeEvent[],
  dice: Iterator<number>,
): Promise<void> {
  const roll = (sides: number) => dice.next().value % sides;
  const events = [...reported, ...reported.filter(() => roll(3) === 0)];
  for (let i = events.length - 1; i > 0; i--) {
    const j = roll(i + 1);
    [events[i], events[j]] = [events[j], events[i]];
  }
  let payment = shop.paymentFor(ledger);
  for (const event of events) {
    const { body, signature } = shop.standIn.sign(event);
    await payment.receive(body, signature);
    if (roll(6) > 0) continue;
    await payment.close();
    payment = shop.paymentFor(ledger);
  }
  await payment.settleOpenEvents();
  await payment.close();
  expect(await ledger.openEvents(10)).toEqual([]);
}

/**
 * The tokens that an account's payments are worth: of each sale, the part that is neither refunded
 * nor disputed, unless the dispute was won.
 */
function reckoned(shop: PaymentFixture, account: AccountId): number {
  return salesTo(shop, account).reduce((sum, { tokens, charge }) => {
    const disputed = disputesOf(shop, charge)
      .filter(({ status }) => status !== 'won')
      .reduce((cents, { amount }) => cents + amount, 0);
    const gone = Math.min(charge.amount, charge.amount_refunded + disputed);
    return sum + tokens - Math.floor((tokens * gone) / charge.amount);
  }, 0);
}

function salesTo({ books }: PaymentFixture, account: AccountId): Sale[] {
  const invoices = [...books.invoices.values()].filter(
    ({ status, parent }) =>
      status === 'paid' && parent?.subscription_details.metadata.account === account,
  );
  const sessions = [...books.sessions.values()].filter(
    ({ mode, payment_status, client_reference_id }) =>
      mode === 'payment' && payment_status === 'paid' && client_reference_id === account,
  );
  return [...invoices, ...sessions].map((paid) => ({
    account,
    tokens: 10_000,
    charge: books.chargeOf(paid),
  }));
}

function disputesOf({ books }: PaymentFixture, { id }: Charge): Dispute[] {
  return [...books.disputes.values()].filter(({ charge }) => charge === id);
}
