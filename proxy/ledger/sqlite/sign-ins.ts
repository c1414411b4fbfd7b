import { isEqualHash } from '../equal-hash.ts';
import { type RateState, rateState } from '../rate-state.ts';
import type { Challenge, ChallengeOutcome } from '../sign-ins.ts';
import { removeEnded, type SqlConnection } from './sql-connection.ts';

type ChallengeRow = Omit<Challenge, 'startedAtMs'>;

interface LimitRow {
  readonly startMs: number;
  readonly used: number;
  readonly endsAtMs: number;
}

export function storeChallenge(db: SqlConnection, mailbox: string, challenge: Challenge): void {
  const { startedAtMs, codeHash, linkHash, endsAtMs } = challenge;
  db.run(
    'INSERT OR REPLACE INTO challenges VALUES (?, ?, ?, ?)',
    mailbox,
    codeHash,
    linkHash,
    endsAtMs,
  );
  removeEnded(db, 'challenges', startedAtMs);
}

export function answerChallenge(
  db: SqlConnection,
  mailbox: string,
  response: { readonly codeHash: string } | { readonly linkHash: string },
  nowMs: number,
): ChallengeOutcome {
  const kept = db.get<ChallengeRow>('SELECT * FROM challenges WHERE mailbox = ?', mailbox);
  if (!kept || nowMs >= kept.endsAtMs) return 'none';
  const isRight =
    'codeHash' in response
      ? isEqualHash(kept.codeHash, response.codeHash)
      : isEqualHash(kept.linkHash, response.linkHash);
  if (isRight) db.run('DELETE FROM challenges WHERE mailbox = ?', mailbox);
  return isRight ? 'right' : 'wrong';
}

export function takeLimited(
  db: SqlConnection,
  subject: string,
  window: { readonly limit: number; readonly windowSeconds: number },
  nowMs: number,
): { allowed: boolean; rate: RateState } {
  const kept = db.get<LimitRow>('SELECT * FROM limits WHERE subject = ?', subject);
  // If the clock was set back to before the window started, the window would last that much longer.
  const isOpen = kept !== undefined && kept.startMs <= nowMs && nowMs < kept.endsAtMs;
  const startMs = isOpen ? kept.startMs : nowMs;
  const before = isOpen ? kept.used : 0;
  const allowed = before < window.limit;
  const used = allowed ? before + 1 : before;
  if (allowed) {
    const endsAtMs = startMs + window.windowSeconds * 1000;
    const sql = 'INSERT OR REPLACE INTO limits VALUES (?, ?, ?, ?)';
    db.run(sql, subject, startMs, used, endsAtMs);
    removeEnded(db, 'limits', nowMs);
  }
  return { allowed, rate: rateState(window, used, nowMs - startMs) };
}

export function returnLimited(db: SqlConnection, subject: string): void {
  db.run('UPDATE limits SET used = used - 1 WHERE subject = ? AND used > 0', subject);
}
