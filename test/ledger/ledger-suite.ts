import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { KeyOrder } from '../../proxy/ledger/accounts.ts';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { BROWSER_TOKEN_KEY_ID } from '../../proxy/ledger/browser-token.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { SESSION_LIFE_MS } from '../../proxy/ledger/sessions.ts';
import { MAX_ACTIVE_KEYS } from '../../proxy/plans.ts';
import { totalsOf } from '../support/account-totals.ts';
import { BY, issuedKey, newAccount, newKey, ROUTE } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { type LedgerProgram, runLedgerProgram } from '../support/ledger-program.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

/**
 * Tests the contract of every ledger. `newAddress` returns the address of a new, empty ledger each
 * time.
 */
export function ledgerSuite(name: string, newAddress: () => string): void {
  describe(name, () => {
    const open = (rateLimitPerMinute: number, address = newAddress()) =>
      openLedger(address, { rateLimitPerMinute });
    let address: string;
    const ledger = ofTests(() => {
      address = newAddress();
      return open(1_000_000, address);
    });

    async function customer(tokens: number) {
      const account = await newAccount(ledger);
      if (tokens > 0)
        await ledger.grant(account.id, { tokens, cause: 'start', atMs: NOON }, 'operator');
      const made = await issuedKey(ledger, account.id, 'test', NOON);
      const about = { account: account.id, keyId: made.key.id, route: ROUTE };
      const charge = (tokens: number, atMs = NOON) => ({ ...about, tokens, atMs });
      return { id: account.id, plainKey: made.plainKey, key: made.key, charge };
    }

    async function expectBooksToAddUp(id: string): Promise<void> {
      const { granted, used, balance } = await totalsOf(ledger, id);
      expect(balance).toBe(granted - used);
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

    test('refunds no more than a key was charged on a day and route, in requests and in tokens', async () => {
      const step = fc.record({
        isRefund: fc.boolean(),
        day: fc.nat(1),
        tokens: fc.integer({ min: 1, max: 5 }),
        part: fc.nat(5),
      });
      await forAll(40, fc.array(step, { maxLength: 12 }), async (steps) => {
        const { id, charge } = await customer(100);
        const charged = [
          { requests: 0, tokens: 0 },
          { requests: 0, tokens: 0 },
        ];
        for (const { isRefund, day, tokens, part } of steps) {
          const due = charge(tokens, NOON + day * DAY_MS);
          const row = charged[day];
          if (!isRefund) {
            expect((await ledger.debit(due)).outcome).toBe('debited');
            row.requests++;
            row.tokens += tokens;
            continue;
          }
          const back = Math.min(part, tokens);
          if (row.requests === 0 || row.tokens < tokens) {
            await expect(ledger.refund(due, back)).rejects.toThrow('no debit');
            continue;
          }
          await ledger.refund(due, back);
          row.tokens -= back;
          if (back === tokens) row.requests--;
        }
        const used = (await ledger.usage(id)).map(({ requests, tokens }) => ({ requests, tokens }));
        expect(used).toEqual(charged.filter(({ requests }) => requests > 0));
        const all = charged.reduce((sum, { tokens }) => sum + tokens, 0);
        expect((await ledger.account(id))!.balance).toBe(100 - all);
      });
    });

    test('a cause grants once, however often and concurrently it is submitted', async () => {
      const { id } = await customer(0);
      const invoice = { tokens: 500, cause: 'invoice in_123', atMs: NOON };
      const grants = await Promise.all(
        Array.from({ length: 10 }, () => ledger.grant(id, invoice, 'operator')),
      );
      expect(grants.filter((grant) => grant.granted)).toHaveLength(1);
      expect(await ledger.grant(id, invoice, 'operator')).toEqual({ granted: false, balance: 500 });
      expect(await ledger.grants(id)).toEqual([invoice]);
    });

    test('a clock that jumps loses no token, repeats no grant, and locks no customer out', async () => {
      const { id, plainKey, charge } = await customer(100);
      const invoice = { tokens: 50, cause: 'invoice in_456' };
      const shifts = [0, DAY_MS, -DAY_MS, 0];
      const granted: boolean[] = [];
      for (const shift of shifts) {
        vi.useFakeTimers({ now: NOON + shift, toFake: ['Date'] });
        try {
          const atMs = Date.now();
          expect((await ledger.admit(hashApiKey(plainKey), atMs)).outcome).toBe('admitted');
          expect((await ledger.debit(charge(1, atMs))).outcome).toBe('debited');
          granted.push((await ledger.grant(id, { ...invoice, atMs }, 'operator')).granted);
        } finally {
          vi.useRealTimers();
        }
      }
      expect(granted).toEqual([true, false, false, false]);
      expect((await ledger.account(id))!.balance).toBe(150 - shifts.length);
      await expectBooksToAddUp(id);
    });

    test('admits a key with its account and one unit of its rate', async () => {
      const strict = await ofThisTest(open(3));
      const account = await newAccount(strict, { email: 'Ada@Example.org ', member: true });
      const made = await issuedKey(strict, account.id, '', NOON);
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
        member: true,
        balance: 0,
        rate: { remaining: 0, resetSeconds: 40 },
      });
      expect((await strict.admit(hash, NOON + 60_000)).outcome).toBe('admitted');
      expect((await strict.accountByEmail('ada@example.ORG'))!.id).toBe(account.id);
      expect((await newAccount(strict, { email: ' ADA@example.org' })).id).toBe(account.id);
    });

    test('admits a session like a key of its account, until the session or the account ends', async () => {
      const strict = await ofThisTest(open(4));
      const { id } = await newAccount(strict, { email: 'pages@example.org', member: true });
      const other = await newAccount(strict);
      const { plainKey } = await issuedKey(strict, id, '', NOON);
      const begin = (sessionId: string) =>
        strict.beginSession(id, {
          id: sessionId,
          secretHash: 'x',
          startedAtMs: NOON,
          client: 'Firefox',
          address: '192.0.2.1',
        });
      await begin('one');
      await begin('two');
      const admit = (sessionId: string, nowMs = NOON, account = id) =>
        strict.admitSession({ account, id: sessionId }, nowMs);
      const outcome = async (...of: Parameters<typeof admit>) => (await admit(...of)).outcome;
      expect(await admit('one')).toMatchObject({
        outcome: 'admitted',
        account: id,
        keyId: BROWSER_TOKEN_KEY_ID,
        member: true,
        balance: 0,
        rate: { limit: 4, remaining: 3 },
      });
      // Keys and sessions share the rate of the account.
      expect((await strict.admit(hashApiKey(plainKey), NOON)).outcome).toBe('admitted');
      expect(await admit('two')).toMatchObject({ rate: { remaining: 1 } });
      expect(await outcome('two')).toBe('admitted');
      expect(await admit('two')).toMatchObject({ outcome: 'rate-limited', rate: { remaining: 0 } });
      const later = NOON + 60_000;
      expect(await outcome('none', later)).toBe('invalid-key');
      expect(await outcome('one', later, other.id)).toBe('invalid-key');
      expect(await outcome('one', later, 'nobody')).toBe('invalid-key');
      await strict.setDisabled(id, true, BY);
      expect(await outcome('one', later)).toBe('account-disabled');
      await strict.setDisabled(id, false, BY);
      expect(await outcome('one', NOON + SESSION_LIFE_MS - 1)).toBe('admitted');
      expect(await outcome('one', NOON + SESSION_LIFE_MS)).toBe('invalid-key');
      await strict.endSession(id, 'one', later);
      expect(await outcome('one', later)).toBe('invalid-key');
      expect(await outcome('two', later)).toBe('admitted');
      await strict.closeAccount(id, BY);
      expect(await outcome('two', later)).toBe('invalid-key');
    });

    test('refuses a disabled key at once, also in another process that has the ledger open', async () => {
      const { id, plainKey, key } = await customer(1);
      const hash = hashApiKey(plainKey);
      const other = runLedgerProgram(
        address,
        `for await (const line of heard) {
           const [turn, hash] = line.split(' ');
           say((await ledger.admit(hash, ${NOON})).outcome + ', heard ' + turn + '.');
         }
         await ledger.close();`,
      );
      let turn = 0;
      const outcome = async () => {
        other.tell(`${++turn} ${hash}`);
        await other.says(`heard ${turn}.`);
        const there = new RegExp(`^(.+), heard ${turn}\\.`, 'm').exec(other.output())?.[1];
        const here = (await ledger.admit(hash, NOON)).outcome;
        expect(there).toBe(here);
        return here;
      };
      try {
        expect(await outcome()).toBe('admitted');
        expect(await ledger.setKeyDisabled(id, key.id, true, BY)).toBe(true);
        expect(await outcome()).toBe('account-disabled');
        expect((await ledger.keys(id))[0]).toMatchObject({ disabled: true, revokedAtMs: null });
        expect(await ledger.setKeyDisabled(id, key.id, false, BY)).toBe(true);
        expect(await outcome()).toBe('admitted');
        await ledger.setKeyDisabled(id, key.id, true, BY);
        await ledger.revokeKey(id, key.id, BY);
        expect(await outcome()).toBe('invalid-key');
        await ledger.setKeyDisabled(id, key.id, false, BY);
        expect(await outcome()).toBe('invalid-key');
        expect(await ledger.setKeyDisabled(id, 'none', true, BY)).toBe(false);
      } finally {
        other.child.stdin?.end();
        expect([await other.ended, other.output()]).toEqual([0, expect.anything()]);
      }
    });

    /**
     * Starts a separate process that debits one token at a time while any are left, and reports
     * each debit.
     */
    const debitor = (due: Charge, inFlight: number) =>
      runLedgerProgram(
        address,
        `await Promise.all(Array.from({ length: ${inFlight} }, async () => {
           const charge = ${JSON.stringify(due)};
           while ((await ledger.debit(charge)).outcome === 'debited') say('debited');
         }));
         await ledger.close();`,
      );
    const reportedBy = (program: LedgerProgram) => program.output().split('debited').length - 1;

    test('kill −9 of a process amid its debits loses no acknowledged debit', async () => {
      const { id, charge } = await customer(10_000_000);
      let reported = 0;
      for (const debits of [50, 1_000]) {
        const program = debitor(charge(1), 16);
        await expect.poll(() => reportedBy(program)).toBeGreaterThan(debits);
        program.child.kill('SIGKILL');
        await program.ended;
        reported += reportedBy(program);
      }
      const { used } = await totalsOf(ledger, id);
      expect(used).toBeGreaterThanOrEqual(reported);
      // Only debits in flight at a kill may have been charged without a report.
      expect(used - reported).toBeLessThanOrEqual(2 * 16);
      await expectBooksToAddUp(id);
    });

    test('two processes debiting at once take exactly the balance', async () => {
      const { plainKey, charge } = await customer(3_000);
      const programs = [debitor(charge(1), 8), debitor(charge(1), 8)];
      const codes = await Promise.all(programs.map((program) => program.ended));
      expect(codes, programs.map((program) => program.output()).join('')).toEqual([0, 0]);
      expect(reportedBy(programs[0]) + reportedBy(programs[1])).toBe(3_000);
      // A ledger that was open throughout sees the changes of other processes.
      expect(await ledger.admit(hashApiKey(plainKey), NOON)).toMatchObject({ balance: 0 });
    });

    async function accountsHeld() {
      const held = [];
      for await (const account of ledger.allAccounts()) held.push(account);
      // The order is up to the ledger.
      return held.sort((a, b) => (a.id < b.id ? -1 : 1));
    }

    test('a new account gets the sign-up grant with its key, once per address', async () => {
      const owner = { email: 'racing@example.org' };
      const order = { by: 'operator', owner, label: '', atMs: NOON } as const;
      const made = await Promise.all(Array.from({ length: 5 }, () => ledger.issueKey(order)));
      expect(made.filter(({ created }) => created)).toHaveLength(MAX_ACTIVE_KEYS);
      const { id, balance } = (await ledger.accountByEmail('racing@example.org'))!;
      expect(balance).toBe(5_000);
      expect(await ledger.grants(id)).toEqual([{ tokens: 5_000, cause: 'signup', atMs: NOON }]);
    });

    test('an order that cannot be filled leaves no account, grant, key or membership', async () => {
      const full = await customer(0);
      for (const label of ['second', 'third']) await newKey(ledger, full.id, label, NOON);
      const before = await accountsHeld();
      const grant = { tokens: 50, cause: 'never', atMs: NOON };
      const about = { by: 'operator', label: '', member: true, atMs: NOON } as const;
      const order = { ...about, owner: { id: full.id }, grant };
      expect((await ledger.issueKey(order)).created).toBe(false);
      const impossible: KeyOrder[] = [
        { ...order, owner: { id: 'nobody' } },
        { ...order, owner: { email: 'new@example.org' }, grant: { ...grant, tokens: -1 } },
        { ...order, owner: { email: 'new@example.org' }, grant: { ...grant, cause: '' } },
        { ...order, owner: { email: null }, grant: { ...grant, cause: 'é'.repeat(751) } },
        { ...order, owner: { email: `${'a'.repeat(3_000)}@example.org` } },
      ];
      // The orders are submitted with a change that shares their transaction and must survive their
      // failure.
      const outcomes = await Promise.allSettled([
        ...impossible.map((order) => ledger.issueKey(order)),
        ledger.grant(full.id, { tokens: 1, cause: 'beside', atMs: NOON }, 'operator'),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        ...impossible.map(() => 'rejected'),
        'fulfilled',
      ]);
      const after = await accountsHeld();
      const changed = after.filter(({ id }) => id === full.id);
      expect(changed).toMatchObject([{ balance: 1, membership: null }]);
      expect(after.filter(({ id }) => id !== full.id)).toEqual(
        before.filter(({ id }) => id !== full.id),
      );
      expect(await ledger.keys(full.id)).toHaveLength(3);
      expect(await ledger.grants(full.id)).toMatchObject([{ cause: 'beside' }]);
    });

    test('keeps one secret per name, however many callers race to create it', async () => {
      const asked = await Promise.all([1, 2, 3].map(() => ledger.secret('cursors')));
      expect(new Set(asked).size).toBe(1);
      expect(asked[0]).toMatch(/^[\w-]{43}$/);
      expect(await ledger.secret('other')).not.toBe(asked[0]);
    });
  });
}
