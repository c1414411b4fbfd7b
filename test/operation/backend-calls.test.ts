import fastify from 'fastify';
import { expect, test } from 'vitest';
import { type CallTally, LedgerCalls, StoreCalls } from '../../infra/observe/backend-calls.ts';
import { countRequests, RequestCounts } from '../../proxy/http/access-log.ts';
import { CircuitBreaker } from '../../shards/concurrency/circuit-breaker.ts';
import { StoreError } from '../../shards/errors.ts';

const fault = new Error('away');
const failing = {
  'throws at once': () => {
    throw fault;
  },
  'rejects later': () => Promise.reject(fault),
};
const reported = (tally: CallTally | undefined) => [
  tally?.failed,
  tally?.underWay,
  tally?.durations.counts.reduce((sum, each) => sum + each),
  tally?.bytes,
];

test.each(Object.entries(failing))(
  'a ledger call that %s counts as failed, once',
  async (_, call) => {
    const calls = new LedgerCalls(null, null);
    const made = async () => calls.around({ operation: 'admit' }, call);
    await expect(made()).rejects.toBe(fault);
    expect(reported(calls.byKind.get('admit'))).toEqual([1, 0, 1, 0]);
    expect(await calls.around({ operation: 'admit' }, async () => 'well')).toBe('well');
    expect(reported(calls.byKind.get('admit'))).toEqual([1, 0, 2, 0]);
  },
);

test.each(Object.entries(failing))(
  'a store read that %s counts as failed, without bytes',
  async (_, call) => {
    const rest = {
      consecutiveFailures: 2,
      restMs: 60_000,
      isFailure: () => true,
      refusal: () => fault,
    };
    const calls = new StoreCalls(new CircuitBreaker(rest), null);
    const read = { operation: 'range', object: 'nearest/24510-0.tta', bytes: 460 } as const;
    await expect(calls.around(read, call)).rejects.toBe(fault);
    expect(reported(calls.byKind.get('nearest'))).toEqual([1, 0, 1, 0]);
    expect(await calls.around(read, async () => 'row')).toBe('row');
    expect(reported(calls.byKind.get('nearest'))).toEqual([1, 0, 2, 460]);
  },
);

test('an object that a store lacks is no failure of the store, unless a range of it is read', async () => {
  const rest = { consecutiveFailures: 9, restMs: 60_000, isFailure: () => true };
  const calls = new StoreCalls(new CircuitBreaker({ ...rest, refusal: () => fault }), null);
  const missing = new StoreError('missing', 'exports/one.json', 'no such object');
  for (const operation of ['whole', 'range'] as const) {
    const read = { operation, object: 'exports/one.json', bytes: 0 };
    await expect(calls.around(read, () => Promise.reject(missing))).rejects.toBe(missing);
  }
  expect(reported(calls.byKind.get('exports'))).toEqual([1, 0, 2, 0]);
});

test('a debit that succeeds counts as charged, and a refund as repaid; failed calls count as neither', async () => {
  const calls = new LedgerCalls(null, null);
  const debit = { operation: 'debit', route: 'summary', tokens: 61 } as const;
  await calls.around(debit, async () => ({ outcome: 'debited' }));
  await calls.around(debit, async () => ({ outcome: 'exhausted' }));
  await calls.around({ operation: 'refund', tokens: 11 }, async () => {});
  await expect(calls.around(debit, failing['rejects later'])).rejects.toBe(fault);
  await expect(
    calls.around({ operation: 'refund', tokens: 11 }, failing['rejects later']),
  ).rejects.toBe(fault);
  expect([[...calls.charged], calls.repaid]).toEqual([[['summary', 61]], 11]);
});

test('keys that the ledger admits and refuses are counted from zero, and responses that it gives up', async () => {
  const calls = new LedgerCalls(null, null);
  expect([...calls.admissions.values()]).toEqual([0, 0, 0, 0]);
  const asked = [
    ['admit', 'admitted'],
    ['admit', 'invalid-key'],
    ['admitSession', 'invalid-key'],
  ] as const;
  for (const [operation, outcome] of asked) {
    await calls.around({ operation }, async () => ({ outcome }));
  }
  await expect(calls.around({ operation: 'admit' }, failing['rejects later'])).rejects.toBe(fault);
  expect(Object.fromEntries(calls.admissions)).toEqual({
    admitted: 1,
    'invalid-key': 2,
    'rate-limited': 0,
    'account-disabled': 0,
  });
  for (const givenUp of [0, 1, 4]) {
    await calls.around({ operation: 'storeResponse' }, async () => givenUp);
  }
  expect(calls.responsesGivenUp).toBe(5);
});

test('faults of a route are counted from zero, before its first request', async () => {
  const [app, tally] = [fastify(), new RequestCounts()];
  countRequests(app, tally, false);
  app.get('/a/:id', async () => ({}));
  expect(tally.routes.get('GET /a/{id}')?.statuses.get(500)).toBe(0);
  await app.close();
});
