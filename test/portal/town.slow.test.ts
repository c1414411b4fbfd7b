import { randomInt } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { expectAccountedFor } from '../support/audited-customers.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { Town } from './town.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Number of restarts of each of the two servers. */
const RESTARTS_PER_DAY = 10;

test.each([
  ['SQLite', newSqliteLedgers()],
  ['Redis', newRedisLedgers()],
])('after a day in a small town every token is accounted for, on %s', async (_name, newAddress) => {
  const seed = randomInt(2 ** 31);
  const random = new Random(seed);
  const town = await Town.open(newAddress(), inject('demoStore'), random);
  try {
    await aMonthBefore(town);
    const urls = await town.urls();
    const [proxyRestarts, portalRestarts] = [hoursOfRestarts(random), hoursOfRestarts(random)];
    for (let hour = 0; hour < 24; hour++) {
      const restarts = { proxy: proxyRestarts.has(hour), portal: portalRestarts.has(hour) };
      await anHour(town, urls, restarts);
    }
    await town.shop.reconcile();
    await town.shop.payment.settleOpenEvents();
    expect(town.citizens.length).toBeGreaterThan(15);
    expect(town.restarts).toBe(2 * RESTARTS_PER_DAY);
    const { ledger, books, now } = town.shop;
    for (const citizen of town.citizens) {
      await expectAccountedFor({ ledger, books, nowMs: now() }, citizen);
    }
    expect(town.shop.errors).toEqual([]);
  } catch (error) {
    throw new Error(`the town of seed ${seed}: ${String(error)}`, { cause: error });
  } finally {
    await town.close();
  }
});

/** Adds earlier customers, some with memberships, so that periods end within the day. */
async function aMonthBefore(town: Town): Promise<void> {
  for (let day = 0; day < 15; day++) {
    await town.settle();
    if (day % 3 > 0) await town.subscribe(town.citizens.at(-1)!);
    await town.post();
    town.shop.books.advance(2 * DAY);
  }
}

/** Draws the hours at which a server restarts, the same number of hours in every town. */
function hoursOfRestarts(random: Random): ReadonlySet<number> {
  return new Set(random.shuffle([...Array(24).keys()]).slice(0, RESTARTS_PER_DAY));
}

async function anHour(
  town: Town,
  urls: readonly string[],
  restarts: { readonly proxy: boolean; readonly portal: boolean },
): Promise<void> {
  const { random, shop } = town;
  const { books } = shop;
  if (random.chance(0.5)) await town.settle();
  const someone = () => random.pick(town.citizens);
  const paid = () => [...books.charges.values()].filter((charge) => charge.amount_refunded === 0);
  const members = () => [...books.subscriptions.values()].filter((one) => one.status === 'active');
  if (random.chance(0.4)) await town.subscribe(someone());
  if (random.chance(0.4)) await town.buyPack(someone());
  if (random.chance(0.2)) await town.changeKey(someone());
  if (random.chance(0.3) && paid().length > 0) {
    const charge = random.pick(paid());
    books.refund(charge, random.chance(0.5) ? charge.amount : charge.amount / 4);
  }
  if (random.chance(0.3)) books.withoutMoney.add(random.pick(members()).customer);
  if (random.chance(0.1)) books.cancelAtPeriodEnd(random.pick(members()));
  if (random.chance(0.1)) books.cancel(random.pick(members()));
  // A server may stop during a request.
  await Promise.all([
    ...Array.from({ length: 8 }, () => town.call(someone(), random.pick(urls))),
    restarts.proxy ? town.restartProxy() : null,
  ]);
  await Promise.all([town.post(), shop.payment.settleOpenEvents()]);
  if (restarts.portal) await town.restartPortal();
  if (random.chance(0.05)) await shop.reconcile(shop.now() - DAY * 1000);
  books.advance(HOUR);
}
