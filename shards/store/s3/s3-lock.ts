import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';

/**
 * A lock that its owner has not renewed for this long is anybody's. A build may hold its event loop
 * for seconds at a time; nothing it does takes a minute.
 */
export const LOCK_LAPSES_MS = 60_000;
const RENEWALS = 6;

/** Contents of a lock object. */
const lockSchema = z.object({
  owner: z.string(),
  lapses_ms: z.number().positive(),
  /** Another at every renewal, so that one who found it lapsed sees that it was renewed since. */
  renewal: z.string(),
});

/** Operations that a lock needs of its object. */
export interface LockObject {
  /** Its contents, identity and age by the server's clock; null if it does not exist. */
  read(): Promise<{ text: string; identity: string; ageMs: number } | null>;
  /** Replaces what has this identity (null: creates); returns the new one, or null if it is another. */
  replace(text: string, identity: string | null): Promise<string | null>;
  remove(): Promise<void>;
}

/** A lock that was taken, and may be lost; or who has it, in words. */
export type ObjectLock = HeldLock | { readonly taken: false; readonly owner: string };

export interface HeldLock {
  readonly taken: true;
  /**
   * Whether the lock is still its owner's, who may have failed to renew it in time: it is then
   * renewed now, which succeeds only if nothing else held it meanwhile. Rejects when the server
   * does not answer.
   */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes a lock that is an object: it names its owner, who writes it anew while he is alive. Every
 * step is a conditional put, so that of those who want it one gets it. One that was not renewed for
 * as long as its owner says is taken over.
 */
export async function takeObjectLock(object: LockObject, lapsesMs: number): Promise<ObjectLock> {
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
  /** It cannot have been taken over. */
  const isFresh = () => identity !== null && performance.now() - renewedMs < lapsesMs / 2;
  const renew = async () => {
    if (identity === null) return;
    const begunMs = performance.now();
    // The object of a lock that was taken over is another's, and stays so.
    identity = await object.replace(textOfLock(lapsesMs), identity);
    renewedMs = begunMs;
  };
  const renewInTurn = () => {
    const renewal = renewing.then(renew);
    // If not now, the next time may do, or the lock lapses.
    renewing = renewal.catch(() => {});
    return renewal;
  };
  const timer = setInterval(() => void renewInTurn().catch(() => {}), lapsesMs / RENEWALS);
  timer.unref();
  return {
    taken: true,
    async isHeld() {
      if (!isFresh()) await renewInTurn();
      return identity !== null;
    },
    async release() {
      clearInterval(timer);
      await renewing;
      if (isFresh()) await object.remove();
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
    return { owner: 'somebody else', lapses_ms: LOCK_LAPSES_MS, renewal: '' };
  }
}
