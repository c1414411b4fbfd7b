import Stripe from 'stripe';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventWorker } from '../../portal/payment/event-worker.ts';
import type { PaymentEvent } from '../../proxy/ledger/payment-events.ts';
import { ofThisTest } from '../support/test-resources.ts';

const START_MS = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => void vi.useRealTimers());

const unreachable = () => new Stripe.errors.StripeConnectionError({ message: 'no route' });
const failing = () => new Stripe.errors.StripeAPIError({ message: 'internal error' });
const missing = () =>
  new Stripe.errors.StripeInvalidRequestError({ message: 'no such', code: 'resource_missing' });

const seconds = () => (Date.now() - START_MS) / 1000;

/** Creates a worker on a table of events, and records which events it tries at which second. */
async function worked(respond: (event: PaymentEvent) => unknown, retryMs?: number) {
  const open: PaymentEvent[] = [];
  const tried: [second: number, id: string][] = [];
  const errors: [error: unknown, id: string | undefined][] = [];
  const reads: number[] = [];
  const worker = new EventWorker({
    ledger: {
      storeEvent: async () => true,
      openEvents: async (limit, offset = 0) => {
        reads.push(seconds());
        return open.slice(offset, offset + limit);
      },
      closeEvent: async (id) =>
        void open.splice(
          open.findIndex((event) => event.id === id),
          1,
        ),
    },
    isOwn: ({ type }) => type !== 'of another worker',
    settle: async (event) => {
      tried.push([seconds(), event.id]);
      const response = await respond(event);
      if (response instanceof Error) throw response;
      return response;
    },
    now: Date.now,
    onError: (error, event) => errors.push([error, event?.id]),
    ...(retryMs !== undefined && { retryMs }),
  });
  const keep = (id: string, type = 'invoice.paid') =>
    open.push({ id, type, object: `of ${id}`, receivedAtMs: Date.now() });
  await ofThisTest(worker);
  return { worker, open, tried, reads, errors, keep };
}

const pass = (second: number) => vi.advanceTimersByTimeAsync(second * 1000);

test.each([2_000, 500, undefined])(
  'a failing event is tried again after pauses that double up to ten minutes (first %s ms)',
  async (retryMs) => {
    const { worker, tried, errors, keep } = await worked(() => new Error('never'), retryMs);
    keep('one');
    await worker.wake();
    await pass(3_600);
    const first = (retryMs ?? 2_000) / 1000;
    const expected = [0];
    for (let pause = first; expected.at(-1)! <= 3_600; pause *= 2) {
      expected.push(expected.at(-1)! + Math.min(pause, 600));
    }
    expect(tried.map(([second]) => second)).toEqual(expected.slice(0, -1));
    expect(errors).toEqual(tried.map(() => [new Error('never'), 'one']));
  },
);

test('an event that succeeds after failures begins anew: stored again, it is tried at once', async () => {
  let fails = 3;
  const { worker, open, tried, keep } = await worked(() => fails-- > 0 && new Error('not yet'));
  keep('one');
  await worker.wake();
  await pass(100);
  expect(tried.map(([second]) => second)).toEqual([0, 2, 6, 14]);
  expect(open).toEqual([]);
  fails = 1;
  keep('one');
  await worker.wake();
  await pass(2);
  expect(tried.slice(4).map(([second]) => second)).toEqual([100, 102]);
});

test('the failures of an event that another process closed are dropped', async () => {
  const { worker, open, tried, keep } = await worked(() => new Error('never'));
  keep('one');
  await worker.wake();
  await pass(7);
  expect(tried).toHaveLength(3);
  open.length = 0;
  await worker.wake();
  keep('one');
  await worker.wake();
  expect(tried).toHaveLength(4);
});

test('events of another process are found within half a minute, those of other workers never', async () => {
  const { open, worker, tried, keep } = await worked(() => undefined);
  await worker.wake();
  keep('theirs', 'of another worker');
  keep('one');
  await pass(29);
  expect(tried).toEqual([]);
  await pass(1);
  expect(tried).toEqual([[30, 'one']]);
  keep('two');
  await pass(30);
  expect(tried[1]).toEqual([60, 'two']);
  expect(open.map(({ id }) => id)).toEqual(['theirs']);
});

test('new events are tried first, in order of arrival, then failed ones, the longest untried first', async () => {
  const { worker, tried, keep } = await worked(() => new Error('never'));
  for (const id of ['one', 'two']) keep(id);
  await worker.wake();
  await pass(1);
  keep('three');
  await worker.wake();
  await pass(599);
  tried.length = 0;
  keep('four');
  keep('five');
  await pass(1_200);
  const order = tried.map(([, id]) => id);
  expect(order.slice(0, 2)).toEqual(['four', 'five']);
  // Each round tries an event once, so that of the older ones "one" is always before "two".
  const older = order.filter((id) => id === 'one' || id === 'two');
  expect(older).toEqual(older.map((_, i) => (i % 2 === 0 ? 'one' : 'two')));
  expect(older.length).toBeGreaterThan(2);
});

test('while Stripe is unreachable, one event is tried at a time, at doubling pauses; then all', async () => {
  let isUp = false;
  const { worker, open, tried, reads, keep } = await worked(() =>
    isUp ? undefined : unreachable(),
  );
  for (const id of ['one', 'two', 'three']) keep(id);
  await worker.wake();
  await pass(61);
  // A different event each time, until all have been tried.
  expect(tried).toEqual([
    [0, 'one'],
    [2, 'two'],
    [6, 'three'],
    [14, 'one'],
    [30, 'two'],
  ]);
  // The worker sleeps until the next attempt, though some events are overdue, but for half a minute
  // at most.
  expect(reads).toEqual([0, 2, 6, 14, 30, 60]);
  isUp = true;
  await pass(1);
  expect(tried.slice(5)).toEqual([
    [62, 'three'],
    [62, 'one'],
    [62, 'two'],
  ]);
  expect(open).toEqual([]);
});

test('an event at which Stripe fails blocks no other; failures at two events in a row are an outage', async () => {
  const bad = new Set(['bad']);
  const { worker, open, tried, keep } = await worked(({ id }) => bad.has(id) && failing());
  for (const id of ['bad', 'one', 'two']) keep(id);
  await worker.wake();
  expect(tried.map(([, id]) => id)).toEqual(['bad', 'one', 'two']);
  // Failures at the same event are no sign of an outage, however often they occur.
  await pass(10);
  keep('three');
  await worker.wake();
  expect(open.map(({ id }) => id)).toEqual(['bad']);
  tried.length = 0;
  for (const id of ['worse', 'worst', 'four', 'five']) {
    bad.add(id);
    keep(id);
  }
  await worker.wake();
  // Failing at "worst" after "worse", with nothing settled in between, counts as an outage.
  expect(tried.map(([, id]) => id)).toEqual(['worse', 'worst']);
});

test('a failure of the ledger or of our own code at an event is no outage', async () => {
  const { worker, tried, keep } = await worked(({ id }) => id !== 'three' && new Error('ours'));
  for (const id of ['one', 'two', 'three']) keep(id);
  await worker.wake();
  expect(tried.map(([, id]) => id)).toEqual(['one', 'two', 'three']);
});

test('an event that is too early stays open, counts as no failure, and is tried in each round', async () => {
  const { worker, open, tried, errors, keep } = await worked(() => null);
  keep('early');
  await worker.wake();
  await worker.wake();
  await pass(30);
  expect(tried.map(([second]) => second)).toEqual([0, 0, 30]);
  expect([open.length, errors.length]).toEqual([1, 0]);
});

test('an event of an object that Stripe does not have is given up after three days, not before', async () => {
  const { worker, open, errors, keep } = await worked(({ id }) =>
    id === 'missing' ? missing() : new Error('other'),
  );
  keep('missing');
  keep('other');
  await worker.wake();
  vi.setSystemTime(START_MS + 3 * DAY_MS);
  await worker.wake();
  expect(open.map(({ id }) => id)).toEqual(['missing', 'other']);
  vi.setSystemTime(START_MS + 4 * DAY_MS);
  await worker.wake();
  expect(open.map(({ id }) => id)).toEqual(['other']);
  expect(errors.filter(([, id]) => id === 'missing')).toHaveLength(2);
});

test('more failing events than one read returns hide no later event', async () => {
  const { worker, tried, keep } = await worked(({ id }) => id !== 'new' && new Error('never'));
  for (let i = 0; i < 1_000; i++) keep(`lost ${i}`);
  await worker.wake();
  expect(tried).toHaveLength(1_000);
  keep('new');
  await worker.wake();
  expect(tried.slice(1_000)).toEqual([[0, 'new']]);
});

test('an event stored during a round is tried in another, before `wake` resolves', async () => {
  const { worker, tried, keep } = await worked(async ({ id }) => {
    if (id !== 'one') return;
    keep('two');
    void worker.wake();
  });
  keep('one');
  await worker.wake();
  expect(tried.map(([, id]) => id)).toEqual(['one', 'two']);
});

test('stopping finishes the current event, and begins no other, then or later', async () => {
  let finish = () => {};
  const { worker, open, tried, keep } = await worked(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  keep('one');
  keep('two');
  const round = worker.wake();
  await pass(0);
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  await pass(1);
  expect(isStopped).toBe(false);
  finish();
  await Promise.all([round, stopping]);
  await worker.wake();
  await pass(DAY_MS / 1000);
  expect(tried.map(([, id]) => id)).toEqual(['one']);
  expect(open.map(({ id }) => id)).toEqual(['two']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a ledger that cannot be read is reported, and read again', async () => {
  let reads = 0;
  const errors: unknown[] = [];
  const worker = await ofThisTest(
    new EventWorker({
      ledger: {
        storeEvent: async () => true,
        openEvents: async () => {
          if (++reads === 1) throw new Error('locked');
          return [];
        },
        closeEvent: async () => {},
      },
      isOwn: () => true,
      settle: async () => {},
      now: Date.now,
      onError: (error) => errors.push(error),
    }),
  );
  await worker.wake();
  await pass(30);
  expect([reads, errors]).toEqual([2, [new Error('locked')]]);
});
