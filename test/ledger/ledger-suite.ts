import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { isMember, type KeyOrder, WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { BROWSER_TOKEN_KEY_ID } from '../../proxy/ledger/browser-token.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import type { Receipt } from '../../proxy/ledger/replays.ts';
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

    test('a partial refund leaves the rest of the debit, and its request', async () => {
      const { id, key, charge } = await customer(10);
      await ledger.debit(charge(4));
      await ledger.refund(charge(4), 3);
      expect((await ledger.account(id))!.balance).toBe(9);
      expect(await ledger.usage(id)).toMatchObject([{ keyId: key.id, requests: 1, tokens: 1 }]);
      await expect(ledger.refund(charge(4), 5)).rejects.toThrow(RangeError);
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

    test('a revoked key is invalid, a disabled account disabled, an unknown key invalid', async () => {
      const { id, plainKey, key } = await customer(1);
      const outcome = async () => (await ledger.admit(hashApiKey(plainKey), NOON)).outcome;
      await ledger.setDisabled(id, true, BY);
      expect(await outcome()).toBe('account-disabled');
      await ledger.setDisabled(id, false, BY);
      expect(await outcome()).toBe('admitted');
      expect(await ledger.revokeKey(id, key.id, BY)).toBe(true);
      expect(await ledger.revokeKey(id, key.id, BY)).toBe(true);
      expect(await outcome()).toBe('invalid-key');
      expect(await ledger.revokeKey(id, 'none', BY)).toBe(false);
      expect((await ledger.admit(hashApiKey('ta_live_other'), NOON)).outcome).toBe('invalid-key');
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

    test('disabling one key leaves the account’s other keys working', async () => {
      const { id, plainKey, key } = await customer(1);
      const second = await issuedKey(ledger, id, 'second', NOON + 1);
      await ledger.setKeyDisabled(id, key.id, true, BY);
      expect((await ledger.admit(hashApiKey(second.plainKey), NOON)).outcome).toBe('admitted');
      expect((await ledger.admit(hashApiKey(plainKey), NOON)).outcome).toBe('account-disabled');
      expect((await ledger.account(id))!.disabled).toBe(false);
      // A disabled key can be enabled again, so it still counts towards the limit.
      expect((await newKey(ledger, id, 'third', NOON + 2)).created).toBe(true);
      expect((await newKey(ledger, id, 'fourth', NOON + 3)).created).toBe(false);
    });

    async function accountsHeld() {
      const held = [];
      for await (const account of ledger.allAccounts()) held.push(account);
      // The order is up to the ledger.
      return held.sort((a, b) => (a.id < b.id ? -1 : 1));
    }

    test('issues account, grant, membership and key in one transaction', async () => {
      const grant = { tokens: 70, cause: 'cli:1', atMs: NOON };
      const made = await ledger.issueKey({
        by: 'operator',
        owner: { email: 'Grace@Example.org' },
        label: 'first',
        grant,
        member: true,
        atMs: NOON,
      });
      if (!made.created) throw new Error(made.reason);
      const { account, key, plainKey } = made;
      expect(account).toMatchObject({ email: 'Grace@Example.org', balance: 70 });
      expect(isMember(account.membership, NOON)).toBe(true);
      expect(await ledger.account(account.id)).toEqual(account);
      expect(await ledger.keys(account.id)).toEqual([key]);
      expect(await ledger.grants(account.id)).toEqual([grant]);
      expect(await ledger.admit(hashApiKey(plainKey), NOON)).toMatchObject({
        outcome: 'admitted',
        account: account.id,
        keyId: key.id,
        member: true,
        balance: 70,
      });
      // Further keys go to the existing account, by address or id, without a second sign-up grant.
      const owners = [{ email: ' GRACE@example.org ' }, { id: account.id }];
      for (const owner of owners) {
        const next = await ledger.issueKey({ by: 'operator', owner, label: '', atMs: NOON + 1 });
        expect(next).toMatchObject({ created: true, account: { id: account.id, balance: 70 } });
      }
      const fourth = await newKey(ledger, account.id, '', NOON);
      expect(fourth).toEqual({ created: false, reason: 'too-many-keys' });
    });

    test('a new account gets the sign-up grant with its key, once per address', async () => {
      const owner = { email: 'racing@example.org' };
      const order = { by: 'operator', owner, label: '', atMs: NOON } as const;
      const made = await Promise.all(Array.from({ length: 5 }, () => ledger.issueKey(order)));
      expect(made.filter(({ created }) => created)).toHaveLength(MAX_ACTIVE_KEYS);
      const { id, balance } = (await ledger.accountByEmail('racing@example.org'))!;
      expect(balance).toBe(5_000);
      expect(await ledger.grants(id)).toEqual([{ tokens: 5_000, cause: 'signup', atMs: NOON }]);
    });

    test('a custom sign-up grant replaces the plans’ grant where one is due, and nowhere else', async () => {
      const email = 'later@example.org';
      const signupGrant = { tokens: 0, cause: 'later', atMs: NOON };
      const order = { email, signupGrant, by: 'owner', atMs: NOON } as const;
      const first = await ledger.openAccount(order);
      expect(first).toMatchObject({ isNew: true, account: { balance: 0 } });
      expect(await ledger.grants(first.account.id)).toEqual([signupGrant]);
      expect(await ledger.openAccount({ ...order, signupGrant: undefined })).toEqual({
        ...first,
        isNew: false,
      });
      const none = await ledger.openAccount({ ...order, email: 'none@example.org', grant: null });
      expect(await ledger.grants(none.account.id)).toEqual([]);
      await ledger.closeAccount(first.account.id, { by: 'owner', atMs: NOON });
      const back = await ledger.openAccount(order);
      expect(back.isNew).toBe(true);
      expect(await ledger.grants(back.account.id)).toEqual([]);
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

    test('matches the reference ledger for any sequence of operations, and its books add up after each', async () => {
      const tokens = fc.nat(40);
      const of = <K extends string>(kind: K) => ({ kind: fc.constant(kind) });
      const operation = fc.oneof(
        fc.record({ ...of('debit'), tokens, day: fc.nat(2) }),
        fc.record({ ...of('refund'), which: fc.nat() }),
        fc.record({ ...of('grant'), tokens, cause: fc.nat(5) }),
        fc.record({ ...of('debit once'), tokens, key: fc.nat(3) }),
        fc.record({ ...of('undeliver'), which: fc.nat() }),
        fc.record({ ...of('issue key'), tokens, cause: fc.nat(5) }),
        fc.record({ ...of('revoke'), which: fc.nat() }),
        fc.record({ ...of('disable'), disabled: fc.boolean(), key: fc.boolean() }),
        fc.record({ ...of('member'), member: fc.boolean() }),
      );
      await forAll(40, fc.array(operation, { maxLength: 40 }), async (operations) => {
        const { id, key, charge } = await customer(0);
        let balance = 0;
        let requests = 0;
        let active = 1;
        const causes = new Set<string>();
        const debits: ReturnType<typeof charge>[] = [];
        const kept = new Map<string, { tokens: number; deliveries: number; receipt: Receipt }>();
        const granted = (tokens: number, cause: string) => {
          if (causes.has(cause)) return false;
          causes.add(cause);
          balance += tokens;
          return true;
        };
        for (const op of operations) {
          if (op.kind === 'debit') {
            const due = charge(op.tokens, NOON + op.day * DAY_MS);
            const { outcome } = await ledger.debit(due);
            expect(outcome).toBe(op.tokens <= balance ? 'debited' : 'insufficient');
            if (op.tokens <= balance) {
              balance -= op.tokens;
              requests++;
              debits.push(due);
            }
          } else if (op.kind === 'refund' && debits.length > 0) {
            const [due] = debits.splice(op.which % debits.length, 1);
            await ledger.refund(due);
            balance += due.tokens;
            requests--;
          } else if (op.kind === 'grant') {
            const grant = { tokens: op.tokens, cause: `cause ${op.cause}`, atMs: NOON };
            const outcome = await ledger.grant(id, grant, 'operator');
            expect(outcome.granted).toBe(granted(grant.tokens, grant.cause));
          } else if (op.kind === 'debit once') {
            const request = { key: `key ${op.key}`, fingerprint: 'f' };
            const got = await ledger.debitOnce(charge(op.tokens), request);
            const before = kept.get(request.key);
            if (before) {
              expect(got).toMatchObject({ outcome: 'replayed', tokens: before.tokens, balance });
              before.deliveries++;
            } else if (op.tokens > balance) {
              expect(got).toEqual({ outcome: 'insufficient', balance });
            } else {
              if (got.outcome !== 'debited') throw new Error(got.outcome);
              balance -= op.tokens;
              requests++;
              const { receipt } = got;
              kept.set(request.key, { tokens: op.tokens, deliveries: 1, receipt });
            }
          } else if (op.kind === 'undeliver' && kept.size > 0) {
            const [name, response] = [...kept][op.which % kept.size];
            await ledger.undeliver(response.receipt);
            if (--response.deliveries === 0) {
              kept.delete(name);
              balance += response.tokens;
              requests--;
            }
          } else if (op.kind === 'issue key') {
            const grant = { tokens: op.tokens, cause: `cause ${op.cause}`, atMs: NOON };
            const order = { by: 'operator', label: '', atMs: NOON } as const;
            const issue = await ledger.issueKey({ ...order, owner: { id }, grant });
            expect(issue.created).toBe(active < MAX_ACTIVE_KEYS);
            if (issue.created) {
              active++;
              granted(grant.tokens, grant.cause);
              expect(issue.account.balance).toBe(balance);
            }
          } else if (op.kind === 'revoke') {
            const keys = (await ledger.keys(id)).filter((key) => key.revokedAtMs === null);
            expect(keys).toHaveLength(active);
            if (active === 0) continue;
            await ledger.revokeKey(id, keys[op.which % active].id, BY);
            active--;
          } else if (op.kind === 'disable') {
            if (op.key) await ledger.setKeyDisabled(id, key.id, op.disabled, BY);
            else await ledger.setDisabled(id, op.disabled, BY);
          } else if (op.kind === 'member') {
            await ledger.setMembership(id, op.member ? WITHOUT_END : null, BY);
          }
          expect((await ledger.account(id))!.balance).toBe(balance);
          const counted = (await ledger.usage(id)).reduce((sum, day) => sum + day.requests, 0);
          expect(counted).toBe(requests);
          await expectBooksToAddUp(id);
        }
      });
    });

    test('keeps one secret per name, however many callers race to create it', async () => {
      const asked = await Promise.all([1, 2, 3].map(() => ledger.secret('cursors')));
      expect(new Set(asked).size).toBe(1);
      expect(asked[0]).toMatch(/^[\w-]{43}$/);
      expect(await ledger.secret('other')).not.toBe(asked[0]);
    });

    test('reports that it is unavailable once closed', async () => {
      const closed = await open(1);
      const account = await newAccount(closed);
      await closed.close();
      await closed.close();
      const grant = { tokens: 1, cause: 'late', atMs: NOON };
      await expect(closed.grant(account.id, grant, 'operator')).rejects.toThrow(LedgerUnavailable);
      await expect(async () => closed.admit('hash', NOON)).rejects.toThrow(LedgerUnavailable);
      await expect(closed.ping()).rejects.toThrow(LedgerUnavailable);
    });
  });
}
