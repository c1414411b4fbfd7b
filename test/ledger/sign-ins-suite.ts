import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import { MAX_SESSIONS, SESSION_LIFE_MS, SESSION_SEEN_MS } from '../../proxy/ledger/sessions.ts';
import { newAccount } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { ledgersOfTests } from '../support/new-ledgers.ts';
import { Dice } from '../transit/dice.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE_MS = 60_000;

/** Tests the contract of every ledger for sign-ins, sessions, limits and payment events. */
export function signInsSuite(name: string, newAddress: () => string): void {
  describe(`${name}, sign-ins`, () => {
    const { ledger, other, address } = ledgersOfTests(newAddress, { rateLimitPerMinute: 1 });
    let mailboxes = 0;

    async function challenged(atMs = NOON) {
      const mailbox = `box${mailboxes++}@example.org`;
      const keep = (codeHash: string, at = atMs) => {
        const endsAtMs = at + 10 * MINUTE_MS;
        const linkHash = `link of ${codeHash}`;
        return ledger.storeChallenge(mailbox, { startedAtMs: at, codeHash, linkHash, endsAtMs });
      };
      await keep('right');
      return {
        keep,
        code: async (codeHash: string, at = atMs, from = other) =>
          (await from.answerChallenge(mailbox, { codeHash }, at)) === 'right',
        link: async (linkHash: string, at = atMs) =>
          (await other.answerChallenge(mailbox, { linkHash }, at)) === 'right',
        outcomeOf: (codeHash: string, at = atMs) =>
          other.answerChallenge(mailbox, { codeHash }, at),
      };
    }

    test('the right code signs in once, or the right link', async () => {
      const { code, link } = await challenged();
      expect(await code('wrong')).toBe(false);
      expect(await code('right')).toBe(true);
      expect([await code('right'), await link('link of right')]).toEqual([false, false]);
      const other = await challenged();
      expect(await other.link('link of right')).toBe(true);
      expect(await other.code('right')).toBe(false);
    });

    test('exactly one of several racing right responses is accepted', async () => {
      for (let round = 0; round < 5; round++) {
        const { code, link } = await challenged();
        const responses = await Promise.all(
          Array.from({ length: 12 }, (_, i) =>
            i % 3 === 0 ? link('link of right') : code('right', NOON, i % 2 ? ledger : other),
          ),
        );
        expect(responses.filter(Boolean)).toHaveLength(1);
      }
    });

    test('no number of wrong codes and links, even of concurrent ones, ends a challenge', async () => {
      const { code, link } = await challenged();
      const wrong = Array.from({ length: 40 }, (_, i) =>
        i % 4 === 0 ? link('wrong') : code(`wrong ${i}`, NOON, i % 2 ? ledger : other),
      );
      expect(await Promise.all(wrong)).toEqual(wrong.map(() => false));
      expect(await code('right')).toBe(true);
    });

    test('a challenge expires with its time, or with the next challenge', async () => {
      const late = await challenged();
      expect(await late.code('right', NOON + 10 * MINUTE_MS)).toBe(false);
      expect(await late.link('link of right', NOON + 10 * MINUTE_MS)).toBe(false);
      expect(await late.code('right', NOON + 10 * MINUTE_MS - 1)).toBe(true);

      const replaced = await challenged();
      await replaced.keep('next', NOON + MINUTE_MS);
      expect(await replaced.code('right')).toBe(false);
      expect(await replaced.link('link of right')).toBe(false);
      expect(await replaced.code('next', NOON + MINUTE_MS)).toBe(true);
    });

    test('a response that nothing could have met is told apart from a wrong one', async () => {
      expect(await other.answerChallenge('never@example.org', { codeHash: 'x' }, NOON)).toBe(
        'none',
      );
      const met = await challenged();
      expect(await met.outcomeOf('wrong')).toBe('wrong');
      expect(await met.outcomeOf('right')).toBe('right');
      expect(await met.outcomeOf('wrong')).toBe('none');
      const late = await challenged();
      expect(await late.outcomeOf('wrong', NOON + 10 * MINUTE_MS)).toBe('none');
    });

    test('a limit is shared by all users of the ledger, in this process and others', async () => {
      const window = { limit: 7, windowSeconds: 60 };
      const program = runLedgerProgram(
        address(),
        `const taken = await Promise.all(Array.from({ length: 6 }, () =>
           ledger.takeLimited('shared', ${JSON.stringify(window)}, ${NOON})));
         say('allowed ' + taken.filter(({ allowed }) => allowed).length + '.');
         await ledger.close();`,
      );
      const here = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          (i % 2 ? ledger : other).takeLimited('shared', window, NOON),
        ),
      );
      expect([await program.ended, program.output()]).toEqual([0, expect.anything()]);
      const there = Number(/allowed (\d+)\./.exec(program.output())![1]);
      expect(here.filter(({ allowed }) => allowed).length + there).toBe(window.limit);
    });

    test('a window opens with the first attempt, and refused attempts do not count', async () => {
      const window = { limit: 2, windowSeconds: 60 };
      const take = (atMs: number) => ledger.takeLimited('window', window, atMs);
      const rate = { limit: 2, windowSeconds: 60 };
      expect(await take(NOON)).toEqual({
        allowed: true,
        rate: { ...rate, remaining: 1, resetSeconds: 60 },
      });
      expect(await take(NOON + 20_000)).toMatchObject({ allowed: true, rate: { remaining: 0 } });
      const refused = { allowed: false, rate: { ...rate, remaining: 0, resetSeconds: 1 } };
      expect(await take(NOON + 59_999)).toEqual(refused);
      expect(await take(NOON + 60_000)).toMatchObject({ allowed: true, rate: { remaining: 1 } });
      // The clock was set back, so the window starts over.
      expect(await take(NOON)).toMatchObject({ allowed: true, rate: { remaining: 1 } });
      const none = await ledger.takeLimited('none', { limit: 0, windowSeconds: 60 }, NOON);
      expect(none.allowed).toBe(false);
    });

    test('a returned attempt can be taken again, also by another process, and none more', async () => {
      const window = { limit: 3, windowSeconds: 60 };
      const take = async (atMs = NOON) =>
        (await ledger.takeLimited('returned', window, atMs)).allowed;
      expect([await take(), await take(), await take(), await take()]).toEqual([
        true,
        true,
        true,
        false,
      ]);
      await other.returnLimited('returned');
      expect([await take(), await take()]).toEqual([true, false]);
      await Promise.all(Array.from({ length: 9 }, () => ledger.returnLimited('returned')));
      await ledger.returnLimited('never taken');
      // The window ends when it would have ended.
      const late = { allowed: true, rate: { remaining: 2, resetSeconds: 1 } };
      expect(await other.takeLimited('returned', window, NOON + 59_500)).toMatchObject(late);
      expect([await take(), await take(), await take()]).toEqual([true, true, false]);
    });

    test('a spaced limit gives its number at once, and then one each part of the window; what is returned is given again', () =>
      forAll(25, fc.nat(), async (seed) => {
        const dice = new Dice(seed);
        const window = { limit: 1 + dice.below(5), windowSeconds: 600 };
        const subject = crypto.randomUUID();
        const spacingMs = 600_000 / window.limit;
        // A bucket of `limit` tokens, refilled evenly.
        let [tokens, filledMs, now] = [window.limit, NOON, NOON];
        for (let step = 0; step < 25; step++) {
          now += dice.pick([0, 0, 0, 1_000, 90_000, 700_000]);
          tokens = Math.min(window.limit, tokens + (now - filledMs) / spacingMs);
          filledMs = now;
          // The time of a token is rounded up to milliseconds.
          if (Math.abs(tokens - Math.round(tokens)) < 0.001) tokens = Math.round(tokens);
          if (tokens <= window.limit - 1 && dice.chance(0.2)) {
            await other.returnSpaced(subject, window);
            tokens++;
          }
          const expected = tokens >= 1 ? now : now + (1 - tokens) * spacingMs;
          const at = await (step % 2 ? ledger : other).takeSpaced(subject, window, now);
          expect(Math.abs(at - expected)).toBeLessThanOrEqual(25);
          expect(at).toBeGreaterThanOrEqual(now);
          if (at === now) tokens--;
        }
      }));

    test('a clock that was ahead for a while empties no spaced limit for as long', async () => {
      const window = { limit: 2, windowSeconds: 100 };
      const reserve = (atMs: number) => ledger.takeSpaced('set back', window, atMs);
      const future = NOON + 3_650 * 24 * 60 * MINUTE_MS;
      expect([await reserve(future), await reserve(future)]).toEqual([future, future]);
      expect(await reserve(NOON)).toBe(NOON + 50_000);
      expect(await reserve(NOON + 150_000)).toBe(NOON + 150_000);
    });

    test('delayed grants wait in queues, each with a time: the first of each is listed, until it moves, ends or its account is closed', async () => {
      const [first, second, third] = await Promise.all(
        Array.from({ length: 3 }, async () => (await newAccount(ledger)).id),
      );
      const delay = (waitsFor: string, dueAtMs: number, orderMs: number) => {
        return { waitsFor, dueAtMs, orderMs, network: '192.0.2.0/24' };
      };
      const due = async (atMs: number) => (await other.dueGrants(atMs)).map((one) => one.account);
      await ledger.delayGrant(second, delay('a network', NOON + 1, 8));
      await other.delayGrant(first, delay('a network', NOON + 2, 7));
      await ledger.delayGrant(third, delay('the day', NOON + 3, 9));
      await other.delayGrant(third, delay('a network', NOON, 1));
      expect(await ledger.delayedGrant(third)).toEqual(delay('the day', NOON + 3, 9));
      expect(await other.delayedGrant('nobody')).toBeUndefined();
      expect(await other.queueTime('a network')).toBe(NOON + 1);
      expect(await other.queueTime('a domain')).toBeUndefined();
      expect(await due(NOON)).toEqual([]);
      expect(await due(NOON + 1)).toEqual([first]);
      expect(await due(NOON + 3)).toEqual([first, third]);
      expect((await ledger.dueGrants(NOON + 9))[1]).toEqual({
        account: third,
        ...delay('the day', NOON + 3, 9),
      });
      // A limit has no room: its first grant stays, and its queue is left alone for a while.
      await ledger.deferGrant(first, 'a network', NOON + 5);
      expect(await other.delayedGrant(first)).toEqual(delay('a network', NOON + 5, 7));
      expect(await due(NOON + 4)).toEqual([third]);
      expect(await due(NOON + 5)).toEqual([third, first]);
      // The last of a queue moves to another, in its place by rank.
      await other.deferGrant(third, 'a network', NOON + 6);
      expect(await ledger.queueTime('the day')).toBeUndefined();
      expect(await due(NOON + 5)).toEqual([]);
      expect(await due(NOON + 6)).toEqual([first]);
      await ledger.endDelay(first);
      await ledger.endDelay(first);
      await other.deferGrant(first, 'a network', NOON);
      expect(await ledger.delayedGrant(first)).toBeUndefined();
      expect(await due(NOON + 6)).toEqual([second]);
      await other.closeAccount(second, { by: 'owner', atMs: NOON });
      expect(await due(NOON + 6)).toEqual([third]);
      await ledger.endDelay(third);
      expect(await ledger.delayedGrant(third)).toBeUndefined();
      expect(await ledger.queueTime('a network')).toBeUndefined();
      expect(await ledger.dueGrants(NOON + 9)).toEqual([]);
    });

    test('of many queues, those that have waited longest are listed, at most a hundred', async () => {
      const { id } = await newAccount(ledger);
      const names = Array.from({ length: 130 }, (_, i) => `${id} ${i}`);
      const grant = { orderMs: 0, network: '192.0.2.0/24' };
      await Promise.all(
        names.map((waitsFor, i) =>
          ledger.delayGrant(waitsFor, { ...grant, waitsFor, dueAtMs: NOON - i }),
        ),
      );
      const due = await other.dueGrants(NOON);
      expect(due.map(({ waitsFor }) => waitsFor)).toEqual(names.toReversed().slice(0, 100));
      for (const name of names) await ledger.endDelay(name);
      expect(await other.dueGrants(NOON)).toEqual([]);
    });

    async function signedIn(account?: AccountId, startedAtMs = NOON, id = 'laptop') {
      const owner = account ?? (await newAccount(ledger)).id;
      const secretHash = `secret of ${id}`;
      const about = { client: 'Firefox', address: '192.0.2.0/24' };
      await ledger.beginSession(owner, { id, secretHash, startedAtMs, ...about });
      const ref = { account: owner, id, secretHash };
      return { owner, ref, about };
    }

    test('a session is identified by its secret alone', async () => {
      const { owner, ref, about } = await signedIn();
      const found = await other.session(ref, NOON);
      expect(found).toEqual({
        account: await ledger.account(owner),
        session: { id: 'laptop', startedAtMs: NOON, seenAtMs: NOON, ...about },
      });
      for (const wrong of [{ secretHash: 'secret' }, { id: 'other' }, { account: 'nobody' }]) {
        expect(await other.session({ ...ref, ...wrong }, NOON)).toBeUndefined();
      }
      const nobody = { id: 'x', secretHash: 'x', startedAtMs: NOON, ...about };
      await expect(ledger.beginSession('nobody', nobody)).rejects.toThrow('no account nobody');
    });

    test('a session’s lifetime restarts each time it is seen', async () => {
      const { owner, ref } = await signedIn();
      // Within the hour, the time is not written.
      await ledger.session(ref, NOON + SESSION_SEEN_MS - 1);
      expect((await ledger.sessions(owner, NOON))[0].seenAtMs).toBe(NOON);
      const seen = NOON + SESSION_LIFE_MS - 1;
      expect(await ledger.session(ref, seen)).toBeDefined();
      expect((await other.sessions(owner, seen))[0].seenAtMs).toBe(seen);
      expect(await ledger.sessions(owner, seen + SESSION_LIFE_MS - 1)).toHaveLength(1);
      expect(await ledger.session(ref, seen + SESSION_LIFE_MS)).toBeUndefined();
      expect(await ledger.sessions(owner, seen + SESSION_LIFE_MS)).toEqual([]);
    });

    test('an ended session is refused at once, also in other processes', async () => {
      const { owner, ref } = await signedIn();
      await signedIn(owner, NOON + 1, 'phone');
      expect((await other.sessions(owner, NOON)).map(({ id }) => id)).toEqual(['phone', 'laptop']);
      expect(await ledger.endSession(owner, 'laptop', NOON)).toBe(true);
      expect(await other.session(ref, NOON)).toBeUndefined();
      expect(await ledger.endSession(owner, 'laptop', NOON)).toBe(false);
      expect((await other.sessions(owner, NOON)).map(({ id }) => id)).toEqual(['phone']);
    });

    test(`of more than ${MAX_SESSIONS} sessions, the least recently seen one expires`, async () => {
      const { owner, ref } = await signedIn();
      for (let i = 1; i < MAX_SESSIONS; i++) await signedIn(owner, NOON + i * 1000, `s${i}`);
      expect(await ledger.sessions(owner, NOON)).toHaveLength(MAX_SESSIONS);
      // The first is seen again, so the second is the one to be evicted.
      await ledger.session(ref, NOON + SESSION_SEEN_MS);
      await signedIn(owner, NOON + SESSION_SEEN_MS + 1, 'one more');
      const ids = (await other.sessions(owner, NOON)).map(({ id }) => id);
      expect(ids).toHaveLength(MAX_SESSIONS);
      expect(ids).toContain('laptop');
      expect(ids).not.toContain('s1');
    });

    test('payment events are stored once, listed in order, and still recognized once handled', async () => {
      const event = (n: number, receivedAtMs: number) => ({
        id: `evt_${n}`,
        type: 'invoice.paid',
        object: `in_${n}`,
        receivedAtMs,
      });
      const open = () => ledger.openEvents(100);
      const [first, second, third] = [event(1, NOON), event(2, NOON + 5), event(3, NOON + 5)];
      const kept = await Promise.all(
        [ledger, other, ledger, other].map((on) => on.storeEvent(second)),
      );
      expect(kept.filter(Boolean)).toHaveLength(1);
      expect(await ledger.storeEvent(third)).toBe(true);
      expect(await ledger.storeEvent(first)).toBe(true);
      expect(await open()).toEqual([first, second, third]);
      expect(await other.openEvents(2)).toEqual([first, second]);
      expect(await other.openEvents(2, 1)).toEqual([second, third]);
      expect(await other.openEvents(2, 3)).toEqual([]);
      await ledger.closeEvent('evt_1', NOON + 10);
      await ledger.closeEvent('evt_1', NOON + 10);
      await ledger.closeEvent('evt_none', NOON + 10);
      expect(await other.storeEvent(first)).toBe(false);
      expect(await open()).toEqual([second, third]);
      for (const { id } of [second, third]) await other.closeEvent(id, NOON + 11);
      expect(await open()).toEqual([]);
    });
  });
}
