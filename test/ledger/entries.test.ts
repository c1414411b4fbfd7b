import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AUDIT_KEPT, type AuditEntry, type KeyOrder } from '../../proxy/ledger/accounts.ts';
import {
  type AccountState,
  appended,
  apply,
  closeAccount,
  ENTRIES,
  type Entry,
  issueKey,
  mailboxLeft,
  noteSeen,
  openAccount,
} from '../../proxy/ledger/entries.ts';
import { forAll } from '../support/for-all.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;
const BY = { by: 'operator', atMs: NOON } as const;
const DUE = { due: true, disabled: false };
const ID = 'the account';

/** An account and the trail of what was done to it, kept in memory. */
class Paper {
  state: AccountState | undefined;
  audit: readonly AuditEntry[] = [];

  /** Applies an entry; returns its result, and whether it changed anything. */
  post<Reply>(entry: Entry<Reply>): { reply: Reply; isChanged: boolean } {
    const { after, reply } = apply(entry, this.state && frozen(this.state), ID);
    if (after) this.audit = appended(this.audit, after.noted);
    if (after) this.state = { ...after, noted: [] };
    return { reply: reply(this.state?.account.balance ?? 0), isChanged: after !== undefined };
  }

  /** Charges as a store does, beside the entries. */
  debit(tokens: number): void {
    const { account } = this.state!;
    this.state = { ...this.state!, account: { ...account, balance: account.balance - tokens } };
  }
}

/** A state whose lists and records throw when they are modified. */
function frozen(state: AccountState): AccountState {
  const list = <T extends object>(elements: readonly T[]) => {
    for (const element of elements) Object.freeze(element);
    return Object.freeze(elements);
  };
  const [keys, grants, sessions] = [state.keys(), state.grants(), state.sessions()];
  for (const elements of [keys, grants, sessions]) list<object>(elements);
  Object.freeze(state.account);
  return Object.freeze(state);
}

function opened(email: string | null = null, grant: { tokens: number } | null = null): Paper {
  const paper = new Paper();
  const first = grant && { ...grant, cause: 'first', atMs: NOON };
  paper.post(openAccount({ email, grant: first, ...BY }, DUE));
  return paper;
}

const order: KeyOrder = { owner: { id: ID }, label: 'desk', by: 'owner', atMs: NOON };
function withKey(paper: Paper): string {
  const { reply } = paper.post(issueKey(order, null));
  return reply.created ? reply.key.id : expect.fail(reply.reason);
}

const session = {
  id: 's',
  secretHash: 'h',
  startedAtMs: NOON,
  client: 'Firefox',
  address: '192.0.2.0/24',
};
const what = ({ audit }: Paper) => audit.map((entry) => `${entry.what} ${entry.detail}`);

const tokens = fc.nat(50);
const move = fc.oneof(
  fc.record({
    kind: fc.constantFrom('grant' as const, 'take back' as const),
    tokens,
    cause: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  }),
  fc.record({ kind: fc.constant('debit' as const), tokens, cause: fc.constant('') }),
);

test('the balance is what was granted less what was taken back and used, each cause counting once', () =>
  forAll(300, fc.array(move, { maxLength: 25 }), (moves) => {
    const paper = opened();
    const seen = new Set<string>();
    let balance = 0;
    let granted = 0;
    for (const { kind, tokens, cause } of moves) {
      const given = { tokens, cause, atMs: NOON };
      const isNew = !seen.has(cause);
      if (kind === 'debit') {
        const used = Math.min(tokens, balance);
        paper.debit(used);
        balance -= used;
        continue;
      }
      seen.add(cause);
      const moved = !isNew ? 0 : kind === 'grant' ? tokens : -Math.min(tokens, balance);
      [balance, granted] = [balance + moved, granted + moved];
      const expected = kind === 'grant' ? { granted: isNew } : { taken: Math.abs(moved) };
      const entry = kind === 'grant' ? ENTRIES.grant : ENTRIES.takeBack;
      const { reply, isChanged } = paper.post<object>(entry(given, 'payment'));
      expect(reply).toEqual({ ...expected, balance });
      expect(isChanged).toBe(isNew);
    }
    expect(paper.state!.account.balance).toBe(balance);
    expect(paper.state!.grants().reduce((sum, grant) => sum + grant.tokens, 0)).toBe(granted);
  }));

test('an entry that changes the balance by anything but its grants is refused', () => {
  const { state } = opened(null, { tokens: 5 });
  const withBalance = (balance: number, cause?: string): Entry<void> => {
    const account = { ...state!.account, balance };
    const grants = [...state!.grants(), { tokens: balance - 5, cause: cause!, atMs: NOON }];
    const booked = cause === undefined ? state!.grants : () => grants;
    return () => ({ after: { ...state!, account, grants: booked }, reply: () => {} });
  };
  expect(() => apply(withBalance(6), state, ID)).toThrow(/would have 6 tokens instead of 5/);
  expect(() => apply(withBalance(-1, 'below zero'), state, ID)).toThrow(RangeError);
  expect(() => apply(withBalance(2 ** 53, 'too many'), state, ID)).toThrow(RangeError);
  expect(apply(withBalance(6, 'one more'), state, ID).after?.account.balance).toBe(6);
});

test('a repeated entry changes nothing, and leaves no trace', () => {
  const paper = opened('ada@example.org', { tokens: 5 });
  const keyId = withKey(paper);
  paper.post(ENTRIES.beginSession(session));
  const membership = { status: 'active', untilMs: NOON, renewsAtMs: null, subscription: 's' };
  const again: (() => Entry<unknown>)[] = [
    () => openAccount({ email: 'ada@example.org', ...BY }, DUE),
    () => ENTRIES.setDisabled(true, BY),
    () => ENTRIES.setMembership({ ...membership, status: 'active' }, BY),
    () => ENTRIES.setCustomer('cus_1'),
    () => ENTRIES.grant({ tokens: 9, cause: 'in_1', atMs: NOON }, 'payment'),
    () => ENTRIES.takeBack({ tokens: 3, cause: 'dispute', atMs: NOON }, 'payment'),
    () => ENTRIES.setKeyDisabled(keyId, true, BY),
    () => ENTRIES.revokeKey(keyId, BY),
    () => ENTRIES.setKeyDisabled(keyId, false, BY),
    () => ENTRIES.endSession('s', NOON),
    () => closeAccount(BY),
  ];
  for (const entry of again) {
    paper.post(entry());
    const [state, trail] = [paper.state, paper.audit];
    expect(paper.post(entry()).isChanged).toBe(false);
    expect(paper.state).toBe(state);
    expect(paper.audit).toBe(trail);
  }
  expect(what(paper).slice(3)).toEqual([
    'signed-in Firefox, 192.0.2.0/24',
    'account-disabled ',
    'membership-changed active until 2026-06-01T12:00:00.000Z',
    'tokens-granted 9, in_1',
    'tokens-taken-back 3 of 3, dispute',
    expect.stringMatching(/^key-disabled .+…, desk$/),
    expect.stringMatching(/^key-revoked .+…, desk$/),
    'session-ended Firefox',
    'account-closed ',
  ]);
});

test('a closed account keeps its records, and gets no key and no session', () => {
  const paper = opened('ada@example.org', { tokens: 5 });
  const keyId = withKey(paper);
  paper.post(ENTRIES.beginSession(session));
  paper.post(ENTRIES.setMembership(null, BY));
  paper.post(closeAccount(BY));
  const { account, keys, sessions, grants } = paper.state!;
  expect(account).toMatchObject({ email: null, membership: null, balance: 5, closedAtMs: NOON });
  expect(keys()).toMatchObject([{ id: keyId, revokedAtMs: NOON }]);
  expect(sessions()).toEqual([]);
  expect(grants()).toHaveLength(1);
  const refused = { created: false, reason: 'closed' };
  for (const opening of [null, DUE]) {
    expect(paper.post(issueKey(order, opening))).toEqual({ reply: refused, isChanged: false });
  }
  expect(paper.post(ENTRIES.beginSession(session))).toEqual({ reply: 'closed', isChanged: false });
});

test('refused keys do not count towards the limit on keys created in a period', () => {
  const paper = opened();
  const issue = (atMs: number, limit = 5) => {
    const rate = { limit, windowSeconds: 60 };
    return paper.post(issueKey({ ...order, atMs, rate }, null)).reply;
  };
  const revokeOne = () => {
    const { id } = paper.state!.keys().find(({ revokedAtMs }) => revokedAtMs === null)!;
    paper.post(ENTRIES.revokeKey(id, BY));
  };
  for (let i = 0; i < 3; i++) expect(issue(NOON).created).toBe(true);
  for (let i = 0; i < 9; i++) {
    expect(issue(NOON)).toEqual({ created: false, reason: 'too-many-keys' });
  }
  for (let i = 0; i < 2; i++) {
    revokeOne();
    expect(issue(NOON + 1_000).created).toBe(true);
  }
  revokeOne();
  expect(issue(NOON + 2_000)).toEqual({
    created: false,
    reason: 'rate-limited',
    rate: { limit: 5, remaining: 0, windowSeconds: 60, resetSeconds: 58 },
  });
  expect(paper.state!.keys()).toHaveLength(5);
  // The limit does not apply to an operator, nor any more to the owner a minute later.
  expect(paper.post(issueKey({ ...order, atMs: NOON + 3_000 }, null)).reply.created).toBe(true);
  revokeOne();
  expect(issue(NOON + 60_000).created).toBe(true);
});

test('an unknown account is an error where something is to be changed, and nothing to revoke or end', () => {
  const grant = { tokens: 1, cause: 'c', atMs: NOON };
  const changes: Entry<unknown>[] = [
    ENTRIES.grant(grant, 'operator'),
    ENTRIES.takeBack(grant, 'operator'),
    ENTRIES.setDisabled(true, BY),
    ENTRIES.setMembership(null, BY),
    ENTRIES.setCustomer('cus_1'),
    ENTRIES.beginSession(session),
    closeAccount(BY),
    issueKey(order, null),
  ];
  for (const entry of changes) {
    expect(() => new Paper().post(entry)).toThrow('no account the account');
  }
  for (const entry of [
    ENTRIES.revokeKey('k', BY),
    ENTRIES.setKeyDisabled('k', true, BY),
    ENTRIES.endSession('s', NOON),
    noteSeen('s', NOON),
  ]) {
    expect(new Paper().post(entry)).toEqual({ reply: false, isChanged: false });
  }
});

test('a mailbox counts as one that had an account, unless its grant was still due', () => {
  const withheld = { tokens: 0, cause: 'signup-withheld:network', atMs: NOON };
  const left = (grant: typeof withheld | null, isDisabled: boolean) => {
    const paper = new Paper();
    paper.post(openAccount({ email: 'Ada@Example.org', grant, ...BY }, DUE));
    paper.post(ENTRIES.setDisabled(isDisabled, BY));
    return mailboxLeft(paper.state!);
  };
  expect(left(null, false)).toMatchObject({ disabled: false });
  expect(left(null, true)).toMatchObject({ disabled: true });
  expect(left(withheld, false)).toBeNull();
  expect(left(withheld, true)).toMatchObject({ disabled: true });
  expect(mailboxLeft(opened().state!)).toBeNull();
});

test('the state that an entry was given is never modified', () =>
  forAll(100, fc.array(fc.nat(9), { minLength: 5, maxLength: 40 }), (steps) => {
    const paper = opened('ada@example.org', { tokens: 5 });
    let atMs = NOON;
    for (const step of steps) {
      atMs += step * DAY_MS;
      const keyId = paper.state!.keys().at(step % 3)?.id ?? 'none';
      const change = { by: 'owner', atMs } as const;
      const entries: readonly Entry<unknown>[] = [
        issueKey({ ...order, atMs, rate: { limit: 2, windowSeconds: 60 } }, null),
        ENTRIES.revokeKey(keyId, change),
        ENTRIES.setKeyDisabled(keyId, step % 2 === 0, change),
        ENTRIES.beginSession({ ...session, id: `s${step}`, startedAtMs: atMs }),
        noteSeen(`s${step}`, atMs),
        ENTRIES.endSession(`s${step}`, atMs),
        ENTRIES.grant({ tokens: step, cause: `c${step}`, atMs }, 'payment'),
        ENTRIES.takeBack({ tokens: step, cause: `t${step}`, atMs }, 'payment'),
        ENTRIES.setDisabled(step % 2 === 0, change),
        ENTRIES.setCustomer(`cus_${step}`),
      ];
      paper.post(entries[(step * 7 + steps.length) % entries.length]);
    }
    // At most three of the keys are active, and at most twenty sessions are kept.
    expect(paper.state!.keys().filter((key) => key.revokedAtMs === null).length).toBeLessThan(4);
    expect(paper.state!.sessions().length).toBeLessThanOrEqual(20);
  }));

test('each entry beyond a full trail evicts one, also when several are appended at once', () => {
  const entry = (kind: AuditEntry['what'], atMs: number): AuditEntry => {
    return { what: kind, detail: `${atMs}`, by: 'owner', atMs };
  };
  const full = Array.from({ length: AUDIT_KEPT }, (_, i) =>
    entry(i % 100 === 0 ? 'key-created' : 'signed-in', i),
  );
  const more = [entry('key-revoked', 900), entry('account-closed', 901)];
  const after = appended(full, more);
  expect(after).toHaveLength(AUDIT_KEPT);
  expect(after.slice(-2)).toEqual(more);
  // The two oldest of the most common kind.
  const gone = full.filter((one) => !after.includes(one));
  expect(gone.map(({ detail }) => detail)).toEqual(['1', '2']);
});
