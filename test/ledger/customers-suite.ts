import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  type AccountId,
  isMember,
  MAX_REVOKED_KEPT,
  type Membership,
} from '../../proxy/ledger/accounts.ts';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { hashMailbox } from '../../proxy/ledger/mailbox.ts';
import { totalsOf } from '../support/account-totals.ts';
import { BY, issuedKey, newAccount, newKey, ROUTE } from '../support/customers.ts';
import { ledgersOfTests } from '../support/new-ledgers.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

/**
 * Tests the contract of every ledger for accounts and the operations on them. `newAddress` returns
 * the address of an empty ledger.
 */
export function customersSuite(name: string, newAddress: () => string): void {
  describe(`${name}, accounts`, () => {
    const { ledger, other } = ledgersOfTests(newAddress, { rateLimitPerMinute: 1_000_000 });

    const open = (email: string | null, at = NOON, from = ledger) =>
      from.openAccount({ email, by: 'owner', atMs: at });

    /** Σ grants − Σ usage, which must equal the balance. */
    async function sumOf(id: AccountId): Promise<number> {
      const { granted, used, balance } = await totalsOf(ledger, id);
      expect(balance).toBe(granted - used);
      return balance;
    }

    test('racing sign-ups create one account, however the address is written', async () => {
      const forms = ['R.acing@gmail.com', 'racing+a@googlemail.com', ' RACING@GMAIL.COM '];
      const opened = await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          open(forms[i % forms.length], NOON, i % 2 ? ledger : other),
        ),
      );
      expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(opened.map(({ account }) => account.id)).size).toBe(1);
      const { id } = opened[0].account;
      expect(await ledger.grants(id)).toEqual([{ tokens: 5_000, cause: 'signup', atMs: NOON }]);
      for (const form of forms) expect((await other.accountByEmail(form))?.id).toBe(id);
      expect(await sumOf(id)).toBe(5_000);
    });

    test('an empty or overlong address is refused and leaves nothing behind', async () => {
      for (const email of ['', ' ', `${'a'.repeat(1_500)}@example.org`]) {
        await expect(open(email)).rejects.toThrow(RangeError);
        expect(await ledger.accountByEmail(email)).toBeUndefined();
      }
    });

    test('a closed account gets no key and no session, even if they race with its closing', async () => {
      for (let round = 0; round < 20; round++) {
        const { account } = await open(`racing-${round}@example.org`);
        const { id } = account;
        const begin = (name: string, on: Ledger) => on.beginSession(id, session(name));
        const raced = await Promise.all([
          newKey(other, id, 'a', NOON),
          begin('a', ledger),
          (round % 2 ? ledger : other).closeAccount(id, { by: 'owner', atMs: NOON + 1 }),
          newKey(ledger, id, 'b', NOON),
          begin('b', other),
          ledger.closeAccount(id, { by: 'owner', atMs: NOON + 1 }),
        ]);
        for (const made of [raced[0], raced[3]]) {
          if (!made.created) expect(made.reason).toBe('closed');
          else
            expect((await ledger.admit(hashApiKey(made.plainKey), NOON)).outcome).toBe(
              'invalid-key',
            );
        }
        expect((await ledger.keys(id)).filter((key) => key.revokedAtMs === null)).toEqual([]);
        expect(await other.sessions(id, NOON)).toEqual([]);

        const before = await ledger.exportAccount(id);
        expect(before!.account).toMatchObject({ email: null, closedAtMs: NOON + 1 });
        const grant = { tokens: 5, cause: 'late', atMs: NOON };
        const late = { owner: { id }, label: '', grant, member: true, ...BY };
        expect(await ledger.issueKey(late)).toEqual({ created: false, reason: 'closed' });
        expect(await begin('late', other)).toBe('closed');
        await other.closeAccount(id, { by: 'operator', atMs: NOON + 2 });
        expect(await ledger.exportAccount(id)).toEqual(before);
        expect(before!.audit.filter(({ what }) => what === 'account-closed')).toHaveLength(1);
      }
    });

    test('a membership expires by the clock, in every process', async () => {
      const { id } = await newAccount(ledger);
      const made = await issuedKey(ledger, id, '', NOON);
      const isMemberAt = async (atMs: number) => {
        const admitted = await other.admit(hashApiKey(made.plainKey), atMs);
        return 'member' in admitted && admitted.member;
      };
      expect(await isMemberAt(NOON)).toBe(false);
      await ledger.setMembership(id, PAID, BY);
      expect(await isMemberAt(PAID.untilMs! - 1)).toBe(true);
      expect(await isMemberAt(PAID.untilMs!)).toBe(false);
      const kept = (await other.account(id))!.membership;
      expect(kept).toEqual(PAID);
      expect(isMember(kept, PAID.untilMs!)).toBe(false);
      await ledger.setMembership(id, { ...PAID, untilMs: PAID.untilMs! + DAY_MS }, BY);
      expect(await isMemberAt(PAID.untilMs!)).toBe(true);
      await ledger.setMembership(id, null, BY);
      expect(await isMemberAt(NOON)).toBe(false);
    });

    test('usage is reported by route, key and day, for the requested days', async () => {
      const { id } = await newAccount(ledger);
      await ledger.grant(id, { tokens: 1_000, cause: 'start', atMs: NOON }, 'operator');
      for (const [keyId, route, day, tokens] of [
        ['a', 'GET /two', 1, 5],
        ['a', 'GET /one', 1, 3],
        ['b', 'GET /one', 0, 2],
        ['a', 'GET /one', 1, 4],
        ['a', 'GET /one', 2, 1],
      ] as const) {
        const atMs = NOON + day * DAY_MS + tokens;
        await ledger.debit({ account: id, keyId, route, tokens, atMs });
      }
      const reported = async (days?: { from?: string; to?: string }) =>
        (await other.usage(id, days)).map(
          ({ day, keyId, route, requests, tokens, lastAtMs }) =>
            `${day} ${keyId} ${route} ${requests} ${tokens} ${lastAtMs - NOON}`,
        );
      const rows = [
        '2026-06-01 b GET /one 1 2 2',
        `2026-06-02 a GET /one 2 7 ${DAY_MS + 4}`,
        `2026-06-02 a GET /two 1 5 ${DAY_MS + 5}`,
        `2026-06-03 a GET /one 1 1 ${2 * DAY_MS + 1}`,
      ];
      expect(await reported()).toEqual(rows);
      expect(await reported({ from: '2026-06-02', to: '2026-06-02' })).toEqual(rows.slice(1, 3));
      expect(await reported({ from: '2026-06-02' })).toEqual(rows.slice(1));
      expect(await reported({ to: '2026-06-01' })).toEqual(rows.slice(0, 1));
      expect(await reported({ from: '2026-07-01' })).toEqual([]);
    });

    test(`the last ${MAX_REVOKED_KEPT} revoked keys are listed; older ones keep their usage`, async () => {
      const { id } = await newAccount(ledger);
      await ledger.grant(id, { tokens: 10, cause: 'start', atMs: NOON }, 'operator');
      const ids: string[] = [];
      let firstHash = '';
      for (let at = NOON; ids.length < MAX_REVOKED_KEPT + 3; at += 1000) {
        const made = await newKey(ledger, id, '', at);
        if (!made.created) throw new Error(made.reason);
        const { key, plainKey } = made;
        if (ids.length === 0) {
          firstHash = hashApiKey(plainKey);
          await ledger.debit({ account: id, keyId: key.id, route: ROUTE, tokens: 4, atMs: NOON });
        }
        ids.push(key.id);
        await ledger.revokeKey(id, key.id, { by: 'owner', atMs: at + 1 });
      }
      const active = await newKey(ledger, id, '', NOON + DAY_MS);
      if (!active.created) throw new Error(active.reason);
      const listed = (await other.keys(id)).map((key) => key.id);
      expect(listed).toEqual([...ids.slice(-MAX_REVOKED_KEPT), active.key.id]);
      expect((await ledger.exportAccount(id))!.keys.map((key) => key.id)).toEqual(listed);
      expect(await ledger.usage(id)).toMatchObject([{ keyId: ids[0], requests: 1, tokens: 4 }]);
      expect((await other.admit(firstHash, NOON)).outcome).toBe('invalid-key');
      const by = { by: 'owner', atMs: NOON } as const;
      expect(await ledger.revokeKey(id, ids[0], by)).toBe(false);
      expect(await ledger.revokeKey(id, ids.at(-1)!, by)).toBe(true);
      expect(await sumOf(id)).toBe(6);
    });

    test('the last use of a key is reported to the minute, free requests included', async () => {
      const { id } = await newAccount(ledger);
      const made = await newKey(ledger, id, '', NOON);
      if (!made.created) throw new Error(made.reason);
      const lastUse = async () => (await other.keys(id))[0].lastUsedAtMs;
      const hash = hashApiKey(made.plainKey);
      expect(await lastUse()).toBeNull();
      for (const [second, reported] of [
        [1, 1],
        [30, 1],
        [60.999, 1],
        [61, 61],
        [200, 200],
        [90, 200],
        [130, 200],
      ]) {
        // The other server records the use of the key independently.
        const on = second === 200 ? other : ledger;
        expect((await on.admit(hash, NOON + second * 1000)).outcome).toBe('admitted');
        await expect.poll(lastUse).toBe(NOON + reported * 1000);
      }
      await ledger.setKeyDisabled(id, made.key.id, true, BY);
      await ledger.admit(hash, NOON + DAY_MS);
      await ledger.revokeKey(id, made.key.id, BY);
      await ledger.admit(hash, NOON + DAY_MS);
      await pause(50);
      expect(await lastUse()).toBe(NOON + 200_000);
      expect((await ledger.exportAccount(id))!.keys[0].lastUsedAtMs).toBe(NOON + 200_000);
    });

    test('exported books are imported in full, once', async () => {
      const { account } = await open('Export.Me@gmail.com');
      const { id } = account;
      const made = await issuedKey(ledger, id, 'ключ “1”', NOON);
      const charge = { account: id, keyId: made.key.id, route: ROUTE, tokens: 40, atMs: NOON };
      await ledger.debit(charge);
      await ledger.admit(hashApiKey(made.plainKey), NOON + 7);
      const ended = await newKey(ledger, id, 'ended', NOON + 1);
      await ledger.revokeKey(id, ended.created ? ended.key.id : '', BY);
      await ledger.setMembership(id, PAID, BY);
      await ledger.setCustomer(id, 'cus_1');
      const books = (await ledger.exportAccount(id))!;
      expect(await ledger.exportAccount('nobody')).toBeUndefined();
      // The account already exists in this ledger, both by its id and by its mailbox.
      expect(await ledger.importAccount(books)).toBe(false);
      const impostor = { ...books, account: { ...books.account, id: 'another' } };
      expect(await ledger.importAccount(impostor)).toBe(false);
      expect(await ledger.account('another')).toBeUndefined();

      // Imported as a new account under other names, its books are identical.
      const moved = {
        ...books,
        account: { ...books.account, id: `moved-${id}`, email: 'moved@example.org' },
        keys: books.keys.map((key) => ({ ...key, hash: `moved ${key.hash}` })),
      };
      const taken = await Promise.all([ledger.importAccount(moved), other.importAccount(moved)]);
      expect(taken.sort()).toEqual([false, true]);
      expect(await ledger.exportAccount(moved.account.id)).toEqual(moved);
      expect((await ledger.accountByEmail('Moved@example.org'))!.id).toBe(moved.account.id);
      expect(await other.admit(`moved ${hashApiKey(made.plainKey)}`, NOON)).toMatchObject({
        outcome: 'admitted',
        account: moved.account.id,
        balance: 4_960,
      });
      expect(await sumOf(moved.account.id)).toBe(4_960);
    });

    test('secrets and former mailboxes are imported, and existing ones stay', async () => {
      const mine = await ledger.secret('mine');
      await ledger.importSecrets({ mine: 'theirs', theirs: 'their secret' });
      expect(await other.secrets()).toMatchObject({ mine, theirs: 'their secret' });
      await ledger.closeAccount((await open('closed@example.org')).account.id, BY);
      const before = await other.formerMailboxes();
      const closed = { hash: hashMailbox('closed@example.org'), disabled: false };
      expect(before).toContainEqual(closed);
      const another = { hash: 'another', disabled: true };
      await ledger.importFormerMailboxes([{ ...closed, disabled: true }, another]);
      const held = await other.formerMailboxes();
      expect(held).toHaveLength(before.length + 1);
      for (const mailbox of [closed, another]) expect(held).toContainEqual(mailbox);
    });
  });
}

const PAID: Membership = {
  status: 'active',
  untilMs: NOON + 30 * DAY_MS,
  renewsAtMs: NOON + 30 * DAY_MS,
  subscription: 'sub_1',
};

function session(id: string) {
  const secretHash = `hash of ${id}`;
  return { id, secretHash, startedAtMs: NOON, client: 'Firefox', address: '192.0.2.0/24' };
}
