import { expect, test } from 'vitest';
import { KeptSecrets } from '../../proxy/ledger/kept-secrets.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { ofThisTest } from '../support/test-resources.ts';

const away = () => new LedgerUnavailable('no connection', { isAway: true });

/**
 * A ledger that fails the given number of times before it returns a secret, and the requested
 * names.
 */
function failing(times: number, error: () => Error = away) {
  const asked: string[] = [];
  const secret = async (name: string) => {
    asked.push(name);
    if (asked.length <= times) throw error();
    return `secret of ${name}`;
  };
  return { ledger: { secret }, asked };
}

test('secrets from the settings are used, and none is requested from the ledger', async () => {
  const { ledger, asked } = failing(0);
  const kept = await ofThisTest(KeptSecrets.open(['first', 'second'], ledger, 'links'));
  expect(kept.all).toEqual(['first', 'second']);
  expect(asked).toEqual([]);
});

test('without secrets in the settings, the secret of that name in the ledger is used', async () => {
  const { ledger, asked } = failing(0);
  const kept = await ofThisTest(KeptSecrets.open(undefined, ledger, 'links'));
  expect(kept.all).toEqual(['secret of links']);
  expect(asked).toEqual(['links']);
});

test('while the ledger is away there are no secrets, and requests are repeated until it is back', async () => {
  const { ledger, asked } = failing(3);
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const [beganMs, before] = [performance.now(), timers()];
  const kept = await ofThisTest(KeptSecrets.open(undefined, ledger, 'links'));
  // The timer of the next request does not keep the process alive.
  expect(timers()).toBe(before);
  expect(() => kept.all).toThrow(new LedgerUnavailable('the secrets of the ledger are not loaded'));
  await expect.poll(() => asked.length, { interval: 5 }).toBe(4);
  expect(performance.now() - beganMs).toBeGreaterThan(3 * 100);
  expect(kept.all).toEqual(['secret of links']);
});

test('closing ends the requests to the ledger', async () => {
  const { ledger, asked } = failing(9);
  const kept = await KeptSecrets.open(undefined, ledger, 'links');
  kept.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The second request, too, was made while opening.
  expect(asked).toHaveLength(2);
  expect(() => kept.all).toThrow(LedgerUnavailable);
});

test('a ledger that refuses access, or fails in an unexpected way, is an error at once', async () => {
  for (const error of [new LedgerUnavailable('wrong password'), new Error('a fault of ours')]) {
    const { ledger, asked } = failing(1, () => error);
    await expect(KeptSecrets.open(undefined, ledger, 'links')).rejects.toBe(error);
    expect(asked).toHaveLength(1);
  }
});
