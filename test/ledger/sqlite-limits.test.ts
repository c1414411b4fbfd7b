import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  answerChallenge,
  storeChallenge,
  takeLimited,
} from '../../proxy/ledger/sqlite/sign-ins.ts';
import { SqlConnection } from '../../proxy/ledger/sqlite/sql-connection.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from '../transit/dice.ts';

test('exactly the limit is taken in each window that a first attempt opens, even if the clock is set back', () =>
  forAll(40, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const db = new SqlConnection(':memory:');
    const window = { limit: 1 + dice.below(4), windowSeconds: 60 };
    const opened = new Map<string, { startMs: number; used: number }>();
    let now = 1_000_000;
    for (let step = 0; step < 60; step++) {
      now += dice.pick([0, 1, 7_500, 30_000, 60_000, -20_000]);
      const subject = `subject ${dice.below(3)}`;
      let at = opened.get(subject);
      if (!at || now < at.startMs || now >= at.startMs + 60_000) at = { startMs: now, used: 0 };
      const allowed = at.used < window.limit;
      if (allowed) {
        opened.set(subject, { ...at, used: at.used + 1 });
        // Windows that have ended are dropped, so none opens again when the clock is set back.
        for (const [other, { startMs }] of opened) {
          if (startMs + 60_000 <= now) opened.delete(other);
        }
      }
      const remaining = window.limit - at.used - (allowed ? 1 : 0);
      const resetSeconds = Math.max(1, Math.ceil((at.startMs + 60_000 - now) / 1000));
      expect(takeLimited(db, subject, window, now)).toEqual({
        allowed,
        rate: { ...window, remaining, resetSeconds },
      });
    }
    db.close();
  }));

test('a challenge is met once, by its code or by its link, before its end, after any number of wrong ones', () =>
  forAll(40, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const db = new SqlConnection(':memory:');
    const challenges = new Map<string, { n: number; endsAtMs: number; met: boolean }>();
    let now = 1_000_000;
    for (let step = 0; step < 80; step++) {
      now += dice.pick([0, 0, 1, 100]);
      const mailbox = `mailbox ${dice.below(2)}`;
      const known = challenges.get(mailbox);
      if (dice.chance(0.12)) {
        const endsAtMs = now + 300;
        const challenge = { startedAtMs: now, codeHash: `code ${step}`, linkHash: `link ${step}` };
        storeChallenge(db, mailbox, { ...challenge, endsAtMs });
        challenges.set(mailbox, { n: step, endsAtMs, met: false });
        continue;
      }
      // The right response to the last challenge, or that to another one.
      const n = dice.chance(0.25) ? known?.n : step;
      const isCode = dice.chance(0.8);
      const isOpen = known !== undefined && !known.met && now < known.endsAtMs;
      const isRight = isOpen && n === known.n;
      const response = isCode ? { codeHash: `code ${n}` } : { linkHash: `link ${n}` };
      const expected = !isOpen ? 'none' : isRight ? 'right' : 'wrong';
      expect(answerChallenge(db, mailbox, response, now)).toBe(expected);
      if (isRight) known.met = true;
    }
    db.close();
  }));

test('challenges and windows that have ended do not pile up', () => {
  const db = new SqlConnection(':memory:');
  const rows = (table: string) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
  for (let i = 0; i < 20; i++) {
    const challenge = { startedAtMs: i, codeHash: 'code', linkHash: 'link', endsAtMs: i + 10 };
    storeChallenge(db, `mailbox ${i}`, challenge);
    takeLimited(db, `subject ${i}`, { limit: 1, windowSeconds: 0.01 }, i);
  }
  expect(rows('challenges')).toBe(10);
  expect(rows('limits')).toBe(10);
});
