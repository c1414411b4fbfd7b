import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { LeasedRates, RateLeases } from '../../infra/processes/rate-leases.ts';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

/** One-way messages: each takes a random time, and none overtakes another. */
class Wire {
  readonly #delayMs: () => number;
  #lastMs = 0;
  sent = 0;

  constructor(delayMs: () => number) {
    this.#delayMs = delayMs;
  }

  async send<T>(value: T): Promise<T> {
    this.sent++;
    this.#lastMs = Math.max(this.#lastMs, performance.now() + this.#delayMs());
    await new Promise((resolve) => setTimeout(resolve, this.#lastMs - performance.now()));
    return value;
  }
}

/** Processes that share a limit through a parent. */
class SharedLimit {
  readonly processes: LeasedRates[];
  readonly #wires: { readonly up: Wire; readonly down: Wire }[];

  constructor(limit: number, count: number, delayMs = () => 0) {
    this.#wires = Array.from({ length: count }, () => {
      return { up: new Wire(delayMs), down: new Wire(delayMs) };
    });
    const leases = new RateLeases<number>(limit, count, async (holder, subject) => {
      const { up, down } = this.#wires[holder];
      await down.send(null);
      return up.send(await this.processes[holder].giveBack(subject));
    });
    this.processes = this.#wires.map(({ up, down }, holder) => {
      return new LeasedRates(async (subject, unused) => {
        await up.send(null);
        return down.send(await leases.lease(holder, subject, unused, Date.now()));
      });
    });
  }

  take(process: number, subject = 'somebody') {
    return this.processes[process].take(subject, Date.now());
  }

  get messages(): number {
    return this.#wires.reduce((sum, { up, down }) => sum + up.sent + down.sent, 0);
  }
}

/** Advances time until a promise settles, and returns its outcome. */
async function awaited<T>(promise: T | Promise<T>): Promise<T> {
  let isSettled = false;
  const settling = Promise.resolve(promise).finally(() => {
    isSettled = true;
  });
  while (!isSettled) await vi.advanceTimersByTimeAsync(1);
  return settling;
}

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
  return () => vi.useRealTimers();
});

describe('processes that share a limit', () => {
  const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
  test.each(SEEDS)(
    'allow exactly the limit per window, whichever process gets the requests, seed %i',
    async (seed) => {
      const random = new Random(seed);
      const limit = 1 + random.below(200);
      const count = 1 + random.below(5);
      const shared = new SharedLimit(limit, count, () => random.below(3));
      const taken: { atMs: number; allowed: boolean; remaining: number }[] = [];
      // One process may receive far more requests than the others, and all fall silent
      // occasionally.
      const favourite = random.below(count);
      const asked: Promise<void>[] = [];
      for (let n = 0; n < 3 * limit; n++) {
        const process = random.below(2) === 0 ? favourite : random.below(count);
        asked.push(
          Promise.resolve(shared.take(process)).then(({ allowed, rate }) => {
            taken.push({ atMs: Date.now(), allowed, remaining: rate.remaining });
          }),
        );
        if (random.below(4) === 0) await vi.advanceTimersByTimeAsync(random.below(150));
        if (random.below(100) === 0) await vi.advanceTimersByTimeAsync(random.below(5_000));
      }
      await vi.advanceTimersByTimeAsync(1_000);
      await Promise.all(asked);
      // Windows follow each other, each opened by the first request after the end of the previous
      // one.
      let windowEndsMs = 0;
      let passed = 0;
      for (const { atMs, allowed, remaining } of taken) {
        if (atMs >= windowEndsMs) [windowEndsMs, passed] = [atMs + MINUTE_MS, 0];
        if (allowed) passed++;
        expect(passed).toBeLessThanOrEqual(limit);
        if (!allowed) expect([passed, remaining]).toEqual([limit, 0]);
        expect(remaining).toBeLessThan(limit);
      }
      expect(passed).toBeGreaterThan(0);
    },
  );

  test('consult the parent for few of their requests, and report the remaining count exactly', async () => {
    const shared = new SharedLimit(300, 2);
    const left: number[] = [];
    for (let n = 0; n < 300; n++) {
      left.push((await awaited(shared.take(n % 2))).rate.remaining);
    }
    expect(shared.messages).toBeLessThan(150);
    expect(left.at(-1)).toBe(0);
    // The used part of the other process's lease is unknown.
    for (const [n, remaining] of left.entries()) {
      expect(Math.abs(remaining - (299 - n))).toBeLessThanOrEqual(2 * Math.ceil(300 / 16));
    }
    expect(await awaited(shared.take(0))).toMatchObject({ allowed: false, rate: { remaining: 0 } });
  });

  test('do not consult the parent for a second concurrent request, or for refused ones', async () => {
    const shared = new SharedLimit(100, 2);
    expect((await awaited(shared.take(0))).rate).toEqual({
      limit: 100,
      remaining: 99,
      windowSeconds: 60,
      resetSeconds: 60,
    });
    expect(shared.take(0)).toMatchObject({ allowed: true, rate: { remaining: 98 } });
    const many = Array.from({ length: 200 }, () => shared.take(1));
    const passed = (await awaited(Promise.all(many))).filter(({ allowed }) => allowed);
    // The other process had leased some more, which were called back.
    expect(passed).toHaveLength(98);
    expect(shared.take(1)).toMatchObject({ allowed: false, rate: { remaining: 0 } });
  });

  test('count a lease that a process does not return as used', async () => {
    const shared = new SharedLimit(64, 2);
    await awaited(shared.take(0));
    vi.spyOn(shared.processes[0], 'giveBack').mockReturnValue(new Promise(() => {}) as never);
    const many = Array.from({ length: 64 }, () => shared.take(1));
    const passed = (await awaited(Promise.all(many))).filter(({ allowed }) => allowed);
    expect(passed).toHaveLength(60);
  });

  test('report the ledger as unavailable when the parent is gone', async () => {
    const orphan = new LeasedRates(() => Promise.reject(new Error('gone')));
    await expect(orphan.take('somebody', Date.now())).rejects.toBeInstanceOf(LedgerUnavailable);
  });

  test('restart the window when the clock has been set back', async () => {
    const shared = new SharedLimit(1, 1);
    const taken = async () => (await awaited(shared.take(0))).allowed;
    expect([await taken(), await taken()]).toEqual([true, false]);
    vi.setSystemTime(START_MS - 60 * MINUTE_MS);
    expect([await taken(), await taken()]).toEqual([true, false]);
  });
});
