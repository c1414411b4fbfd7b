import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ledger, LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { openedOnceReachable } from '../../proxy/ledger/open-ledger.ts';

/** The requested pauses, in milliseconds. In these tests, each lasts only two. */
let pausesMs: (number | undefined)[] = [];
const { setTimeout: pause } = timers;
const setPause = (by: typeof pause) => {
  timers.setTimeout = by;
  syncBuiltinESMExports();
};
beforeEach(() => {
  pausesMs = [];
  setPause((ms, ...rest) => {
    pausesMs.push(ms);
    return pause(2, ...rest);
  });
});
afterEach(() => setPause(pause));

const away = (words: string) => new LedgerUnavailable(words, { isAway: true });

/** A ledger that fails to open with the given errors, one after another, before it opens. */
function failing(...errors: Error[]) {
  const state = { closed: 0, warned: [] as string[], attempts: 0 };
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
    const error = errors[state.attempts++];
    if (error) throw error;
    return ledger;
  };
  return { state, ledger, opened: openedOnceReachable(open, (words) => state.warned.push(words)) };
}

const isOpen = (ledger: Ledger) => ledger.account('a').then(Boolean, () => false);

test('a ledger that can be reached is opened as it is', async () => {
  const { ledger, opened, state } = failing();
  expect(await opened).toBe(ledger);
  expect([state.attempts, state.warned]).toEqual([1, []]);
});

test('a ledger that will never open is an error at once', async () => {
  for (const error of [new LedgerUnavailable('wrong password'), new TypeError('no address')]) {
    const { opened, state } = failing(error);
    await expect(opened).rejects.toBe(error);
    expect([state.attempts, state.warned]).toEqual([1, []]);
  }
});

test('a ledger that is away is retried until it opens; until then, calls fail with the last error', async () => {
  const { opened, state } = failing(...['1.', '2.', '3.', '4.', '5.'].map(away));
  const ledger = await opened;
  expect(state.warned).toEqual(['1. Requests that need no account are served meanwhile.']);
  for (const n of [2, 3]) {
    await expect.poll(() => state.attempts, { interval: 1 }).toBe(n);
    await expect(ledger.ping()).rejects.toMatchObject({ message: `${n}.`, isAway: true });
  }
  await expect.poll(() => isOpen(ledger), { interval: 1 }).toBe(true);
  expect(await ledger.account('b')).toEqual({ id: 'b', balance: 9 });
  // The second attempt follows at once; later ones follow after growing pauses, up to a limit.
  expect(pausesMs).toEqual([100, 200, 400, 500]);
  expect(state.warned).toHaveLength(1);
  await ledger.close();
  expect(state.closed).toBe(1);
});

test('a wrong password found later is reported once and retried, since it may be corrected', async () => {
  const wrong = new LedgerUnavailable('wrong password');
  const { opened, state } = failing(away('no connection.'), wrong, wrong, wrong);
  const ledger = await opened;
  await expect.poll(() => isOpen(ledger), { interval: 1 }).toBe(true);
  expect(state.warned.slice(1)).toEqual(['wrong password']);
  await ledger.close();
});

test('an error of another kind ends the attempts, and calls fail with it', async () => {
  const fault = new RangeError('a fault of ours');
  const { opened, state } = failing(away('no connection.'), fault);
  const ledger = await opened;
  await expect.poll(() => state.warned.length, { interval: 1 }).toBe(2);
  const told = 'stopped trying to open the ledger: a fault of ours';
  expect(state.warned[1]).toBe(told);
  await expect(ledger.account('a')).rejects.toMatchObject({ message: told, cause: fault });
  await ledger.close();
  expect([state.attempts, state.closed]).toEqual([2, 0]);
});

test('closing ends the attempts without a warning', async () => {
  const { opened, state } = failing(...['1.', '2.', '3.'].map(away));
  const ledger = await opened;
  await ledger.close();
  await pause(20);
  expect([state.attempts, state.warned.length, state.closed]).toEqual([2, 1, 0]);
  await expect(ledger.account('a')).rejects.toThrow(LedgerUnavailable);
});
