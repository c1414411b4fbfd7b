import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import { type HeldLock, LOCK_LAPSES_MS, RENEWALS, type TakenLock } from '../held-locks.ts';

const lockSchema = z.object({
  owner: z.string(),
  lapses_ms: z.number().positive(),
  /**
   * Changes at every renewal, so that a contender that found the lock lapsed notices a renewal
   * since.
   */
  renewal: z.string(),
});

export interface LockObject {
  /** Contents, identity, and age by the server's clock; null if the object does not exist. */
  read(): Promise<{ text: string; identity: string; ageMs: number } | null>;
  /**
   * Replaces the object if it has this identity (null: creates it); returns the new identity, or
   * null if it did not match.
   */
  replace(text: string, identity: string | null): Promise<string | null>;
  remove(): Promise<void>;
}

/**
 * Takes a lock that is an object: it names its owner, who rewrites it periodically. Every step is a
 * conditional put, so that only one contender succeeds. A lock not renewed for as long as its owner
 * declared is taken over.
 */
export async function takeObjectLock(object: LockObject, lapsesMs: number): Promise<TakenLock> {
  const there = await object.read();
  const isFree = there === null || there.ageMs > lockIn(there.text).lapses_ms;
  const identity = isFree
    ? await object.replace(textOfLock(lapsesMs), there?.identity ?? null)
    : null;
  if (identity !== null) return held(object, lapsesMs, identity);
  const theirs = isFree ? await object.read() : there;
  return { taken: false, owner: lockIn(theirs?.text ?? '').owner };
}

function held(object: LockObject, lapsesMs: number, first: string): HeldLock {
  let identity: string | null = first;
  let renewedMs = performance.now();
  let renewing = Promise.resolve();
  /** A fresh lock cannot have been taken over. */
  const isFresh = () => identity !== null && performance.now() - renewedMs < lapsesMs / 2;
  const renew = async () => {
    if (identity === null) return;
    const begunMs = performance.now();
    // After a takeover, the identity never matches again.
    identity = await object.replace(textOfLock(lapsesMs), identity);
    renewedMs = begunMs;
  };
  const renewInTurn = () => {
    const renewal = renewing.then(renew);
    // If this fails, the next renewal may succeed, or the lock lapses.
    renewing = renewal.catch(() => {});
    return renewal;
  };
  const timer = setInterval(() => void renewInTurn().catch(() => {}), lapsesMs / RENEWALS);
  timer.unref();
  const isHeld = async () => {
    if (!isFresh()) await renewInTurn();
    return identity !== null;
  };
  return {
    taken: true,
    isHeld,
    async release() {
      clearInterval(timer);
      await renewing;
      // A lock that cannot be renewed lapses.
      if ((await isHeld().catch(() => false)) && isFresh()) await object.remove();
    },
  };
}

function textOfLock(lapsesMs: number): string {
  const owner = `process ${process.pid} on ${hostname()}`;
  return JSON.stringify({ owner, lapses_ms: lapsesMs, renewal: randomUUID() });
}

/** An unreadable lock counts as held until it is old. */
function lockIn(text: string): z.infer<typeof lockSchema> {
  try {
    return lockSchema.parse(JSON.parse(text));
  } catch {
    return { owner: 'another process', lapses_ms: LOCK_LAPSES_MS, renewal: '' };
  }
}
