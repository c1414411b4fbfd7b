import { isEqualHash } from '../equal-hash.ts';
import type { RateState } from '../rate-state.ts';
import { rateState } from '../rate-state.ts';
import { type Challenge, CODE_TRIES } from '../sign-ins.ts';
import type { LedgerBatch } from './batch.ts';
import { noteEnd } from './ends.ts';

export function keepChallenge({ books }: LedgerBatch, mailbox: string, challenge: Challenge): void {
  const { startedAtMs, endsAtMs } = challenge;
  books.challenges.put(mailbox, { ...challenge, wrongCodes: 0 });
  noteEnd(books, 'challenges', mailbox, endsAtMs, startedAtMs);
}

export function answerChallenge(
  { books }: LedgerBatch,
  mailbox: string,
  answer: { readonly codeHash: string } | { readonly linkHash: string },
  nowMs: number,
): boolean {
  const kept = books.challenges.get(mailbox);
  if (!kept || nowMs >= kept.endsAtMs) return false;
  if ('codeHash' in answer && kept.wrongCodes >= CODE_TRIES) return false;
  const isRight =
    'codeHash' in answer
      ? isEqualHash(kept.codeHash, answer.codeHash)
      : isEqualHash(kept.linkHash, answer.linkHash);
  if (isRight) books.challenges.remove(mailbox);
  else if ('codeHash' in answer) {
    books.challenges.put(mailbox, { ...kept, wrongCodes: kept.wrongCodes + 1 });
  }
  return isRight;
}

export function takeLimited(
  { books }: LedgerBatch,
  subject: string,
  window: { readonly limit: number; readonly windowSeconds: number },
  nowMs: number,
): { allowed: boolean; rate: RateState } {
  const kept = books.limits.get(subject);
  // Before the window began: the clock was set back, and the window would not end for as long.
  const isOpen = kept !== undefined && kept.startMs <= nowMs && nowMs < kept.endsAtMs;
  const startMs = isOpen ? kept.startMs : nowMs;
  const endsAtMs = startMs + window.windowSeconds * 1000;
  const before = isOpen ? kept.used : 0;
  const allowed = before < window.limit;
  const used = allowed ? before + 1 : before;
  if (allowed) {
    books.limits.put(subject, { startMs, used, endsAtMs });
    noteEnd(books, 'limits', subject, endsAtMs, nowMs);
  }
  return { allowed, rate: rateState(window, used, nowMs - startMs) };
}
