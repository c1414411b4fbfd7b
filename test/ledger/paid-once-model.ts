import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import {
  RECEIPT_LIFE_MS,
  RESPONSE_LIFE_MS,
  type Receipt,
  type Replays,
} from '../../proxy/ledger/replays.ts';
import type { AccountTotals } from '../support/account-totals.ts';
import { ROUTE } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from '../transit/dice.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 5, 1, 12);

/** The model of a debit for a response. */
interface OnPaper {
  readonly tokens: number;
  readonly atMs: number;
  readonly receipt: Receipt;
  readonly key: string;
  readonly fingerprint: string;
  readonly body: string;
  /** Number of deliveries under way. */
  deliveries: number;
  /** Most tokens' worth that a failed delivery has delivered. */
  delivered: number;
  repaid: number;
}

/** An account with 90 tokens that has not been charged, and its ledger. */
interface Opened {
  readonly ledger: Replays;
  readonly account: AccountId;
  totals(): Promise<AccountTotals>;
}

/** Tests that a ledger charges for responses like the model. `open` opens an account. */
export function paidOnceModel(name: string, runs: number, open: () => Promise<Opened>): void {
  test(`on ${name} each response is paid for once, in the part that was delivered, whatever is replayed, lost or expires`, () =>
    forAll(runs, fc.nat(), async (seed) => {
      const dice = new Dice(seed);
      const { ledger, account, totals } = await open();
      const paid: OnPaper[] = [];
      const current = new Map<string, OnPaper>();
      let [now, balance, requests] = [NOON, 90, 0];
      for (let step = 0; step < 60; step++) {
        if (dice.chance(0.15)) now += dice.pick([1, HOUR_MS, 23 * HOUR_MS, RESPONSE_LIFE_MS]);
        const request = { key: `key ${dice.below(3)}`, fingerprint: `body ${dice.below(4) >> 1}` };
        const known = current.get(request.key);
        const isKept = known !== undefined && now < known.atMs + RESPONSE_LIFE_MS;
        if (dice.chance(0.4)) {
          // A delivery of any response fails, perhaps after a part of the response was delivered.
          const one = dice.pick(paid.filter(({ deliveries }) => deliveries > 0));
          if (!one || now >= one.atMs + RECEIPT_LIFE_MS) continue;
          const { tokens } = one;
          const undelivered = dice.pick([undefined, tokens, dice.below(tokens + 1)]);
          await ledger.undeliver(one.receipt, undelivered);
          one.delivered = Math.max(one.delivered, tokens - (undelivered ?? tokens));
          if (--one.deliveries === 0) {
            one.repaid = tokens - one.delivered;
            balance += one.repaid;
            if (one.delivered === 0) {
              requests--;
              if (current.get(one.key) === one) current.delete(one.key);
            }
          }
        } else {
          const isDebit = dice.chance(0.6);
          const tokens = 1 + dice.below(39);
          const got = isDebit
            ? await ledger.debitOnce(
                { account, keyId: 'key', route: ROUTE, tokens, atMs: now },
                request,
              )
            : await ledger.replay(account, request, now);
          if (isKept && known.fingerprint !== request.fingerprint) {
            expect(got).toEqual({ outcome: 'conflict' });
          } else if (isKept && known.repaid > balance) {
            expect(got).toEqual({ outcome: 'insufficient', tokens: known.repaid, balance });
          } else if (isKept) {
            balance -= known.repaid;
            const { tokens, receipt, body, repaid: charged } = known;
            const response = { headers: { etag: body } };
            const meant = { outcome: 'replayed', balance, tokens, charged, receipt, response };
            expect(got).toMatchObject(meant);
            expect(bodyOf(got)).toBe(body);
            known.repaid = 0;
            known.deliveries++;
          } else if (!isDebit) {
            expect(got).toBeUndefined();
          } else if (tokens > balance) {
            expect(got).toEqual({ outcome: 'insufficient', balance });
          } else {
            balance -= tokens;
            requests++;
            expect(got).toMatchObject({ outcome: 'debited', balance });
            const { receipt } = got as { receipt: Receipt };
            expect(receipt).toMatchObject({ account, endsAtMs: now + RESPONSE_LIFE_MS });
            const body = `response ${step}`;
            await ledger.storeResponse(receipt, { headers: { etag: body }, gzip: gzipSync(body) });
            const made = { ...request, tokens, atMs: now, receipt, body };
            const one = { ...made, deliveries: 1, delivered: 0, repaid: 0 };
            current.set(request.key, one);
            paid.push(one);
          }
        }
        const used = 90 - balance;
        expect(await totals()).toMatchObject({ balance, requests, granted: 90, used });
      }
    }));
}

/** Returns the body of a replayed response. */
function bodyOf(replay: unknown): string {
  const { response } = replay as { response: { gzip: Uint8Array } };
  return gunzipSync(response.gzip).toString();
}
