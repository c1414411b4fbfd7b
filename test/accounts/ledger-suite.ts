import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey } from '../../portal/accounts/api-key.ts';
import { type Ledger, LedgerUnavailable, MAX_ACTIVE_KEYS } from '../../portal/accounts/ledger.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

/** What any ledger promises. `open` gives a new and empty one each time. */
export function ledgerSuite(
  name: string,
  open: (rateLimitPerMinute: number) => Promise<Ledger>,
): void {
  describe(name, () => {
    let ledger: Ledger;
    beforeAll(async () => {
      ledger = await open(1_000_000);
    });
    afterAll(() => ledger.close());

    async function customer(tokens: number) {
      const account = await ledger.createAccount({ email: null });
      if (tokens > 0) await ledger.grant(account.id, { tokens, cause: 'start', atMs: NOON });
      const made = await ledger.createKey(account.id, 'test', NOON);
      if (!made.created) throw new Error(made.reason);
      const charge = (cost: number, atMs = NOON) => ({
        account: account.id,
        keyId: made.key.id,
        tokens: cost,
        atMs,
      });
      return { id: account.id, plainKey: made.plainKey, key: made.key, charge };
    }

    async function expectBooksToAddUp(id: string): Promise<void> {
      const granted = (await ledger.grants(id)).reduce((sum, grant) => sum + grant.tokens, 0);
      const used = (await ledger.usage(id)).reduce((sum, day) => sum + day.tokens, 0);
      expect((await ledger.account(id))!.balance).toBe(granted - used);
    }

    test('two hundred racing debits on a balance of one hundred charge exactly one hundred', async () => {
      const { id, charge } = await customer(100);
      const debits = await Promise.all(Array.from({ length: 200 }, () => ledger.debit(charge(1))));
      expect(debits.filter((debit) => debit.outcome === 'debited')).toHaveLength(100);
      expect(debits.filter((debit) => debit.outcome === 'insufficient')).toHaveLength(100);
      expect((await ledger.account(id))!.balance).toBe(0);
      expect(await ledger.usage(id)).toMatchObject([{ requests: 100, tokens: 100 }]);
      await expectBooksToAddUp(id);
    });

    test('a debit is all or nothing', async () => {
      const { charge } = await customer(10);
      expect(await ledger.debit(charge(11))).toEqual({ outcome: 'insufficient', balance: 10 });
      expect(await ledger.debit(charge(10))).toEqual({ outcome: 'debited', balance: 0 });
    });

    test('a refund undoes a debit as if it had not been', async () => {
      const { id, charge } = await customer(10);
      await ledger.debit(charge(4));
      await ledger.refund(charge(4));
      expect((await ledger.account(id))!.balance).toBe(10);
      expect(await ledger.usage(id)).toEqual([]);
      await expectBooksToAddUp(id);
    });

    test('usage is counted by key and UTC day', async () => {
      const { id, key, charge } = await customer(100);
      await ledger.debit(charge(3, Date.UTC(2026, 0, 1, 23, 59, 59)));
      await ledger.debit(charge(4, Date.UTC(2026, 0, 2)));
      await ledger.debit(charge(5, Date.UTC(2026, 0, 2, 5)));
      expect(await ledger.usage(id)).toEqual([
        { day: '2026-01-01', keyId: key.id, requests: 1, tokens: 3 },
        { day: '2026-01-02', keyId: key.id, requests: 2, tokens: 9 },
      ]);
    });

    test('a cause grants once, however often and at once it comes', async () => {
      const { id } = await customer(0);
      const invoice = { tokens: 500, cause: 'invoice in_123', atMs: NOON };
      const grants = await Promise.all(Array.from({ length: 10 }, () => ledger.grant(id, invoice)));
      expect(grants.filter((grant) => grant.granted)).toHaveLength(1);
      expect(await ledger.grant(id, invoice)).toEqual({ granted: false, balance: 500 });
      expect(await ledger.grants(id)).toEqual([invoice]);
    });

    test('admits a key with its account and one unit of its rate', async () => {
      const strict = await open(3);
      try {
        const account = await strict.createAccount({ email: 'Ada@Example.org ', member: true });
        const made = await strict.createKey(account.id, '', NOON);
        if (!made.created) throw new Error(made.reason);
        const hash = hashApiKey(made.plainKey);
        expect(await strict.admit(hash, NOON)).toMatchObject({
          outcome: 'admitted',
          account: account.id,
          member: true,
          balance: 0,
          rate: { limit: 3, remaining: 2, windowSeconds: 60, resetSeconds: 60 },
        });
        await strict.admit(hash, NOON + 1000);
        await strict.admit(hash, NOON + 2000);
        expect(await strict.admit(hash, NOON + 20_000)).toMatchObject({
          outcome: 'rate-limited',
          rate: { remaining: 0, resetSeconds: 40 },
        });
        expect((await strict.admit(hash, NOON + 60_000)).outcome).toBe('admitted');
        expect((await strict.accountByEmail('ada@example.ORG'))!.id).toBe(account.id);
        await expect(strict.createAccount({ email: 'ADA@example.org' })).rejects.toThrow(/already/);
      } finally {
        await strict.close();
      }
    });

    test('a revoked key is invalid, a disabled account disabled, an unknown key invalid', async () => {
      const { id, plainKey, key } = await customer(1);
      const outcome = async () => (await ledger.admit(hashApiKey(plainKey), NOON)).outcome;
      await ledger.setDisabled(id, true);
      expect(await outcome()).toBe('account-disabled');
      await ledger.setDisabled(id, false);
      expect(await outcome()).toBe('admitted');
      expect(await ledger.revokeKey(id, key.id)).toBe(true);
      expect(await ledger.revokeKey(id, key.id)).toBe(true);
      expect(await outcome()).toBe('invalid-key');
      expect(await ledger.revokeKey(id, 'none')).toBe(false);
      expect((await ledger.admit(hashApiKey('ta_live_other'), NOON)).outcome).toBe('invalid-key');
    });

    test('an account has at most three active keys, also when five are asked for at once', async () => {
      const account = await ledger.createAccount({ email: null });
      const made = await Promise.all(
        Array.from({ length: 5 }, (_, i) => ledger.createKey(account.id, `key ${i}`, NOON + i)),
      );
      expect(made.filter((key) => key.created)).toHaveLength(MAX_ACTIVE_KEYS);
      const [first] = await ledger.keys(account.id);
      await ledger.revokeKey(account.id, first.id);
      expect((await ledger.createKey(account.id, 'next', NOON)).created).toBe(true);
      expect(await ledger.keys(account.id)).toHaveLength(4);
    });

    test('does in any order of operations what a ledger on paper does', async () => {
      const operation = fc.oneof(
        fc.record({ kind: fc.constant('debit' as const), tokens: fc.nat(40), day: fc.nat(2) }),
        fc.record({ kind: fc.constant('refund' as const), which: fc.nat() }),
        fc.record({ kind: fc.constant('grant' as const), tokens: fc.nat(60), cause: fc.nat(5) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
          const { id, charge } = await customer(0);
          let balance = 0;
          const causes = new Set<number>();
          const debits: ReturnType<typeof charge>[] = [];
          for (const op of operations) {
            if (op.kind === 'debit') {
              const due = charge(op.tokens, NOON + op.day * DAY_MS);
              const { outcome } = await ledger.debit(due);
              expect(outcome).toBe(op.tokens <= balance ? 'debited' : 'insufficient');
              if (op.tokens <= balance) {
                balance -= op.tokens;
                debits.push(due);
              }
            } else if (op.kind === 'grant') {
              const { granted } = await ledger.grant(id, {
                tokens: op.tokens,
                cause: `cause ${op.cause}`,
                atMs: NOON,
              });
              expect(granted).toBe(!causes.has(op.cause));
              if (granted) balance += op.tokens;
              causes.add(op.cause);
            } else if (debits.length > 0) {
              const [due] = debits.splice(op.which % debits.length, 1);
              await ledger.refund(due);
              balance += due.tokens;
            }
            expect((await ledger.account(id))!.balance).toBe(balance);
          }
          const requests = (await ledger.usage(id)).reduce((sum, day) => sum + day.requests, 0);
          expect(requests).toBe(debits.length);
          await expectBooksToAddUp(id);
        }),
        { numRuns: 30 },
      );
    });

    test('keeps a secret by its name, however many ask for it first', async () => {
      const asked = await Promise.all([1, 2, 3].map(() => ledger.secret('cursors')));
      expect(new Set(asked).size).toBe(1);
      expect(asked[0]).toMatch(/^[\w-]{43}$/);
      expect(await ledger.secret('other')).not.toBe(asked[0]);
    });

    test('once closed, says that it is unavailable', async () => {
      const closed = await open(1);
      const account = await closed.createAccount({ email: null });
      await closed.close();
      await closed.close();
      const grant = { tokens: 1, cause: 'late', atMs: NOON };
      await expect(closed.grant(account.id, grant)).rejects.toThrow(LedgerUnavailable);
      await expect(closed.admit('hash', NOON)).rejects.toThrow(LedgerUnavailable);
      await expect(closed.ping()).rejects.toThrow(LedgerUnavailable);
    });
  });
}
