import type { Account, AccountId } from './accounts.ts';

/** Sign-in sessions by account and device. Failures are `LedgerUnavailable`. */
export interface Sessions {
  /**
   * Begins a session, and notes the sign-in. The oldest one past `MAX_SESSIONS` ends. A closed
   * account gets none.
   */
  beginSession(account: AccountId, session: NewSession): Promise<'begun' | 'closed'>;
  /**
   * The session with this id, if it has this secret and its time has not come, and its account.
   * It then lasts `SESSION_LIFE_MS` from now on; written down once an hour at most.
   */
  session(
    ref: SessionRef,
    nowMs: number,
  ): Promise<{ readonly account: Account; readonly session: Session } | undefined>;
  /** Those whose time has not come, the newest first. */
  sessions(account: AccountId, nowMs: number): Promise<Session[]>;
  /** Ends a session; an unknown id is `false`. */
  endSession(account: AccountId, sessionId: string, nowMs: number): Promise<boolean>;
}

export const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** Minimum interval between recorded uses of a session. */
export const SESSION_SEEN_MS = 60 * 60 * 1000;
export const MAX_SESSIONS = 20;

export interface SessionRef {
  readonly account: AccountId;
  readonly id: string;
  /** SHA-256 of the secret that the browser keeps. */
  readonly secretHash: string;
}

export interface NewSession {
  readonly id: string;
  readonly secretHash: string;
  readonly startedAtMs: number;
  /** The browser's shortened user agent, and its network. */
  readonly client: string;
  readonly address: string;
}

export interface Session extends Omit<NewSession, 'secretHash'> {
  readonly seenAtMs: number;
}

/** A session as a ledger keeps it. */
export interface StoredSession extends NewSession {
  readonly seenAtMs: number;
}

/** Whether the time of a session has not come yet. */
export function isLive({ seenAtMs }: StoredSession, nowMs: number): boolean {
  return nowMs < seenAtMs + SESSION_LIFE_MS;
}

/** Whether that a session is seen now is to be written down. */
export function isSeenLongAgo({ seenAtMs }: Session, nowMs: number): boolean {
  return nowMs - seenAtMs >= SESSION_SEEN_MS;
}

/** Those that live, the newest first. */
export function liveSessions(kept: readonly StoredSession[], nowMs: number): Session[] {
  return kept
    .filter((session) => isLive(session, nowMs))
    .sort((a, b) => b.startedAtMs - a.startedAtMs)
    .map(publicSession);
}

/** A session without its secret. */
export function publicSession({ secretHash: _, ...session }: StoredSession): Session {
  return session;
}
