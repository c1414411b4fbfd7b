import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMember, WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { BY, newAccount, newKey, ROUTE } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { ofTests } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const ledger = ofTests(() => openLedger(newAddress(), { rateLimitPerMinute: 1 }));

const ACCOUNTS = 3;
const DAY_MS = 86_400_000;
const who = fc.nat(ACCOUNTS - 1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('debit' as const), who, fc.nat(30), fc.nat(2)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('grant' as const), who, fc.nat(60), fc.nat(6)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('refund' as const), who) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('member' as const), who, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('create key' as const), who) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('revoke key' as const), who) },
);

/** A model account in plain objects. */
class PaperAccount {
  balance = 0;
  member = false;
  activeKeys = 0;
  readonly causes = new Set<number>();
  readonly debits: { tokens: number; day: number }[] = [];
}

test('changes that share a commit have the outcomes of running them one after another', () =>
  forAll(60, fc.array(fc.array(step, { maxLength: 25 }), { maxLength: 6 }), async (turns) => {
    const paper = Array.from({ length: ACCOUNTS }, () => new PaperAccount());
    const ids = await Promise.all(paper.map(async () => (await newAccount(ledger)).id));
    for (const turn of turns) {
      const keys = await Promise.all(ids.map((id) => ledger.keys(id)));
      const active = keys.map((list) => list.filter((key) => key.revokedAtMs === null));
      const asked: Promise<unknown>[] = [];
      const expected: unknown[] = [];
      for (const [kind, at, first, second] of turn) {
        const [id, on] = [ids[at], paper[at]];
        const charge = (tokens: number, day: number) => ({
          account: id,
          keyId: 'key',
          route: ROUTE,
          tokens,
          atMs: day * DAY_MS,
        });
        if (kind === 'debit') {
          const enough = on.balance >= first;
          if (enough) {
            on.balance -= first;
            on.debits.push({ tokens: first, day: second });
          }
          asked.push(ledger.debit(charge(first, second)));
          expected.push({ outcome: enough ? 'debited' : 'insufficient', balance: on.balance });
        } else if (kind === 'grant') {
          const granted = !on.causes.has(second);
          if (granted) on.balance += first;
          on.causes.add(second);
          asked.push(
            ledger.grant(id, { tokens: first, cause: `cause ${second}`, atMs: 0 }, 'operator'),
          );
          expected.push({ granted, balance: on.balance });
        } else if (kind === 'refund') {
          const last = on.debits.pop();
          if (!last) continue;
          on.balance += last.tokens;
          asked.push(ledger.refund(charge(last.tokens, last.day)));
          expected.push(undefined);
        } else if (kind === 'member') {
          on.member = first;
          asked.push(ledger.setMembership(id, first ? WITHOUT_END : null, BY));
          expected.push(undefined);
        } else if (kind === 'create key') {
          const created = on.activeKeys < 3;
          if (created) on.activeKeys++;
          asked.push(newKey(ledger, id, '', 0).then((made) => made.created));
          expected.push(created);
        } else {
          const key = active[at].pop();
          if (!key) continue;
          on.activeKeys--;
          asked.push(ledger.revokeKey(id, key.id, BY));
          expected.push(true);
        }
      }
      expect(await Promise.all(asked)).toEqual(expected);
      for (const [at, id] of ids.entries()) {
        const { balance, member, debits, activeKeys } = paper[at];
        const account = (await ledger.account(id))!;
        expect(account.balance).toBe(balance);
        expect(isMember(account.membership, 0)).toBe(member);
        const kept = (await ledger.keys(id)).filter((key) => key.revokedAtMs === null);
        expect(kept).toHaveLength(activeKeys);
        const usage = await ledger.usage(id);
        for (const day of [0, 1, 2]) {
          const onPaper = debits.filter((debit) => debit.day === day);
          const text = new Date(day * DAY_MS).toISOString().slice(0, 10);
          const kept = usage.find((row) => row.day === text) ?? { requests: 0, tokens: 0 };
          expect(kept).toMatchObject({
            requests: onPaper.length,
            tokens: onPaper.reduce((sum, debit) => sum + debit.tokens, 0),
          });
        }
        const granted = (await ledger.grants(id)).reduce((sum, grant) => sum + grant.tokens, 0);
        const used = usage.reduce((sum, day) => sum + day.tokens, 0);
        expect(granted - used).toBe(balance);
      }
    }
  }));

test('a single debit among hundreds of another caller’s is among the first to be answered', async () => {
  const [many, one] = await Promise.all([newAccount(ledger), newAccount(ledger)]);
  const reported: string[] = [];
  const debit = async (account: string) => {
    await ledger.debit({ account, keyId: 'key', route: ROUTE, tokens: 0, atMs: 0 });
    reported.push(account);
  };
  await Promise.all([...Array.from({ length: 300 }, () => debit(many.id)), debit(one.id)]);
  expect(reported).toHaveLength(301);
  expect(reported.indexOf(one.id)).toBeLessThan(8);
});
