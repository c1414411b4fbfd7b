import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CircuitBreaker } from '../../shards/concurrency/circuit-breaker.ts';

const REST_MS = 100;
const rested = () => vi.advanceTimersByTime(REST_MS);
const trouble = new Error('in trouble');
const other = new Error('no such object');
const refused = new Error('refused');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function opened() {
  const changes: boolean[] = [];
  const breaker = new CircuitBreaker({
    consecutiveFailures: 3,
    restMs: REST_MS,
    refusal: () => refused,
    isFailure: (error) => error === trouble,
    onChange: (isOpen) => changes.push(isOpen),
  });
  let calls = 0;
  const ask = (outcome: Error | null) =>
    breaker
      .run(async () => {
        calls++;
        if (outcome !== null) throw outcome;
      })
      .then(
        () => 'done',
        (error) => error,
      );
  return { breaker, changes, ask, calls: () => calls };
}

test('consecutive failures open a breaker, no call passes while it rests, and a success closes it', async () => {
  const { ask, calls, changes, breaker } = opened();
  for (const outcome of [trouble, trouble, null, trouble, other, trouble, trouble]) {
    await ask(outcome);
  }
  expect(breaker.isOpen).toBe(false);
  expect(await ask(trouble)).toBe(trouble);
  expect(breaker.isOpen).toBe(true);
  const made = calls();
  for (let i = 0; i < 10; i++) expect(await ask(null)).toBe(refused);
  expect(calls()).toBe(made);
  rested();
  expect(await ask(trouble)).toBe(trouble);
  expect(await ask(null)).toBe(refused);
  rested();
  expect(await ask(null)).toBe('done');
  expect(await ask(null)).toBe('done');
  expect(changes).toEqual([true, false]);
});

test('a rested breaker lets one call at a time probe; the others are refused without waiting', async () => {
  const { breaker, ask, calls } = opened();
  for (let i = 0; i < 3; i++) await ask(trouble);
  rested();
  let end = () => {};
  const probe = breaker.run(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const made = calls();
  for (let i = 0; i < 5; i++) expect(await ask(null)).toBe(refused);
  expect(calls()).toBe(made);
  end();
  await probe;
  expect(await ask(null)).toBe('done');
});

test('a clock that is set back does not keep a breaker open', async () => {
  const { ask } = opened();
  for (let i = 0; i < 3; i++) await ask(trouble);
  vi.spyOn(Date, 'now').mockReturnValue(0);
  rested();
  expect(await ask(null)).toBe('done');
  vi.restoreAllMocks();
});
