import { expect, test } from 'vitest';
import { findAddresses } from '../../proxy/queries/addresses/find-addresses.ts';
import { baltimoreStore } from '../support/baltimore-release.ts';
import { openProxy, proxyOfTests } from '../support/proxy-harness.ts';
import { Dice } from '../transit/dice.ts';
import { baltimoreAddresses } from './baltimore-addresses.ts';
import { demoAddresses } from './demo-addresses.ts';
import { searchMisspelt } from './found-addresses.ts';
import type { PlainAddress } from './misspell.ts';

const demo = proxyOfTests();
const SEARCHED = 1_000;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Searches misspelt addresses of a release; expects the right block of nearly all. */
async function expectFound(
  { releases }: Pick<typeof demo, 'releases'>,
  list: readonly PlainAddress[],
  asked: readonly PlainAddress[],
): Promise<void> {
  const cpuMs: number[] = [];
  const report = await searchMisspelt(list, asked, seed, async (text) => {
    const start = process.cpuUsage();
    const found = (await findAddresses(releases.current, text, null, 5)) ?? [];
    cpuMs.push(process.cpuUsage(start).user / 1_000);
    return found;
  });
  const { texts, right, taken, ambiguous, listed, misled, missed } = report;
  const median = cpuMs.sort((a, b) => a - b)[Math.floor(cpuMs.length / 2)];
  const said = `SEED=${seed}: ${right} of ${texts} right, ${taken} of them taken; ${listed} of ${ambiguous} ambiguous ones listed; ${median.toFixed(1)} ms of CPU time each, as a median\n${missed.join('\n')}`;
  process.stdout.write(`${said}\n`);
  expect(misled, said).toEqual([]);
  expect(right / texts, said).toBeGreaterThanOrEqual(0.98);
  expect(taken / texts, said).toBeGreaterThanOrEqual(0.9);
  expect(listed, said).toBe(ambiguous);
}

test('addresses of the demo city are found with three mistakes; none is taken for another', async () => {
  const list = demoAddresses();
  const dice = new Dice(seed);
  const asked = Array.from({ length: SEARCHED }, () => dice.pick(list));
  await expectFound(demo, list, asked);
});

test('all house numbers of Baltimore are found with three mistakes; none is taken for another', async () => {
  const baltimore = await openProxy(await baltimoreStore());
  try {
    const list = await baltimoreAddresses();
    expect(list.length).toBeGreaterThan(700);
    await expectFound(baltimore, list, list);
  } finally {
    await baltimore.close();
  }
});
