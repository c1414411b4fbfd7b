import { MAX_ACTIVE_KEYS } from '../plans.ts';
import {
  type Account,
  type AccountId,
  type AccountOrder,
  type AccountRecords,
  type Actor,
  AUDIT_KEPT,
  type AuditEntry,
  type Change,
  type FormerMailbox,
  type Grant,
  type HashedKey,
  type KeyIssue,
  type KeyOrder,
  MAX_REVOKED_KEPT,
  type Membership,
  WITHOUT_END,
} from './accounts.ts';
import { newKey } from './api-key.ts';
import { requireGrant, signupGrant } from './bookkeeping.ts';
import { isGrantDelayed } from './delayed-grants.ts';
import { hashMailbox, mailboxOf } from './mailbox.ts';
import { takeFromWindow, type WindowState } from './rate-window.ts';
import { isSeenLongAgo, MAX_SESSIONS, type NewSession, type StoredSession } from './sessions.ts';

// The rules of accounts, the same on every ledger. An entry changes one account, as a pure function
// of what is stored of it. A store loads that state and writes the difference: SQLite in a
// transaction, Redis by compare-and-set. Each store has its own statements for the steps of a
// metered request, which must be one round trip, and for limits, sign-ins and delayed grants, which
// are not of one account.

/** A list that is read when it is needed, always with the same elements. */
export type List<T> = () => readonly T[];

/**
 * The stored state of an account. Elements of its lists are never modified but replaced, so that
 * `difference` finds them.
 */
export interface AccountState {
  /** Debits may change the balance at any time: an entry may take from it, at most all of it. */
  readonly account: Account;
  /** Oldest first. */
  readonly keys: List<HashedKey>;
  readonly grants: List<Grant>;
  readonly sessions: List<StoredSession>;
  /** Entries to be appended to the audit trail, by `appended`; stored states have none. */
  readonly noted: readonly AuditEntry[];
  /** Window of the limit on created keys; `null` if none was created under a limit. */
  readonly keyRate: WindowState | null;
}

/** A change of an account, or a refusal; throws for an unknown account or invalid values. */
export type Entry<Reply> = (state: AccountState | undefined, id: AccountId) => Applied<Reply>;

interface Applied<Reply> {
  /** The state to be stored; absent, or the same as before, if nothing changes. */
  readonly after?: AccountState | undefined;
  /** Returns the result; `balance`: the one stored, from which debits may have taken meanwhile. */
  reply(balance: number): Reply;
}

/** Applies an entry to the state of an account; `undefined`: there is no such account. */
export function apply<Reply>(
  entry: Entry<Reply>,
  state: AccountState | undefined,
  id: AccountId,
): Applied<Reply> {
  const { after, reply } = entry(state, id);
  if (!after || after === state) return { reply };
  requireSum(state, after);
  return { after, reply };
}

const EMPTY = () => [];

/** Returns a list that is read at its first use, and kept: elements are compared by identity. */
export function readOnce<T>(read: List<T>): List<T> {
  let list: readonly T[] | undefined;
  return () => {
    list ??= read();
    return list;
  };
}

export function importedState({ account, keys, grants, audit }: AccountRecords): AccountState {
  return {
    account,
    keys: () => keys,
    grants: () => grants,
    sessions: EMPTY,
    noted: audit,
    keyRate: null,
  };
}

/** Elements that a list has lost and gained. A changed element is both. */
export interface Difference<T> {
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

export function difference<T>(before: List<T> = EMPTY, after: List<T>): Difference<T> {
  if (before === after) return { removed: [], added: [] };
  const [old, now] = [new Set(before()), new Set(after())];
  return {
    removed: [...old].filter((one) => !now.has(one)),
    added: [...now].filter((one) => !old.has(one)),
  };
}

/**
 * Appends to an audit trail, given oldest first. Each entry beyond `AUDIT_KEPT` evicts another by
 * `surplusEntry`.
 */
export function appended(audit: readonly AuditEntry[], noted: readonly AuditEntry[]): AuditEntry[] {
  const after = [...audit];
  for (const entry of noted) {
    after.push(entry);
    if (after.length <= AUDIT_KEPT) continue;
    after.sort((a, b) => a.atMs - b.atMs);
    after.splice(surplusEntry(after), 1);
  }
  return after;
}

/**
 * Returns the index of the entry to drop from a full audit trail, given oldest first: the oldest
 * entry of the most common kind. A repeated action evicts its own entries, never the sign-in trail.
 */
function surplusEntry(entries: readonly AuditEntry[]): number {
  const counts = new Map<string, number>();
  for (const { what } of entries) counts.set(what, (counts.get(what) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return entries.findIndex(({ what }) => counts.get(what) === most);
}

/** The entitlements that the previous account of a mailbox leaves to a new one. */
export interface Opening {
  readonly due: boolean;
  readonly disabled: boolean;
}

export function openAccount(
  order: AccountOrder,
  opening: Opening,
): Entry<{ account: Account; isNew: boolean }> {
  return (state, id) => {
    const after = state ? undefined : opened(id, order, opening);
    const { account } = state ?? after!;
    return { after, reply: (balance) => ({ account: { ...account, balance }, isNew: !state }) };
  };
}

/** Issues a key, with account, grant and membership; `opening`: for an account that may be new. */
export function issueKey(order: KeyOrder, opening: Opening | null): Entry<KeyIssue> {
  const { owner, label, grant, member, by, atMs } = order;
  if (grant) requireGrant(grant);
  const { plainKey, key } = newKey(label, atMs);
  return (state, id) => {
    let after: AccountState;
    if (state || !opening) {
      after = known(state, id);
      const isClosed = after.account.closedAtMs !== null;
      if (isClosed) return refused({ created: false, reason: 'closed' });
      // A disabled key counts, since it can be enabled again.
      const active = after.keys().filter(isActive).length;
      if (active >= MAX_ACTIVE_KEYS) return refused({ created: false, reason: 'too-many-keys' });
      if (order.rate) {
        const { allowed, window, rate } = takeFromWindow(after.keyRate, order.rate, atMs);
        if (!allowed) return refused({ created: false, reason: 'rate-limited', rate });
        after = { ...after, keyRate: window };
      }
      if (grant) after = granted(after, grant, by);
    } else {
      const email = 'id' in owner ? null : owner.email;
      after = opened(id, { email, by, atMs, ...(grant !== undefined && { grant }) }, opening);
    }
    if (member) after = withMembership(after, WITHOUT_END, { by, atMs });
    const { account } = after;
    const keys = [...after.keys(), key];
    after = noted(
      { ...after, keys: () => keys },
      { what: 'key-created', detail: keyDetail(key), by, atMs },
    );
    const { hash: _, ...made } = key;
    const issued = (balance: number): KeyIssue => ({
      created: true,
      plainKey,
      key: made,
      account: { ...account, balance },
    });
    return { after, reply: issued };
  };
}

export function closeAccount(change: Change): Entry<void> {
  return changing((state) => {
    if (state.account.closedAtMs !== null) return state;
    const closed = { email: null, membership: null, closedAtMs: change.atMs };
    let after: AccountState = { ...withFields(state, closed), sessions: EMPTY };
    for (const key of state.keys()) after = withoutKey(after, key, change);
    return noted(after, { what: 'account-closed', detail: '', ...change });
  });
}

/**
 * The record that an open account leaves of its mailbox when it is closed. A delayed grant ends
 * with its account: unless that is disabled, its mailbox counts as one that never had an account.
 */
export function mailboxLeft({ account, grants }: AccountState): FormerMailbox | null {
  const { email, disabled } = account;
  const isOwed = isGrantDelayed(grants().map(({ cause }) => cause)) && !disabled;
  return email === null || isOwed ? null : { hash: hashMailbox(mailboxOf(email)), disabled };
}

/** Records the use of a session that was seen long ago, if it still exists. */
export function noteSeen(sessionId: string, nowMs: number): Entry<boolean> {
  return changingOne(
    (state) => state.sessions,
    sessionId,
    (state, session) => {
      // The first of concurrent requests has recorded it.
      if (!isSeenLongAgo(session, nowMs)) return state;
      const sessions = replaced(state.sessions(), session, { ...session, seenAtMs: nowMs });
      return { ...state, sessions: () => sessions };
    },
  );
}

/** The entries that are operations of the ledger as they are, by name. */
export const ENTRIES = {
  setDisabled: (disabled: boolean, change: Change) =>
    changing((state) => {
      if (state.account.disabled === disabled) return state;
      const what = disabled ? 'account-disabled' : 'account-enabled';
      return noted(withFields(state, { disabled }), { what, detail: '', ...change });
    }),

  setMembership: (membership: Membership | null, change: Change) =>
    changing((state) => withMembership(state, membership, change)),

  setCustomer: (customer: string) =>
    changing((state) =>
      state.account.customer === customer ? state : withFields(state, { customer }),
    ),

  grant:
    (given: Grant, by: Actor): Entry<{ granted: boolean; balance: number }> =>
    (state, id) => {
      const before = known(state, id);
      const after = granted(before, given, by);
      return { after, reply: (balance) => ({ granted: after !== before, balance }) };
    },

  takeBack:
    (given: Grant, by: Actor): Entry<{ taken: number; balance: number }> =>
    (state, id) => {
      requireGrant(given);
      const before = known(state, id);
      const { tokens, cause, atMs } = given;
      if (isBooked(before, cause)) return { reply: (balance) => ({ taken: 0, balance }) };
      const taken = Math.min(tokens, before.account.balance);
      // Not `-taken`, which is −0 for nothing.
      const after = noted(booked(before, { tokens: 0 - taken, cause, atMs }), {
        what: 'tokens-taken-back',
        detail: `${taken} of ${tokens}, ${cause}`,
        by,
        atMs,
      });
      return { after, reply: (balance) => ({ taken, balance }) };
    },

  revokeKey: (keyId: string, change: Change) =>
    changingOne(
      (state) => state.keys,
      keyId,
      (state, key) => withoutKey(state, key, change),
    ),

  setKeyDisabled: (keyId: string, disabled: boolean, change: Change) =>
    changingOne(
      (state) => state.keys,
      keyId,
      (state, key) => {
        if (!isActive(key) || key.disabled === disabled) return state;
        const what = disabled ? 'key-disabled' : 'key-enabled';
        const keys = replaced(state.keys(), key, { ...key, disabled });
        return noted({ ...state, keys: () => keys }, { what, detail: keyDetail(key), ...change });
      },
    ),

  beginSession:
    (session: NewSession): Entry<'begun' | 'closed'> =>
    (state, id) => {
      const before = known(state, id);
      if (before.account.closedAtMs !== null) return refused('closed');
      const { startedAtMs, client, address } = session;
      const kept = before
        .sessions()
        .filter(({ id }) => id !== session.id)
        .sort((a, b) => b.seenAtMs - a.seenAtMs)
        .slice(0, MAX_SESSIONS - 1);
      const sessions = [...kept, { ...session, seenAtMs: startedAtMs }];
      const detail = `${client}, ${address}`;
      const change = { by: 'owner', atMs: startedAtMs } as const;
      const after = noted(
        { ...before, sessions: () => sessions },
        { what: 'signed-in', detail, ...change },
      );
      return { after, reply: () => 'begun' };
    },

  endSession: (sessionId: string, atMs: number) =>
    changingOne(
      (state) => state.sessions,
      sessionId,
      (state, session) => {
        const sessions = state.sessions().filter((one) => one !== session);
        const change = { by: 'owner', atMs } as const;
        const entry = { what: 'session-ended', detail: session.client, ...change } as const;
        return noted({ ...state, sessions: () => sessions }, entry);
      },
    ),
};

type Entries = typeof ENTRIES;
type ReplyOf<Name extends keyof Entries> =
  ReturnType<Entries[Name]> extends Entry<infer Reply> ? Reply : never;
type Posted<Store, IsAsync> = {
  readonly [Name in keyof Entries]: (
    store: Store,
    id: AccountId,
    ...args: Parameters<Entries[Name]>
  ) => IsAsync extends true ? Promise<ReplyOf<Name>> : ReplyOf<Name>;
};

/** The operations of `ENTRIES` on a store, given how it applies an entry to an account. */
export function postedBy<Store, IsAsync extends boolean>(
  post: (store: Store, id: AccountId, entry: Entry<unknown>) => unknown,
): Posted<Store, IsAsync> {
  const posted = Object.entries(ENTRIES).map(([name, make]) => {
    const entryOf = make as (...args: unknown[]) => Entry<unknown>;
    return [
      name,
      (store: Store, id: AccountId, ...args: unknown[]) => post(store, id, entryOf(...args)),
    ];
  });
  return Object.fromEntries(posted);
}

export function isActive({ revokedAtMs }: HashedKey): boolean {
  return revokedAtMs === null;
}

export function membershipText(membership: Membership | null): string | null {
  if (!membership) return null;
  const { status, untilMs, renewsAtMs, subscription } = membership;
  return JSON.stringify({ status, untilMs, renewsAtMs, subscription });
}

/** Requires that the balance changed by what was granted, and stays a number of tokens. */
function requireSum(before: AccountState | undefined, after: AccountState): void {
  const { added } = difference(before?.grants, after.grants);
  const sum = added.reduce((all, { tokens }) => all + tokens, before?.account.balance ?? 0);
  const { id, balance } = after.account;
  if (balance === sum && Number.isSafeInteger(balance) && balance >= 0) return;
  throw new RangeError(`account ${id} would have ${balance} tokens instead of ${sum}`);
}

function known(state: AccountState | undefined, id: AccountId): AccountState {
  if (!state) throw new Error(`no account ${id}`);
  return state;
}

function refused<Reply>(reply: Reply): Applied<Reply> {
  return { reply: () => reply };
}

function changing(change: (state: AccountState) => AccountState): Entry<void> {
  return (state, id) => {
    return { after: change(known(state, id)), reply: () => {} };
  };
}

/** An entry on one element of a list; its result is whether there is one with this id. */
function changingOne<T extends { readonly id: string }>(
  list: (state: AccountState) => List<T>,
  id: string,
  change: (state: AccountState, one: T) => AccountState,
): Entry<boolean> {
  return (state) => {
    const one = state && list(state)().find((element) => element.id === id);
    return one ? { after: change(state, one), reply: () => true } : refused(false);
  };
}

function opened(id: AccountId, order: AccountOrder, { due, disabled }: Opening): AccountState {
  const { email, by, atMs } = order;
  const signup = due ? (order.signupGrant ?? signupGrant(atMs)) : null;
  const given = order.grant === undefined ? signup : order.grant;
  const account = {
    id,
    email: email?.trim() ?? null,
    membership: null,
    disabled,
    balance: 0,
    createdAtMs: atMs,
    closedAtMs: null,
    customer: null,
  };
  const nothing = { keys: EMPTY, grants: EMPTY, sessions: EMPTY, noted: [], keyRate: null };
  let after: AccountState = { account, ...nothing };
  after = noted(after, { what: 'account-opened', detail: '', by, atMs });
  if (disabled) {
    // The owner of the new account did not make this change.
    const detail = 'as the account of the same address was when it was closed';
    after = noted(after, { what: 'account-disabled', detail, by: 'operator', atMs });
  }
  return given ? granted(after, given, by) : after;
}

function isBooked({ grants }: AccountState, cause: string): boolean {
  return grants().some((grant) => grant.cause === cause);
}

/** Adds tokens, once per cause. */
function granted(state: AccountState, given: Grant, by: Actor): AccountState {
  requireGrant(given);
  const { tokens, cause, atMs } = given;
  if (isBooked(state, cause)) return state;
  const detail = `${tokens}, ${cause}`;
  return noted(booked(state, given), { what: 'tokens-granted', detail, by, atMs });
}

function booked(state: AccountState, { tokens, cause, atMs }: Grant): AccountState {
  const grants = [...state.grants(), { tokens, cause, atMs }];
  const balance = state.account.balance + tokens;
  return { ...withFields(state, { balance }), grants: () => grants };
}

function withMembership(
  state: AccountState,
  membership: Membership | null,
  change: Change,
): AccountState {
  if (membershipText(state.account.membership) === membershipText(membership)) return state;
  const detail = membershipDetail(membership);
  return noted(withFields(state, { membership }), {
    what: 'membership-changed',
    detail,
    ...change,
  });
}

function withoutKey(state: AccountState, key: HashedKey, change: Change): AccountState {
  if (!isActive(key)) return state;
  const keys = replaced(state.keys(), key, { ...key, revokedAtMs: change.atMs });
  const revoked = keys.filter((one) => !isActive(one));
  revoked.sort((a, b) => a.revokedAtMs! - b.revokedAtMs!);
  const surplus = new Set(revoked.slice(0, -MAX_REVOKED_KEPT));
  const kept = keys.filter((one) => !surplus.has(one));
  return noted(
    { ...state, keys: () => kept },
    { what: 'key-revoked', detail: keyDetail(key), ...change },
  );
}

function noted(state: AccountState, entry: AuditEntry): AccountState {
  return { ...state, noted: [...state.noted, entry] };
}

function withFields(state: AccountState, fields: Partial<Account>): AccountState {
  return { ...state, account: { ...state.account, ...fields } };
}

function replaced<T>(list: readonly T[], before: T, after: T): T[] {
  return list.map((one) => (one === before ? after : one));
}

function keyDetail({ prefix, label }: HashedKey): string {
  return label ? `${prefix}…, ${label}` : `${prefix}…`;
}

function membershipDetail(membership: Membership | null): string {
  if (!membership) return 'none';
  const { status, untilMs, renewsAtMs } = membership;
  // `untilMs` of a renewing membership is some days after the renewal, to allow for a late payment;
  // it is not its expiry.
  if (renewsAtMs !== null) return `${status}, renews ${new Date(renewsAtMs).toISOString()}`;
  return untilMs ? `${status} until ${new Date(untilMs).toISOString()}` : status;
}
