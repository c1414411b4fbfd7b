import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import {
  type IdempotentRequest,
  RECEIPT_LIFE_MS,
  type Receipt,
  type StoredResponse,
} from '../../proxy/ledger/replays.ts';
import { totalsOf } from '../support/account-totals.ts';
import { chargeAndKeep } from '../support/charged-response.ts';
import { newAccount, ROUTE } from '../support/customers.ts';
import { ofTests } from '../support/test-resources.ts';
import { paidOnceModel } from './paid-once-model.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR_MS = 3_600_000;
const MEBIBYTE = 2 ** 20;

/**
 * Tests the contract of every ledger for requests with an `Idempotency-Key`. `open` opens a new
 * ledger.
 */
export function idempotencySuite(name: string, open: () => Promise<Ledger>): void {
  describe(`${name}, Idempotency-Key`, () => {
    const ledger = ofTests(() => open());

    async function customer(tokens: number) {
      const { id } = await newAccount(ledger);
      if (tokens > 0) await ledger.grant(id, { tokens, cause: 'start', atMs: NOON }, 'operator');
      const about = { account: id, route: ROUTE };
      const charge = (tokens: number, atMs = NOON, keyId = 'key') => {
        return { ...about, keyId, tokens, atMs };
      };
      const books = async () => {
        const { granted, used, balance, requests } = await totalsOf(ledger, id);
        expect(balance).toBe(granted - used);
        return { balance, requests };
      };
      return { id, charge, books };
    }

    const debitOnce = (due: Charge, request: IdempotentRequest, kept: StoredResponse | null) =>
      chargeAndKeep(ledger, due, request, kept);

    /** Charges for a response, and returns the receipt; one delivery is then in flight. */
    async function debited(due: Charge, request: IdempotentRequest): Promise<Receipt> {
      const made = await debitOnce(due, request, response('made'));
      if (made.outcome !== 'debited') throw new Error(made.outcome);
      return made.receipt;
    }

    test('repeating a request replays the first response byte for byte, uncharged', async () => {
      const { id, charge, books } = await customer(100);
      const request = { key: 'order 1', fingerprint: 'abc' };
      expect(await ledger.replay(id, request, NOON)).toBeUndefined();
      const first = response('first');
      const made = await debitOnce(charge(7), request, first);
      if (made.outcome !== 'debited') throw new Error(made.outcome);
      const { receipt } = made;
      expect(made).toEqual({ outcome: 'debited', balance: 93, receipt });
      const reported = { outcome: 'replayed', balance: 93, tokens: 7, charged: 0 };
      const replayed = { ...reported, receipt, response: first };
      expect(readable(await ledger.replay(id, request, NOON + HOUR_MS))).toEqual(
        readable(replayed),
      );
      const again = await debitOnce(charge(9, NOON + HOUR_MS), request, response('second'));
      expect(readable(again)).toEqual(readable(replayed));
      expect(await books()).toEqual({ balance: 93, requests: 1 });
    });

    test('accounts do not share keys', async () => {
      const [one, two] = [await customer(10), await customer(10)];
      const request = { key: 'k', fingerprint: 'abc' };
      for (const { id, charge } of [one, two]) {
        expect(await ledger.replay(id, request, NOON)).toBeUndefined();
        const { outcome } = await debitOnce(charge(1), request, response('mine'));
        expect(outcome).toBe('debited');
      }
    });

    test('one of a hundred racing requests is charged, and all of them get its response', async () => {
      const { id, charge, books } = await customer(1_000);
      const request = { key: 'race', fingerprint: 'abc' };
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          debitOnce(charge(5), request, response(`response ${i}`)),
        ),
      );
      const debited = outcomes.flatMap(({ outcome }, i) => (outcome === 'debited' ? [i] : []));
      expect(debited).toHaveLength(1);
      const others = outcomes.filter((_, i) => i !== debited[0]);
      expect(new Set(others.map(({ outcome }) => outcome))).toEqual(new Set(['replayed']));
      // The response that was stored is the one replayed from then on.
      const kept = await ledger.replay(id, request, NOON);
      expect(readable(kept)).toMatchObject({ response: { body: `response ${debited[0]}` } });
      expect(await books()).toEqual({ balance: 995, requests: 1 });
    });

    test.each([
      ['a replacement of its response', 'k'],
      ['the removal of its response', 'another key'],
    ])(
      'an undelivered debit is refunded after %s, once, and no other debit is',
      async (_, nextKey) => {
        const { id, charge, books } = await customer(1_000);
        const stalled = await debited(charge(7), { key: 'k', fingerprint: 'abc' });
        const later = NOON + 25 * HOUR_MS;
        const next = { key: nextKey, fingerprint: 'def' };
        await debited(charge(20, later), next);
        // Each new response removes some expired responses, of any account.
        for (let i = 0; i < 20; i++) {
          await debited(charge(1, later), { key: `more ${i}`, fingerprint: 'f' });
        }
        expect(await books()).toEqual({ balance: 1_000 - 7 - 40, requests: 22 });
        await ledger.undeliver(stalled);
        await ledger.undeliver(stalled);
        expect(await books()).toEqual({ balance: 1_000 - 40, requests: 21 });
        expect(await ledger.replay(id, next, later)).toMatchObject({
          outcome: 'replayed',
          tokens: 20,
        });
      },
    );

    test('later reports on an expired receipt are ignored', async () => {
      const { charge, books } = await customer(1_000);
      const receipt = await debited(charge(7), { key: 'k', fingerprint: 'abc' });
      // Each debit removes some expired responses; a few may be left over from other tests.
      for (let i = 0; i < 200; i++) {
        await debited(charge(1, NOON + RECEIPT_LIFE_MS + 1), { key: `k${i}`, fingerprint: 'f' });
      }
      await ledger.undeliver(receipt);
      expect(await books()).toEqual({ balance: 1_000 - 207, requests: 201 });
    });

    test('many simultaneous failed deliveries count once each, alongside new deliveries', async () => {
      const { id, charge, books } = await customer(1_000);
      const request = { key: 'k', fingerprint: 'abc' };
      const receipt = await debited(charge(5), request);
      // Forty more deliveries begin, and forty of the forty-one fail.
      await Promise.all(
        Array.from({ length: 40 }, () => [
          ledger.replay(id, request, NOON),
          ledger.undeliver(receipt),
        ]).flat(),
      );
      expect(await books()).toEqual({ balance: 995, requests: 1 });
      await Promise.all([ledger.undeliver(receipt), ledger.undeliver(receipt)]);
      expect(await books()).toEqual({ balance: 1_000, requests: 0 });
    });

    test('a response is kept for its own debit and for no other', async () => {
      const { id, charge } = await customer(10);
      const request = { key: 'k', fingerprint: 'abc' };
      const lost = await debited(charge(1), request);
      await ledger.undeliver(lost);
      await ledger.storeResponse(lost, response('of the one that was undone'));
      await debitOnce(charge(1), request, null);
      await ledger.storeResponse(lost, response('of the one that was undone'));
      expect(await ledger.replay(id, request, NOON)).toMatchObject({ response: null });
    });

    /** Stores a response of a number of bytes under each key, and returns the keys still kept. */
    async function keptOf(bytesByKey: Readonly<Record<string, number>>, tokens: number) {
      const { id, charge, books } = await customer(1_000_000);
      for (const [key, bytes] of Object.entries(bytesByKey)) {
        const stored = { headers: {}, gzip: randomBytes(bytes) };
        await debitOnce(charge(tokens), { key, fingerprint: 'f' }, stored);
      }
      const before = await books();
      const kept = [];
      for (const key of Object.keys(bytesByKey)) {
        const replayed = await ledger.replay(id, { key, fingerprint: 'f' }, NOON);
        if (replayed?.outcome !== 'replayed') throw new Error(replayed?.outcome);
        expect(replayed).toMatchObject({ tokens, charged: 0 });
        if (replayed.response) kept.push(key);
      }
      expect(await books()).toEqual(before);
      return kept;
    }

    test('a token keeps at most a kibibyte; of a larger response, only that it was paid', async () => {
      const sizes = { small: 1000, over: 1100 };
      expect(await keptOf(sizes, 1)).toEqual(['small']);
      expect(await keptOf(sizes, 2)).toEqual(['small', 'over']);
      expect(await keptOf({ ...sizes, vast: 45_000 }, 44)).toEqual(['small', 'over', 'vast']);
    });

    test('an account keeps at most 8 MiB, and gives up its largest responses first', async () => {
      const mebibytes = (n: number) => n * MEBIBYTE;
      const sizes = { a: 700, b: mebibytes(4), c: mebibytes(1), d: mebibytes(2), e: 800 };
      expect(await keptOf(sizes, 5_000)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(await keptOf({ ...sizes, f: mebibytes(2) }, 5_000)).toEqual(['a', 'c', 'd', 'e', 'f']);
      expect(await keptOf({ whole: mebibytes(8), next: 900 }, 9_000)).toEqual(['next']);
    });

    test('what the limits cost is counted: a response too large for its price, and those removed for its account', async () => {
      const { charge } = await customer(1_000_000);
      const givenUp = async (key: string, tokens: number, bytes: number) => {
        const made = await ledger.debitOnce(charge(tokens), { key, fingerprint: 'f' });
        if (made.outcome !== 'debited') throw new Error(made.outcome);
        return ledger.storeResponse(made.receipt, { headers: {}, gzip: randomBytes(bytes) });
      };
      expect(await givenUp('small', 1, 900)).toBe(0);
      expect(await givenUp('dear', 1, 1_100)).toBe(1);
      expect(await givenUp('vast', 9_000, 9 * MEBIBYTE)).toBe(1);
      expect(await givenUp('first', 9_000, 4 * MEBIBYTE)).toBe(0);
      expect(await givenUp('second', 9_000, 5 * MEBIBYTE)).toBe(1);
      expect(await givenUp('third', 9_000, MEBIBYTE)).toBe(0);
    });

    test('the bytes kept of one account leave room for those of others', async () => {
      const full = { a: 5 * MEBIBYTE, b: 2 * MEBIBYTE };
      expect(await keptOf(full, 9_000)).toEqual(['a', 'b']);
      expect(await keptOf(full, 9_000)).toEqual(['a', 'b']);
    });

    test('a key has 1 to 255 characters, all of which are significant', async () => {
      const { id, charge, books } = await customer(10);
      for (const key of ['', 'k'.repeat(256)]) {
        const request = { key, fingerprint: 'abc' };
        await expect(debitOnce(charge(1), request, response(''))).rejects.toThrow(RangeError);
      }
      expect(await books()).toEqual({ balance: 10, requests: 0 });
      const long = '~ '.repeat(127);
      for (const key of [`${long}a`, `${long}b`, ' ', '!']) {
        const request = { key, fingerprint: key };
        expect((await debitOnce(charge(1), request, response(key))).outcome).toBe('debited');
        expect(readable(await ledger.replay(id, request, NOON))).toMatchObject({
          response: { body: key },
        });
      }
    });

    test('an invalid charge stores nothing', async () => {
      const { id, charge, books } = await customer(10);
      const request = { key: 'k', fingerprint: 'abc' };
      for (const nonsense of [
        charge(-1),
        charge(0.5),
        charge(Number.NaN),
        charge(1, Number.NaN),
        { ...charge(1), account: 'nobody' },
      ]) {
        await expect(debitOnce(nonsense, request, response('first'))).rejects.toThrow();
        expect(await ledger.replay(nonsense.account, request, NOON)).toBeUndefined();
      }
      expect(await ledger.replay(id, request, NOON)).toBeUndefined();
      expect(await books()).toEqual({ balance: 10, requests: 0 });
    });

    paidOnceModel(name, 15, async () => {
      const { id } = await customer(90);
      return { ledger, account: id, totals: () => totalsOf(ledger, id) };
    });
  });
}

function response(body: string): StoredResponse {
  return { headers: { 'content-type': 'text/plain', etag: `"${body}"` }, gzip: gzipSync(body) };
}

/** Returns an outcome with its response body as text. */
function readable(outcome: unknown): unknown {
  const { response } = outcome as { response: StoredResponse };
  const { gzip, ...rest } = response;
  const body = gunzipSync(gzip).toString();
  return { ...(outcome as object), response: { ...rest, body } };
}
