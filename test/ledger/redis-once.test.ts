import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LedgerUnavailable, RefundPending } from '../../proxy/ledger/ledger.ts';
import type { RedisConnection } from '../../proxy/ledger/redis/connection.ts';
import { type ChangeId, Once } from '../../proxy/ledger/redis/once.ts';
import { forAll } from '../support/for-all.ts';

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 5, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const lost = () => new LedgerUnavailable('the reply was lost', { mayBeDone: true });
const unsent = () => new LedgerUnavailable('no connection');

/** Makes a `Once` on a stand-in for Redis, which records each request to undo a change. */
function withRedis(undo: () => Promise<unknown> = async () => 1) {
  const undone: { keys: readonly string[]; args: readonly unknown[] }[] = [];
  const redis = {
    shown: 'redis://host:1/0',
    run: (_script: unknown, keys: readonly string[], args: readonly unknown[]) => {
      undone.push({ keys, args });
      return undo();
    },
  } as unknown as RedisConnection;
  const warned: string[] = [];
  const once = new Once(redis, (words) => warned.push(words));
  const charge = (account: string, ask: (id: ChangeId) => Promise<unknown>, tokens = 7) =>
    once.charge({ account, field: 'day and key', tokens }, ask);
  const giveBack = (account: string, ask: (id: ChangeId) => Promise<unknown>, tokens = 7) =>
    once.giveBack({ account, tokens }, ask);
  return { once, charge, giveBack, undone, warned };
}

/** A change that the test ends. */
interface UnderWay {
  readonly account: string;
  readonly id: ChangeId;
  end(error?: Error): void;
  readonly ended: Promise<unknown>;
}

const step = fc.record({
  account: fc.constantFrom('a', 'b'),
  does: fc.constantFrom('charge', 'charge', 'give back', 'end', 'end', 'lose', 'fail'),
  which: fc.nat(100),
  clockMs: fc.constantFrom(0, 0, 1, 50, -3_600_000),
});

test('changes of an account have growing numbers, and each sequence has at most one under way', () =>
  forAll(200, fc.array(step, { maxLength: 60 }), async (steps) => {
    const { charge, giveBack, undone } = withRedis();
    const underWay: UnderWay[] = [];
    let [last, made] = [0, 0];
    for (const { account, does, which, clockMs } of steps) {
      vi.setSystemTime(Date.now() + clockMs);
      if (does === 'charge' || does === 'give back') {
        const change = does === 'charge' ? charge : giveBack;
        const begun = {} as { id: ChangeId; end: UnderWay['end'] };
        const ended = change(account, (id) => {
          begun.id ??= id;
          return new Promise((resolve, reject) => {
            begun.end = (error) => (error ? reject(error) : resolve('done'));
          });
        });
        ended.catch(() => {});
        const { id } = begun;
        expect(id.number).toBeGreaterThan(last);
        last = id.number;
        const own = underWay.filter((one) => one.account === account);
        const inUse = own.map((one) => one.id.sequence);
        expect(inUse).not.toContain(id.sequence);
        // As few sequences as possible are in use.
        const [, index] = /^[\w-]{8}\.(\d+)$/.exec(id.sequence)!;
        expect(Number(index)).toBeLessThanOrEqual(own.length);
        underWay.push({ account, id, end: (error) => begun.end(error), ended });
        made++;
      } else if (underWay.length > 0) {
        const [one] = underWay.splice(which % underWay.length, 1);
        if (does === 'end') {
          one.end();
          expect(await one.ended).toBe('done');
        } else {
          const error = does === 'fail' ? new Error('refused') : unsent();
          one.end(error);
          const failure = await one.ended.catch((reason: unknown) => reason);
          if (!(failure instanceof RefundPending)) expect(failure).toBe(error);
          else one.end();
          await vi.advanceTimersByTimeAsync(1);
        }
      }
    }
    // None of these charges can have been made, so none is undone.
    expect(undone).toEqual([]);
    expect(underWay.length).toBeLessThanOrEqual(made);
  }));

test('a charge whose reply was lost is undone under its number until the undo is acknowledged', async () => {
  let refusals = 3;
  const { charge, undone, warned } = withRedis(async () => {
    if (refusals-- > 0) throw unsent();
    return 1;
  });
  const ids: ChangeId[] = [];
  const failing = charge('a', async (id) => {
    ids.push(id);
    throw lost();
  });
  await expect(failing).rejects.toThrow(RefundPending);
  await expect(failing).rejects.toThrow('the reply was lost; any charge will be refunded');
  await expect(failing).rejects.toMatchObject({ cause: { message: 'the reply was lost' } });
  // The sequence of the charge is not used meanwhile, but that of another account is.
  for (const account of ['a', 'b']) await charge(account, async (id) => ids.push(id));
  expect(ids[1].sequence).not.toBe(ids[0].sequence);
  expect(ids[2].sequence).toBe(ids[0].sequence);
  expect(undone).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(undone).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(undone).toHaveLength(4);
  const [sequence, number, barred, field, tokens, responses] = undone[0].args;
  expect([sequence, number, field, tokens]).toEqual([
    ids[0].sequence,
    ids[0].number,
    'day and key',
    7,
  ]);
  expect(barred).toBeGreaterThan(ids[0].number);
  for (const key of [...undone[0].keys, responses]) expect(key).toContain('{a}');
  expect(new Set(undone[0].keys).size).toBe(5);
  for (const each of undone) expect(each).toEqual(undone[0]);
  // Now the sequence is used again, with a number above the barred ones.
  await charge('a', async (id) => ids.push(id));
  expect(ids[3].sequence).toBe(ids[0].sequence);
  expect(ids[3].number).toBeGreaterThan(barred as number);
  await vi.advanceTimersByTimeAsync(DAY_MS * 2);
  expect([undone.length, warned, vi.getTimerCount()]).toEqual([4, [], 0]);
});

test('a refund is repeated under the same number until it is acknowledged', async () => {
  const { giveBack, undone } = withRedis();
  const ids: ChangeId[] = [];
  const refund = giveBack('a', async (id) => {
    ids.push(id);
    if (ids.length < 5) throw ids.length % 2 ? unsent() : lost();
    return 'done';
  });
  await expect(refund).rejects.toThrow(RefundPending);
  await expect(refund).rejects.toThrow('no connection; 7 tokens will be refunded later');
  await expect(refund).rejects.toMatchObject({ cause: { message: 'no connection' } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ids).toEqual(Array.from({ length: 5 }, () => ids[0]));
  expect(undone).toEqual([]);
});

test('a charge that cannot be undone for another reason is reported and given up', async () => {
  const { charge, undone, warned } = withRedis(async () => {
    throw new Error('no such account');
  });
  const lose = () => charge('a', async () => Promise.reject(lost())).catch(() => {});
  await lose();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(undone).toHaveLength(1);
  expect(warned).toEqual([
    'ledger redis://host:1/0: the refund to a failed: Error: no such account',
  ]);
  await lose();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(undone.map(({ args }) => args[0])).toEqual([undone[0].args[0], undone[0].args[0]]);
});

test('an undo or refund that Redis does not acknowledge for a day is reported and given up', async () => {
  const { charge, giveBack, undone, warned } = withRedis(async () => Promise.reject(unsent()));
  /** Lets time pass, during which Redis gets a few requests. */
  const pass = async (ms: number) => {
    vi.setSystemTime(Date.now() + ms - 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
  };
  await charge('a', async () => Promise.reject(lost())).catch(() => {});
  await pass(3_600_000);
  let asked = 0;
  await giveBack('b', async () => {
    asked++;
    throw unsent();
  }).catch(() => {});
  await pass(DAY_MS - 3_700_000);
  expect(warned).toEqual([]);
  await pass(200_000);
  const told = 'ledger redis://host:1/0: did not respond for a day; tokens owed, if charged: 7 to ';
  expect(warned).toEqual([`${told}a`]);
  const before = undone.length;
  await pass(DAY_MS);
  expect(warned).toEqual([`${told}a`, `${told}b`]);
  const given = asked;
  await pass(DAY_MS);
  expect([undone.length, asked, vi.getTimerCount()]).toEqual([before, given, 0]);
});

test('closing waits two seconds for pending refunds, and reports those that remain', async () => {
  const { once: owing, warned: nothing } = withRedis();
  await owing.close();
  expect(nothing).toEqual([]);
  for (const [answersMs, report] of [
    [1_000, []],
    [
      60_000,
      [
        'ledger redis://host:1/0: did not respond before it was closed; tokens owed, if charged: 7 to a, 5 to b',
      ],
    ],
  ] as const) {
    const begunMs = Date.now();
    const { once, charge, giveBack, undone, warned } = withRedis(async () => {
      if (Date.now() < begunMs + answersMs) throw unsent();
    });
    await charge('a', async () => Promise.reject(lost())).catch(() => {});
    const refund = async () => {
      if (Date.now() < begunMs + answersMs) throw unsent();
    };
    await giveBack('b', refund, 5).catch(() => {});
    let isClosed = false;
    const closing = once.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(900);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_500);
    await closing;
    expect(warned).toEqual(report);
    const before = undone.length;
    // After closing, no refund is promised any more.
    const error = unsent();
    await expect(giveBack('b', async () => Promise.reject(error))).rejects.toBe(error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([undone.length, vi.getTimerCount()]).toEqual([before, 0]);
  }
});

test('ten thousand refunds may be pending before charges are refused, and twice as many in all', async () => {
  let isUp = false;
  let [atOnce, most] = [0, 0];
  const answer = async () => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    if (!isUp) throw unsent();
  };
  const { charge, giveBack, undone } = withRedis(answer);
  const outcomes = async (change: () => Promise<unknown>, times: number) => {
    const names = new Map<string, number>();
    for (let i = 0; i < times; i++) {
      const name = await change().then(
        () => 'made',
        ({ name, message }: Error) => (name === 'RefundPending' ? name : message),
      );
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    return Object.fromEntries(names);
  };
  let account = 0;
  const lose = () => charge(`account ${account++}`, async () => Promise.reject(lost()));
  const refund = async () => {
    if (!isUp) throw unsent();
  };
  const refuse = () => giveBack(`account ${account++}`, refund);
  expect(await outcomes(lose, 10_003)).toEqual({
    RefundPending: 10_000,
    'ledger redis://host:1/0: too many refunds are pending': 3,
  });
  expect(await outcomes(refuse, 10_003)).toEqual({ RefundPending: 10_000, 'no connection': 3 });
  isUp = true;
  const before = undone.length;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(undone.length - before).toBeGreaterThanOrEqual(9_900);
  // Refunds are not all sent at once to a Redis that has just come back.
  expect(most).toBe(100);
  expect(await outcomes(async () => charge('a', async () => 'done'), 1)).toEqual({ made: 1 });
});
