import { expect, test } from 'vitest';
import { openedOnceReachable } from '../../portal/accounts/late-ledger.ts';
import { type Ledger, LedgerUnavailable } from '../../portal/accounts/ledger.ts';

const away = (words: string) => new LedgerUnavailable(words, { isAway: true });

/** A ledger that fails to open with these errors, one after another, before it does. */
function failing(...errors: Error[]) {
  const atMs: number[] = [];
  const state = { closed: 0, warned: [] as string[], atMs };
  const ledger = {
    tokens: 9,
    async account(this: { tokens: number }, id: string) {
      return { id, balance: this.tokens };
    },
    async close() {
      state.closed++;
    },
  } as unknown as Ledger;
  const open = async () => {
    atMs.push(Date.now());
    const error = errors[atMs.length - 1];
    if (error) throw error;
    return ledger;
  };
  return { state, ledger, opened: openedOnceReachable(open, (words) => state.warned.push(words)) };
}

const isOpen = (ledger: Ledger) => ledger.account('a').then(Boolean, () => false);

test('a ledger that can be reached is opened as it is', async () => {
  const { ledger, opened, state } = failing();
  expect(await opened).toBe(ledger);
  expect([state.atMs.length, state.warned]).toEqual([1, []]);
});

test('one that will never open is an error at once', async () => {
  for (const error of [new LedgerUnavailable('wrong password'), new TypeError('no address')]) {
    const { opened, state } = failing(error);
    await expect(opened).rejects.toBe(error);
    expect([state.atMs.length, state.warned]).toEqual([1, []]);
  }
});

test('one that is away is tried until it is there; until then, calls fail for the last reason', async () => {
  const { opened, state } = failing(...['1.', '2.', '3.', '4.', '5.'].map(away));
  const ledger = await opened;
  expect(state.warned).toEqual(['1. Requests that need no account are served meanwhile.']);
  for (const n of [2, 3]) {
    await expect.poll(() => state.atMs.length, { interval: 1 }).toBe(n);
    await expect(ledger.ping()).rejects.toMatchObject({ message: `${n}.`, isAway: true });
  }
  await expect.poll(() => isOpen(ledger), { interval: 1 }).toBe(true);
  expect(await ledger.account('b')).toEqual({ id: 'b', balance: 9 });
  // The second attempt follows at once; then they become rarer, up to a limit.
  const pauses = state.atMs.slice(2).map((ms, i) => ms - state.atMs[i + 1]);
  for (const [i, atLeast] of [100, 200, 400, 500].entries()) {
    expect(pauses[i]).toBeGreaterThan(atLeast - 5);
  }
  expect(pauses[3]).toBeLessThan(pauses[0] + pauses[1] + pauses[2]);
  expect(state.warned).toHaveLength(1);
  await ledger.close();
  expect(state.closed).toBe(1);
});

test('a wrong password that shows later is told once, and tried again, as it may be put right', async () => {
  const wrong = new LedgerUnavailable('wrong password');
  const { opened, state } = failing(away('no connection.'), wrong, wrong);
  const ledger = await opened;
  await expect.poll(() => isOpen(ledger), { interval: 1 }).toBe(true);
  expect(state.warned.slice(1)).toEqual(['wrong password']);
  await ledger.close();
});

test('an error of another kind ends the attempts, and is what calls fail with', async () => {
  const fault = new RangeError('a fault of ours');
  const { opened, state } = failing(away('no connection.'), fault);
  const ledger = await opened;
  await expect.poll(() => state.warned.length, { interval: 1 }).toBe(2);
  const told = 'stopped trying to open the ledger: a fault of ours';
  expect(state.warned[1]).toBe(told);
  await expect(ledger.account('a')).rejects.toMatchObject({ message: told, cause: fault });
  await ledger.close();
  expect([state.atMs.length, state.closed]).toEqual([2, 0]);
});

test('closing ends the attempts, without a word', async () => {
  const { opened, state } = failing(...['1.', '2.', '3.'].map(away));
  const ledger = await opened;
  await ledger.close();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect([state.atMs.length, state.warned.length, state.closed]).toEqual([2, 1, 0]);
  await expect(ledger.account('a')).rejects.toThrow(LedgerUnavailable);
});
