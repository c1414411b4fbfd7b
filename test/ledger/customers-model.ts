import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  AccountId,
  AccountRecords,
  Actor,
  AuditEntry,
  Grant,
  KeyOrder,
  Membership,
  UsageDay,
} from '../../proxy/ledger/accounts.ts';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { forAll } from '../support/for-all.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { Dice } from '../transit/dice.ts';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 5, 1, 12);

/** Mailboxes, each in several spellings. */
const PEOPLE = [
  ['Ann@gmail.com', ' a.nn+x@googlemail.com'],
  ['bo@example.org', 'BO@Example.org '],
  ['Bo+1@example.org', 'bo+1@example.ORG'],
];
const ACTORS: readonly Actor[] = ['owner', 'operator', 'payment'];
const MEMBERSHIPS: readonly (readonly [Membership | null, string])[] = [
  [null, 'none'],
  [{ status: 'active', untilMs: null, renewsAtMs: null, subscription: null }, 'active'],
  [
    { status: 'ending', untilMs: NOON + 40 * DAY_MS, renewsAtMs: null, subscription: 'sub_1' },
    'ending until 2026-07-11T12:00:00.000Z',
  ],
  [
    { status: 'past_due', untilMs: NOON, renewsAtMs: NOON + DAY_MS, subscription: 'sub_2' },
    'past_due, renews 2026-06-02T12:00:00.000Z',
  ],
];

const WRONG_GRANTS: readonly Grant[] = [
  { tokens: -1, cause: 'wrong', atMs: NOON },
  { tokens: 1, cause: '', atMs: NOON },
];

/** The model of an account. */
interface Paper {
  readonly id: AccountId;
  email: string | null;
  readonly person: number | null;
  readonly createdAtMs: number;
  closedAtMs: number | null;
  disabled: boolean;
  membership: number;
  customer: string | null;
  readonly grants: Grant[];
  readonly usage: UsageDay[];
  readonly keys: PaperKey[];
  readonly sessions: PaperSession[];
  readonly audit: AuditEntry[];
  /** Current window of the limit on created keys. */
  window: { startMs: number; used: number } | null;
}

interface PaperKey {
  readonly id: string;
  readonly hash: string;
  readonly prefix: string;
  readonly label: string;
  readonly createdAtMs: number;
  disabled: boolean;
  revokedAtMs: number | null;
  lastUsedAtMs: number | null;
}

interface PaperSession {
  readonly id: string;
  readonly secretHash: string;
  readonly startedAtMs: number;
  readonly client: string;
  readonly address: string;
  seenAtMs: number;
}

/** A model of accounts, and operations that are carried out on both the model and a ledger. */
class Customers {
  readonly accounts: Paper[] = [];
  /**
   * Whether the account of a closed mailbox was disabled when it was closed, by index in `PEOPLE`.
   */
  readonly former = new Map<number, boolean>();
  nowMs = NOON;
  readonly #ledger: Ledger;
  readonly #dice: Dice;

  constructor(ledger: Ledger, dice: Dice) {
    this.#ledger = ledger;
    this.#dice = dice;
  }

  async step(): Promise<void> {
    const dice = this.#dice;
    this.nowMs += dice.pick([1, 1, 1_000, 40_000, DAY_MS / 24, 9 * DAY_MS]);
    const account = this.accounts.length > 0 ? dice.pick(this.accounts) : undefined;
    if (!account || dice.chance(0.1)) return this.#open();
    if (dice.chance(0.25)) return this.#issue(account);
    const key = dice.pick(account.keys);
    if (key && dice.chance(0.3)) return this.#changeKey(account, key);
    if (dice.chance(0.4)) return this.#useSession(account);
    return this.#changeAccount(account);
  }

  #by() {
    return { by: this.#dice.pick(ACTORS), atMs: this.nowMs };
  }

  #note(account: Paper, what: AuditEntry['what'], detail: string, by: Actor): void {
    account.audit.push({ what, detail, by, atMs: this.nowMs });
  }

  #grant(cause: string): Grant {
    return { tokens: this.#dice.below(90), cause, atMs: this.nowMs };
  }

  #give(account: Paper, grant: Grant, by: Actor): void {
    if (account.grants.some(({ cause }) => cause === grant.cause)) return;
    account.grants.push(grant);
    this.#note(account, 'tokens-granted', `${grant.tokens}, ${grant.cause}`, by);
  }

  /** The open account of a person. */
  #accountOf(person: number | null): Paper | undefined {
    if (person === null) return undefined;
    return this.accounts.find((one) => one.person === person && one.closedAtMs === null);
  }

  /** Adds a new account to the model. */
  #opened(id: AccountId, person: number | null, email: string | null, by: Actor): Paper {
    const account: Paper = {
      id,
      person,
      email: email?.trim() ?? null,
      createdAtMs: this.nowMs,
      closedAtMs: null,
      disabled: person !== null && (this.former.get(person) ?? false),
      membership: 0,
      customer: null,
      grants: [],
      usage: [],
      keys: [],
      sessions: [],
      audit: [],
      window: null,
    };
    this.accounts.push(account);
    this.#note(account, 'account-opened', '', by);
    if (account.disabled) {
      const detail = 'as the account of the same address was when it was closed';
      this.#note(account, 'account-disabled', detail, 'operator');
    }
    return account;
  }

  /** Returns the sign-up grant, or null if a person is not due one. */
  #signup(person: number | null): Grant | null {
    if (person !== null && this.former.has(person)) return null;
    return { tokens: 5_000, cause: 'signup', atMs: this.nowMs };
  }

  #somebody(): { person: number | null; email: string | null } {
    const person = this.#dice.pick([0, 1, 2, null]);
    return { person, email: person === null ? null : this.#dice.pick(PEOPLE[person]) };
  }

  async #open(): Promise<void> {
    const { person, email } = this.#somebody();
    const known = this.#accountOf(person);
    const change = this.#by();
    const grant = this.#dice.pick([undefined, null, this.#grant('first')]);
    const custom = this.#dice.pick([undefined, this.#grant('signup')]);
    if (!known && this.#dice.chance(0.3)) {
      const wrong = { email, ...change, grant: this.#dice.pick(WRONG_GRANTS) };
      await expect(this.#ledger.openAccount(wrong)).rejects.toThrow(RangeError);
    }
    const opened = await this.#ledger.openAccount({
      email,
      ...change,
      ...(grant !== undefined && { grant }),
      ...(custom && { signupGrant: custom }),
    });
    expect(opened.isNew).toBe(!known);
    if (known) return void expect(opened.account.id).toBe(known.id);
    const signup = this.#signup(person) && (custom ?? this.#signup(person));
    const account = this.#opened(opened.account.id, person, email, change.by);
    const given = grant === undefined ? signup : grant;
    if (given) this.#give(account, given, change.by);
  }

  async #issue(to: Paper): Promise<void> {
    const isByMail = this.#dice.chance(0.3);
    const { person, email } = this.#somebody();
    const known = isByMail ? this.#accountOf(person) : to;
    const change = this.#by();
    const label = this.#dice.pick(['', 'desk', 'ключ “1”']);
    const grant = this.#dice.pick([undefined, undefined, null, this.#grant('with a key')]);
    const member = this.#dice.pick([undefined, false, true]);
    const limit = this.#dice.pick([1, 2]);
    const rate = this.#dice.pick([undefined, { limit, windowSeconds: 60 }]);
    const order: KeyOrder = {
      owner: isByMail ? { email } : { id: to.id },
      label,
      ...change,
      ...(grant !== undefined && { grant }),
      ...(member !== undefined && { member }),
      ...(rate && { rate }),
    };
    const isRefused = !known || (known.closedAtMs === null && activeKeys(known) < 3);
    if (isRefused && this.#dice.chance(0.2)) {
      const wrong = { ...order, grant: this.#dice.pick(WRONG_GRANTS) };
      await expect(this.#ledger.issueKey(wrong)).rejects.toThrow(RangeError);
    }
    const made = await this.#ledger.issueKey(order);
    if (known && known.closedAtMs !== null) {
      return void expect(made).toEqual({ created: false, reason: 'closed' });
    }
    if (known && activeKeys(known) >= 3) {
      return void expect(made).toEqual({ created: false, reason: 'too-many-keys' });
    }
    if (known && rate) {
      let window = known.window;
      if (!window || this.nowMs >= window.startMs + 60_000) {
        window = { startMs: this.nowMs, used: 0 };
      }
      const resetSeconds = Math.ceil((window.startMs + 60_000 - this.nowMs) / 1_000);
      if (window.used >= rate.limit) {
        const state = { ...rate, remaining: 0, resetSeconds };
        return void expect(made).toEqual({ created: false, reason: 'rate-limited', rate: state });
      }
      known.window = { ...window, used: window.used + 1 };
    }
    if (!made.created) expect.fail(made.reason);
    const signup = grant === undefined && !known ? this.#signup(person) : grant;
    const account =
      known ?? this.#opened(made.account.id, isByMail ? person : null, email, change.by);
    if (signup) this.#give(account, signup, change.by);
    if (member) this.#becomes(account, 1, change.by);
    const { id, prefix } = made.key;
    expect(made.plainKey.startsWith(prefix)).toBe(true);
    const hash = hashApiKey(made.plainKey);
    const [disabled, revokedAtMs, lastUsedAtMs, createdAtMs] = [false, null, null, this.nowMs];
    const state = { createdAtMs, disabled, revokedAtMs, lastUsedAtMs };
    const key: PaperKey = { id, hash, prefix, label, ...state };
    account.keys.push(key);
    this.#noteKey(account, 'key-created', key, change.by);
    expect(made.account).toEqual(accountIn(account));
    expect(made.key).toEqual(withoutHash(key));
    // Issues another key, so that some windows get full.
    if (rate === undefined || this.#dice.chance(0.4)) return;
    this.nowMs++;
    await this.#issue(account);
  }

  #noteKey(account: Paper, what: AuditEntry['what'], key: PaperKey, by: Actor): void {
    this.#note(account, what, `${key.prefix}…${key.label && `, ${key.label}`}`, by);
  }

  /** Admits a request with a key, and charges it if it is admitted. */
  async #use(account: Paper, key: PaperKey): Promise<void> {
    const admitted = await this.#ledger.admit(key.hash, this.nowMs);
    expect(admitted.outcome).toBe(outcomeOf(account, key));
    if (admitted.outcome !== 'admitted') return;
    const { balance } = accountIn(account);
    expect(admitted).toMatchObject({ account: account.id, keyId: key.id, balance });
    if (key.lastUsedAtMs === null || this.nowMs - key.lastUsedAtMs >= 60_000) {
      key.lastUsedAtMs = this.nowMs;
    }
    const [route, tokens, atMs] = ['GET /v1/x', this.#dice.below(40), this.nowMs];
    const charge = { account: account.id, keyId: key.id, route, tokens, atMs };
    const outcome = tokens <= balance ? 'debited' : 'insufficient';
    const left = tokens <= balance ? balance - tokens : balance;
    expect(await this.#ledger.debit(charge)).toEqual({ outcome, balance: left });
    if (outcome === 'insufficient') return;
    const day = new Date(atMs).toISOString().slice(0, 10);
    const known = account.usage.findIndex((one) => one.day === day && one.keyId === key.id);
    const before = account.usage[known] ?? { requests: 0, tokens: 0 };
    if (known !== -1) account.usage.splice(known, 1);
    account.usage.push({
      day,
      keyId: key.id,
      route,
      requests: before.requests + 1,
      tokens: before.tokens + tokens,
      lastAtMs: atMs,
    });
  }

  async #changeKey(account: Paper, key: PaperKey): Promise<void> {
    if (this.#dice.chance(0.4)) return this.#use(account, key);
    const change = this.#by();
    const isKnown = this.#dice.chance(0.9);
    const id = isKnown ? key.id : 'none';
    if (this.#dice.chance(0.4)) {
      expect(await this.#ledger.revokeKey(account.id, id, change)).toBe(isKnown);
      if (!isKnown || key.revokedAtMs !== null) return;
      key.revokedAtMs = this.nowMs;
      this.#noteKey(account, 'key-revoked', key, change.by);
    } else if (key.revokedAtMs === null) {
      const disabled = this.#dice.chance(0.5);
      const isSet = await this.#ledger.setKeyDisabled(account.id, id, disabled, change);
      expect(isSet).toBe(isKnown);
      if (!isKnown || key.disabled === disabled) return;
      key.disabled = disabled;
      this.#noteKey(account, disabled ? 'key-disabled' : 'key-enabled', key, change.by);
    }
  }

  async #useSession(account: Paper): Promise<void> {
    const live = account.sessions.filter((one) => this.nowMs < one.seenAtMs + 30 * DAY_MS);
    const session = this.#dice.pick(live);
    const kind = this.#dice.pick(['begin', 'end', 'see'] as const);
    if (!session || kind === 'begin') {
      const id = `session of ${this.nowMs}`;
      const [secretHash, client, address] = [`hash of ${id}`, 'Firefox', '192.0.2.0/24'];
      const begun = { id, secretHash, startedAtMs: this.nowMs, client, address };
      const isClosed = account.closedAtMs !== null;
      const outcome = await this.#ledger.beginSession(account.id, begun);
      expect(outcome).toBe(isClosed ? 'closed' : 'begun');
      if (isClosed) return;
      account.sessions.push({ ...begun, seenAtMs: this.nowMs });
      this.#note(account, 'signed-in', `${client}, ${address}`, 'owner');
    } else if (kind === 'end') {
      const end = () => this.#ledger.endSession(account.id, session.id, this.nowMs);
      expect([await end(), await end()]).toEqual([true, false]);
      account.sessions.splice(account.sessions.indexOf(session), 1);
      this.#note(account, 'session-ended', session.client, 'owner');
    } else {
      const { id, secretHash } = session;
      const ref = { account: account.id, id, secretHash };
      const wrong = { ...ref, secretHash: `${secretHash}.` };
      expect(await this.#ledger.session(wrong, this.nowMs)).toBeUndefined();
      const found = await this.#ledger.session(ref, this.nowMs);
      expect(found?.account).toEqual(accountIn(account));
      expect(found?.session).toMatchObject({ id, startedAtMs: session.startedAtMs });
      if (this.nowMs - session.seenAtMs >= DAY_MS / 24) session.seenAtMs = this.nowMs;
    }
  }

  #becomes(account: Paper, membership: number, by: Actor): void {
    if (account.membership === membership) return;
    account.membership = membership;
    this.#note(account, 'membership-changed', MEMBERSHIPS[membership][1], by);
  }

  async #changeAccount(account: Paper): Promise<void> {
    const change = this.#by();
    const kind = this.#dice.pick(['disable', 'disable', 'member', 'customer', 'close'] as const);
    if (kind === 'disable') {
      const disabled = this.#dice.chance(0.5);
      await this.#ledger.setDisabled(account.id, disabled, change);
      if (account.disabled === disabled) return;
      account.disabled = disabled;
      this.#note(account, disabled ? 'account-disabled' : 'account-enabled', '', change.by);
    } else if (kind === 'member' && account.closedAtMs === null) {
      const membership = this.#dice.below(MEMBERSHIPS.length);
      await this.#ledger.setMembership(account.id, MEMBERSHIPS[membership][0], change);
      this.#becomes(account, membership, change.by);
    } else if (kind === 'customer') {
      account.customer = `cus_${this.#dice.below(9)}`;
      await this.#ledger.setCustomer(account.id, account.customer);
    } else if (kind === 'close') {
      await this.#ledger.closeAccount(account.id, change);
      if (account.closedAtMs !== null) return;
      account.closedAtMs = this.nowMs;
      if (account.person !== null) this.former.set(account.person, account.disabled);
      account.email = null;
      account.membership = 0;
      for (const key of account.keys) {
        if (key.revokedAtMs !== null) continue;
        key.revokedAtMs = this.nowMs;
        this.#noteKey(account, 'key-revoked', key, change.by);
      }
      account.sessions.length = 0;
      this.#note(account, 'account-closed', '', change.by);
    }
  }
}

function accountIn(paper: Paper) {
  const { id, email, membership, disabled, createdAtMs, closedAtMs, customer } = paper;
  const sum = (of: readonly { tokens: number }[]) =>
    of.reduce((all, { tokens }) => all + tokens, 0);
  const balance = sum(paper.grants) - sum(paper.usage);
  const { 0: state } = MEMBERSHIPS[membership];
  return { id, email, membership: state, disabled, balance, createdAtMs, closedAtMs, customer };
}

function withoutHash({ hash: _, ...key }: PaperKey) {
  return key;
}

function activeKeys({ keys }: Paper): number {
  return keys.filter((key) => key.revokedAtMs === null).length;
}

/**
 * Sorts audit entries by time and then by text, since ledgers need not keep the order of entries of
 * the same time.
 */
function inOrder(audit: readonly AuditEntry[]): AuditEntry[] {
  const text = (entry: AuditEntry) => `${entry.atMs} ${entry.what} ${entry.detail}`;
  return [...audit].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Compares everything that a ledger returns about accounts with the model. */
async function compare(ledger: Ledger, { accounts, former, nowMs }: Customers): Promise<void> {
  const held: AccountId[] = [];
  for await (const { id } of ledger.allAccounts()) held.push(id);
  expect(held.sort()).toEqual(accounts.map(({ id }) => id).sort());
  for (const paper of accounts) {
    const { id, keys, sessions, grants } = paper;
    expect(await ledger.account(id)).toEqual(accountIn(paper));
    const inLedger = await ledger.keys(id);
    expect(inLedger).toEqual(keys.map((key) => withoutHash(key)));
    const live = sessions
      .filter(({ seenAtMs }) => nowMs < seenAtMs + 30 * DAY_MS)
      .map(({ secretHash: _, ...session }) => session)
      .reverse();
    expect(await ledger.sessions(id, nowMs)).toEqual(live);
    for (const one of sessions) {
      const admitted = await ledger.admitSession({ account: id, id: one.id }, nowMs);
      const isLive = nowMs < one.seenAtMs + 30 * DAY_MS;
      const outcome = paper.disabled ? 'account-disabled' : 'admitted';
      expect(admitted.outcome).toBe(isLive ? outcome : 'invalid-key');
    }
    const audit = await ledger.audit(id);
    expect(audit.map(({ atMs }) => atMs)).toEqual(paper.audit.map(({ atMs }) => atMs).reverse());
    expect(inOrder(audit)).toEqual(inOrder(paper.audit));
    expect(await ledger.grants(id)).toEqual(grants);
    const rowOf = ({ day, keyId }: UsageDay) => `${day} ${keyId}`;
    const inUsageOrder = [...paper.usage].sort((a, b) => (rowOf(a) < rowOf(b) ? -1 : 1));
    const records = (await ledger.exportAccount(id))!;
    expect(records).toEqual({
      account: accountIn(paper),
      keys,
      grants,
      usage: inUsageOrder,
      audit: audit.reverse(),
      delayedGrant: null,
    } satisfies AccountRecords);
  }
  for (const [person, spellings] of PEOPLE.entries()) {
    const known = accounts.find((one) => one.person === person && one.closedAtMs === null);
    for (const email of spellings) {
      expect((await ledger.accountByEmail(email))?.id).toBe(known?.id);
    }
  }
  const mailboxes = await ledger.formerMailboxes();
  const disabled = mailboxes.map((one) => one.disabled).sort();
  expect(disabled).toEqual([...former.values()].sort());
}

function outcomeOf(account: Paper, key: PaperKey) {
  if (key.revokedAtMs !== null) return 'invalid-key';
  return key.disabled || account.disabled ? 'account-disabled' : 'admitted';
}

/** Checks the admission of each key. */
async function admitAll(ledger: Ledger, { accounts, nowMs }: Customers): Promise<void> {
  for (const account of accounts) {
    const { id, membership, keys } = account;
    for (const key of keys) {
      const admitted = await ledger.admit(key.hash, nowMs);
      const outcome = outcomeOf(account, key);
      if (outcome !== 'admitted') expect(admitted).toEqual({ outcome });
      else {
        const untilMs = MEMBERSHIPS[membership][0]?.untilMs;
        const member = membership > 0 && (untilMs === null || nowMs < untilMs!);
        expect(admitted).toMatchObject({ outcome, account: id, keyId: key.id, member });
      }
    }
  }
}

/**
 * Tests that a ledger's accounts, keys and sessions match the model after random operations on
 * both.
 */
export function customersModel(name: string, open: () => Promise<Ledger>, runs: number): void {
  test(`${name} keeps accounts, keys, sessions and their trail like the model, also after a move`, () =>
    forAll(runs, fc.nat(), async (seed) => {
      const dice = new Dice(seed);
      const [ledger, moved] = [await ofThisTest(open()), await ofThisTest(open())];
      const customers = new Customers(ledger, dice);
      for (let step = 1; step <= 80; step++) {
        await customers.step();
        if (step % 20 === 0) await compare(ledger, customers);
      }
      for (const { id } of customers.accounts) {
        const records = (await ledger.exportAccount(id))!;
        const taken = [await moved.importAccount(records), await moved.importAccount(records)];
        expect(taken).toEqual([true, false]);
        if (records.account.email === null) continue;
        const impostor = { ...records, account: { ...records.account, id: 'another' } };
        expect(await moved.importAccount(impostor)).toBe(false);
      }
      await moved.importFormerMailboxes(await ledger.formerMailboxes());
      // Sessions are not moved.
      for (const { sessions } of customers.accounts) sessions.length = 0;
      await compare(moved, customers);
      await admitAll(ledger, customers);
      await admitAll(moved, customers);
      const elsewhere = new Customers(moved, dice);
      elsewhere.nowMs = customers.nowMs + 90_000;
      elsewhere.accounts.push(...customers.accounts.map((one) => ({ ...one, window: null })));
      for (const [person, disabled] of customers.former) elsewhere.former.set(person, disabled);
      for (let step = 0; step < 15; step++) await elsewhere.step();
      await admitAll(moved, elsewhere);
    }));
}
