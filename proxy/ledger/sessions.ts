import type { Account, AccountId } from './accounts.ts';

/** Sign-in sessions by account and device. Failures are `LedgerUnavailable`. */
export interface Sessions {
  /**
   * Starts a session, and records the sign-in. Beyond `MAX_SESSIONS`, the session idle longest is
   * ended. A closed account gets no session.
   */
  beginSession(account: AccountId, session: NewSession): Promise<'begun' | 'closed'>;
  /**
   * The session with this id and secret, unless expired, and its account. Using it extends it to
   * `SESSION_LIFE_MS` from now, recorded at most once an hour.
   */
  session(
    ref: SessionRef,
    nowMs: number,
  ): Promise<{ readonly account: Account; readonly session: Session } | undefined>;
  /** Unexpired sessions, newest first. */
  sessions(account: AccountId, nowMs: number): Promise<Session[]>;
  /** Ends a session; returns `false` for an unknown id. */
  endSession(account: AccountId, sessionId: string, nowMs: number): Promise<boolean>;
}

export const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** Minimum interval between recorded uses of a session. */
export const SESSION_SEEN_MS = 60 * 60 * 1000;
export const MAX_SESSIONS = 20;

export interface SessionId {
  readonly account: AccountId;
  readonly id: string;
}

export interface SessionRef extends SessionId {
  /** SHA-256 of the secret stored in the browser. */
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

export interface StoredSession extends NewSession {
  readonly seenAtMs: number;
}

export function isLive({ seenAtMs }: Pick<StoredSession, 'seenAtMs'>, nowMs: number): boolean {
  return nowMs < seenAtMs + SESSION_LIFE_MS;
}

export function isSeenLongAgo({ seenAtMs }: Session, nowMs: number): boolean {
  return nowMs - seenAtMs >= SESSION_SEEN_MS;
}

export function liveSessions(kept: readonly StoredSession[], nowMs: number): Session[] {
  return kept
    .filter((session) => isLive(session, nowMs))
    .sort((a, b) => b.startedAtMs - a.startedAtMs)
    .map(publicSession);
}

export function publicSession({ secretHash: _, ...session }: StoredSession): Session {
  return session;
}
