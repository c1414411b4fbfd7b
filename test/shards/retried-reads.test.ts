import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { RetryBudget, TransientError } from '../../shards/concurrency/retry.ts';
import { StoreError } from '../../shards/errors.ts';
import { hedged, Latencies } from '../../shards/store/http/hedging.ts';
import { retryRequest } from '../../shards/store/http/http-reader.ts';
import { transientFault } from '../../shards/store/http/network-errors.ts';

test('a read is late from the 95th percentile of the last 256 latencies, known once there are 64', () => {
  const latencies = new Latencies();
  const all: number[] = [];
  let known: number | null = null;
  for (let i = 0; i < 700; i++) {
    const ms = (i * 7_919) % 1_009;
    latencies.add(ms);
    all.push(ms);
    if (all.length >= 64 && all.length % 32 === 0) {
      const last = all.slice(-256).sort((a, b) => a - b);
      known = last[Math.floor(last.length * 0.95)];
    }
    expect(latencies.lateMs).toBe(known);
  }
});

test('reads earn retries, each a share of one, up to a limit', () => {
  const budget = new RetryBudget(0.25, 2, 1);
  const spend = (times: number) => Array.from({ length: times }, () => budget.spend());
  const earn = (times: number) => {
    for (let i = 0; i < times; i++) budget.earn();
  };
  expect(spend(2)).toEqual([true, false]);
  earn(3);
  expect(spend(1)).toEqual([false]);
  earn(1);
  expect(spend(2)).toEqual([true, false]);
  earn(100);
  expect(spend(3)).toEqual([true, true, false]);
  expect(budget.spent).toBe(4);
});

describe('a hedged read', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  /** Reads that the test ends itself. */
  function reads() {
    const begun: { end(value: string): void; fail(error: Error): void; isGivenUp: boolean }[] = [];
    const begin = () => {
      const read = { end: (_: string) => {}, fail: (_: Error) => {}, isGivenUp: false };
      const done = new Promise<string>((resolve, reject) => {
        read.end = resolve;
        read.fail = reject;
      });
      begun.push(read);
      return {
        done,
        giveUp: () => {
          read.isGivenUp = true;
        },
      };
    };
    return { begun, begin };
  }

  test('a read that is done in time is the only one, whether it succeeds or fails', async () => {
    for (const succeeds of [true, false]) {
      const { begun, begin } = reads();
      const result = hedged(begin, 100, () => true);
      const expected = succeeds
        ? expect(result).resolves.toBe('first')
        : expect(result).rejects.toThrow('broken');
      await vi.advanceTimersByTimeAsync(99);
      if (succeeds) begun[0].end('first');
      else begun[0].fail(new Error('broken'));
      await expected;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(begun.length).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  test('of a late read and a second one, the first to succeed counts, and both are given up', async () => {
    for (const winner of [0, 1]) {
      const { begun, begin } = reads();
      const result = hedged(begin, 100, () => true);
      await vi.advanceTimersByTimeAsync(100);
      expect(begun.length).toBe(2);
      begun[1 - winner].fail(new Error('broken'));
      begun[winner].end(`number ${winner}`);
      expect(await result).toBe(`number ${winner}`);
      expect(begun.map(({ isGivenUp }) => isGivenUp)).toEqual([true, true]);
    }
  });

  test('fails with the first read’s error if both fail; without a budget there is no second read', async () => {
    const { begun, begin } = reads();
    const result = hedged(begin, 100, () => true);
    const failed = expect(result).rejects.toThrow('the first');
    await vi.advanceTimersByTimeAsync(100);
    begun[1].fail(new Error('the second'));
    begun[0].fail(new Error('the first'));
    await failed;
    const alone = reads();
    const waiting = hedged(alone.begin, 100, () => false);
    await vi.advanceTimersByTimeAsync(10_000);
    alone.begun[0].end('late');
    expect([await waiting, alone.begun.length]).toEqual(['late', 1]);
  });
});

describe('a transient failure', () => {
  const failing = (tries: number, error: Error = new TransientError('the server is busy')) => {
    const atMs: number[] = [];
    const attempt = async () => {
      atMs.push(performance.now());
      if (atMs.length <= tries) throw error;
      return 'read';
    };
    return { atMs, attempt };
  };
  const rich = () => new RetryBudget(1, 100, 100);
  /** Makes each pause before a retry this share of the longest one. */
  const pausesOf = (share: number) => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(share);
    onTestFinished(() => random.mockRestore());
  };

  test('is tried up to four times, after pauses of up to 50, 100 and 200 ms', async () => {
    pausesOf(1);
    const { atMs, attempt } = failing(3);
    expect(await retryRequest('x', rich(), 60_000, attempt)).toBe('read');
    const pauses = atMs.slice(1).map((ms, i) => ms - atMs[i]);
    expect(pauses.length).toBe(3);
    // A timer may be early by a millisecond.
    for (const [i, ms] of pauses.entries()) expect(ms).toBeGreaterThan(50 * 2 ** i - 2);
  });

  test.each([
    ['after four tries', 4, rich(), 60_000, 'the server is busy (4 attempts)', 4],
    ['without a budget', 4, new RetryBudget(0, 1, 0), 60_000, 'the server is busy', 1],
    ['with a budget for one', 4, new RetryBudget(0, 1, 1), 60_000, 'busy (2 attempts)', 2],
    ['after its time', 4, rich(), -1, 'the server is busy', 1],
  ])('%s ends the read with an error that states the number of tries', async (...of) => {
    const [, tries, budget, withinMs, says, made] = of;
    const { atMs, attempt } = failing(tries);
    pausesOf(0);
    const result = retryRequest('some/object', budget, withinMs, attempt);
    const error = await result.catch((cause) => cause);
    expect(error).toBeInstanceOf(StoreError);
    expect(error.failure).toBe('unavailable');
    expect(error.message.startsWith('some/object')).toBe(true);
    expect(error.message.slice(-says.length)).toBe(says);
    expect(error.cause).toBeInstanceOf(TransientError);
    expect(atMs.length).toBe(made);
  });

  test('another error is passed on at once', async () => {
    const wrong = new StoreError('missing', 'x', 'is not there');
    const { atMs, attempt } = failing(4, wrong);
    await expect(retryRequest('x', rich(), 60_000, attempt)).rejects.toBe(wrong);
    expect(atMs.length).toBe(1);
  });
});

describe('a network error', () => {
  const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
  const said = (error: unknown) => {
    const fault = transientFault('https://host', error);
    expect(fault).toBeInstanceOf(TransientError);
    return (fault as Error).message;
  };

  test.each([
    ['ECONNREFUSED', 'no server is listening: is it up, and is the address right?'],
    ['ENOTFOUND', 'there is no such host'],
    ['EAI_AGAIN', 'the host’s address cannot be looked up at the moment'],
    ['EHOSTUNREACH', 'there is no way to the host'],
    ['ENETUNREACH', 'there is no way to the host'],
    ['ECONNRESET', 'the connection broke'],
    ['EPIPE', 'the connection broke'],
    ['ETIMEDOUT', 'no connection in time'],
    ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
    ['UND_ERR_HEADERS_TIMEOUT', 'no response in time'],
    ['UND_ERR_BODY_TIMEOUT', 'the response stopped half-way'],
    ['UND_ERR_SOCKET', 'the connection broke'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the response was cut short'],
  ])('%s is to be retried: %s', (code, advice) => {
    expect(said(coded(code))).toBe(`https://host: ${advice}`);
    // Node tries several addresses of a host, and reports all errors together.
    expect(said(new AggregateError([coded(code), coded('EPIPE')]))).toBe(`https://host: ${advice}`);
  });

  test('of another kind keeps its text and its cause', () => {
    const other = new Error('something else');
    expect(said(other)).toBe('https://host: something else');
    expect((transientFault('https://host', other) as Error).cause).toBe(other);
  });

  test.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('%s is not retried: the error names the setting that trusts another CA', (code) => {
    const fault = transientFault('https://host', coded(code));
    expect(fault).toBeInstanceOf(StoreError);
    expect(fault).toMatchObject({ failure: 'unavailable', cause: { code } });
    expect((fault as Error).message).toContain(`(${code})`);
    expect((fault as Error).message).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('that is already classified is passed on', () => {
    for (const known of [new TransientError('busy'), new StoreError('missing', 'x', 'gone')]) {
      expect(transientFault('https://host', known)).toBe(known);
    }
  });
});
