import { expect, test } from 'vitest';
import {
  interceptedLedger,
  type LedgerCall,
  type ServingLedger,
} from '../../proxy/ledger/serving-ledger.ts';
import { ROUTE } from '../support/customers.ts';

const charge = { account: 'a', keyId: 'k', route: ROUTE, tokens: 7, atMs: 1 };
const request = { key: 'key', fingerprint: 'body' };
const receipt = { account: 'a', id: 'r', endsAtMs: 9 };
const response = { headers: {}, gzip: new Uint8Array(1) };

/**
 * Each operation of the proxy with its arguments, and the description of the call that the
 * interceptor gets.
 */
const CALLS: readonly [
  call: (ledger: ServingLedger) => Promise<unknown>,
  args: readonly unknown[],
  what: LedgerCall,
][] = [
  [(ledger) => ledger.admit('hash', 1), ['hash', 1], { operation: 'admit' }],
  [
    (ledger) => ledger.admitSession({ account: 'a', id: 's' }, 1),
    [{ account: 'a', id: 's' }, 1],
    { operation: 'admitSession' },
  ],
  [(ledger) => ledger.debit(charge), [charge], { operation: 'debit', route: ROUTE, tokens: 7 }],
  [
    (ledger) => ledger.debitOnce(charge, request),
    [charge, request],
    { operation: 'debitOnce', route: ROUTE, tokens: 7 },
  ],
  [(ledger) => ledger.refund(charge), [charge, 7], { operation: 'refund', tokens: 7 }],
  [(ledger) => ledger.refund(charge, 3), [charge, 3], { operation: 'refund', tokens: 3 }],
  [(ledger) => ledger.replay('a', request, 1), ['a', request, 1], { operation: 'replay' }],
  [
    (ledger) => ledger.storeResponse(receipt, response),
    [receipt, response],
    { operation: 'storeResponse' },
  ],
  [(ledger) => ledger.undeliver(receipt, 3), [receipt, 3], { operation: 'undeliver', tokens: 3 }],
  [
    (ledger) => ledger.undeliver(receipt),
    [receipt, undefined],
    { operation: 'undeliver', tokens: undefined },
  ],
  [(ledger) => ledger.ping(), [], { operation: 'ping' }],
];

/** A ledger whose operations return their name and arguments, and the calls made so far. */
function recorded() {
  const made: unknown[] = [];
  const ledger = new Proxy({} as ServingLedger, {
    get:
      (_, operation) =>
      async (...args: unknown[]) => {
        made.push([operation, ...args]);
        return [operation, ...args];
      },
  });
  return { ledger, made };
}

test.each(CALLS)(
  'each call of the proxy is passed on unchanged, and so is its outcome: %s',
  async (call, args, what) => {
    const { ledger, made } = recorded();
    const said: LedgerCall[] = [];
    const intercepted = interceptedLedger(ledger, (one, make) => {
      said.push(one);
      return make();
    });
    expect(await call(intercepted)).toEqual([what.operation, ...args]);
    expect(made).toEqual([[what.operation, ...args]]);
    expect(said).toEqual([what]);
  },
);

test.each(CALLS)('a call that the interceptor refuses is not made: %s', async (call) => {
  const { ledger, made } = recorded();
  const refused = interceptedLedger(ledger, () => Promise.reject(new Error('refused')));
  await expect(call(refused)).rejects.toThrow('refused');
  expect(made).toEqual([]);
});

test('a secret is read without being intercepted', async () => {
  const { ledger } = recorded();
  const refused = interceptedLedger(ledger, () => Promise.reject(new Error('refused')));
  expect(await refused.secret('name')).toEqual(['secret', 'name']);
});
