import { randomBytes } from 'node:crypto';
import { open, type RootDatabase } from 'lmdb';
import { EVERYBODY } from '../../../shards/fair-queue.ts';
import type { Millis } from '../../../shards/units.ts';
import {
  type Account,
  type AccountBooks,
  type AccountId,
  type AccountOrder,
  type Actor,
  type ApiKey,
  type AuditEntry,
  type Change,
  type FormerMailbox,
  type Grant,
  isMember,
  type KeyIssue,
  type KeyOrder,
  type Membership,
  type UsageDay,
} from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';
import { LastUses } from '../last-uses.ts';
import { type Ledger, LedgerUnavailable } from '../ledger.ts';
import type { Admission, Charge, Debit } from '../metering.ts';
import type { PaymentEvent } from '../payment-events.ts';
import type { RateState } from '../rate-state.ts';
import { type RateCounter, RateWindow } from '../rate-window.ts';
import type { DebitOnce, IdempotentRequest, KeptAnswer, Receipt, Replay } from '../replays.ts';
import { isSeenLongAgo, type NewSession, type Session, type SessionRef } from '../sessions.ts';
import type { Challenge } from '../sign-ins.ts';
import {
  accountIdByEmail,
  closeAccount,
  exportBooks,
  importBooks,
  openAccount,
  setDisabled,
  setMembership,
} from './accounts.ts';
import { auditOf } from './audit.ts';
import { debit, grant, grantsOf, refund, takeBack, usageOf } from './balances.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, MAX_TABLES, openBooks } from './books.ts';
import { unavailable } from './failure.ts';
import { CommitFailed, GroupCommit } from './group-commit.ts';
import { issueKey } from './issue-key.ts';
import { keysOf, noteUse, revokeKey, setKeyDisabled } from './keys.ts';
import { claimLedgerFolder, PRIVATE_FILE } from './ledger-folder.ts';
import { closeEvent, keepEvent, openEventsOf } from './payment-events.ts';
import { debitOnce, keepAnswer, replay, undeliver } from './replays.ts';
import { beginSession, endSession, see, sessionOf, sessionsOf } from './sessions.ts';
import { answerChallenge, keepChallenge, takeLimited } from './sign-ins.ts';
import { upgrade } from './upgrade.ts';

export interface LmdbLedgerOptions {
  readonly rateLimitPerMinute: number;
  /** What counts requests, where that is not this ledger alone. */
  readonly rates?: RateCounter;
}

/** For so long after a commit has failed, and none has succeeded, the ledger is not well. */
const DISTRUST_MS: Millis = 10_000;

/** Opens, or creates, a ledger in a folder. A folder that cannot be used is a `LedgerUnavailable`. */
export async function openLmdbLedger(
  directory: string,
  options: LmdbLedgerOptions,
): Promise<Ledger> {
  try {
    await claimLedgerFolder(directory);
    await GroupCommit.noneUnderWay();
    return new LmdbLedger(directory, options);
  } catch (error) {
    throw unavailable(directory, error);
  }
}

/**
 * The ledger of one machine: LMDB, memory-mapped. Reads are function calls; writes that come before
 * a commit has begun share it, and its fsync. Several processes may have it open; their rates
 * are counted in each, or by the `rates` that they share.
 */
class LmdbLedger implements Ledger {
  readonly #directory: string;
  readonly #root: RootDatabase;
  readonly #books: Books;
  readonly #rates: RateCounter;
  readonly #lastUses = new LastUses();
  readonly #commits: GroupCommit;
  #closed = false;

  constructor(
    directory: string,
    { rateLimitPerMinute, rates = new RateWindow(rateLimitPerMinute) }: LmdbLedgerOptions,
  ) {
    this.#directory = directory;
    const options = {
      path: directory,
      noSubdir: false,
      maxDbs: MAX_TABLES,
      // Of the files it makes; its type declarations leave this out.
      permissionsMode: PRIVATE_FILE,
      // With overlapping syncs, a process that opens the ledger can set back a commit that another
      // has made and not yet synced: debits would be lost after they were acknowledged.
      overlappingSync: false,
      // Changes are gathered in GroupCommit. lmdb would begin batches of its own, each with a promise
      // that nobody holds: a commit that fails rejects it, and that ends the process.
      eventTurnBatching: false,
    };
    this.#root = open(options);
    this.#books = openBooks(this.#root);
    try {
      upgrade(this.#root, this.#books, { directory, nowMs: Date.now() });
    } catch (error) {
      void this.#root.close();
      throw error;
    }
    this.#commits = new GroupCommit(this.#root, this.#books);
    this.#rates = rates;
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    const found = this.#read(() => {
      const key = this.#books.keys.get(keyHash);
      return key && { key, account: this.#books.accounts.get(key.account) };
    });
    if (!found?.account || found.key.revokedAtMs !== null) return { outcome: 'invalid-key' };
    const { key, account } = found;
    if (key.disabled || account.disabled) return { outcome: 'account-disabled' };
    if (this.#lastUses.isDue(keyHash, nowMs)) this.#noteUse(keyHash, nowMs);
    const { allowed, rate } = await this.#rates.take(key.account, nowMs);
    const { balance } = account;
    const member = isMember(account.membership, nowMs);
    if (!allowed) return { outcome: 'rate-limited', member, balance, rate };
    return { outcome: 'admitted', account: key.account, keyId: key.id, member, balance, rate };
  }

  /** Beside the request, in the commit of whoever comes next. */
  #noteUse(keyHash: KeyHash, nowMs: number): void {
    this.#lastUses.noted(keyHash, nowMs);
    this.#write((batch) => noteUse(batch, keyHash, nowMs)).catch(() => {
      this.#lastUses.forget(keyHash);
    });
  }

  debit(charge: Charge): Promise<Debit> {
    return this.#write((batch) => debit(batch, charge), charge.account);
  }

  refund(charge: Charge, tokens?: number): Promise<void> {
    return this.#write((batch) => refund(batch, charge, tokens), charge.account);
  }

  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay> {
    return this.#write((batch) => debitOnce(batch, charge, request), charge.account);
  }

  keepAnswer(receipt: Receipt, answer: KeptAnswer): Promise<void> {
    return this.#write((batch) => keepAnswer(batch, receipt, answer), receipt.account);
  }

  async replay(
    account: AccountId,
    request: IdempotentRequest,
    nowMs: number,
  ): Promise<Replay | undefined> {
    // Mostly there is none: only one that is given again is written down.
    if (this.#read(() => !this.#books.replays.doesExist([account, request.key]))) return undefined;
    return this.#write((batch) => replay(batch, account, request, nowMs), account);
  }

  undeliver(receipt: Receipt, undelivered?: number): Promise<void> {
    return this.#write((batch) => undeliver(batch, receipt, undelivered), receipt.account);
  }

  openAccount(order: AccountOrder): Promise<{ account: Account; isNew: boolean }> {
    return this.#write((batch) => openAccount(batch, order));
  }

  async account(id: AccountId): Promise<Account | undefined> {
    const record = this.#read(() => this.#books.accounts.get(id));
    return record && { id, ...record };
  }

  async accountByEmail(email: string): Promise<Account | undefined> {
    const id = this.#read(() => accountIdByEmail(this.#books, email));
    return id === undefined ? undefined : this.account(id);
  }

  setDisabled(id: AccountId, disabled: boolean, by: Change): Promise<void> {
    return this.#write((batch) => setDisabled(batch, id, disabled, by));
  }

  setMembership(id: AccountId, membership: Membership | null, by: Change): Promise<void> {
    return this.#write((batch) => setMembership(batch, id, membership, by));
  }

  setCustomer(id: AccountId, customer: string): Promise<void> {
    return this.#write((batch) => {
      batch.account(id).customer = customer;
    });
  }

  closeAccount(id: AccountId, by: Change): Promise<void> {
    return this.#write((batch) => closeAccount(batch, id, by));
  }

  grant(id: AccountId, given: Grant, by: Actor): Promise<{ granted: boolean; balance: number }> {
    return this.#write((batch) => grant(batch, id, given, by));
  }

  takeBack(id: AccountId, given: Grant, by: Actor): Promise<{ taken: number; balance: number }> {
    return this.#write((batch) => takeBack(batch, id, given, by));
  }

  issueKey(order: KeyOrder): Promise<KeyIssue> {
    return this.#write((batch) => issueKey(batch, order));
  }

  async keys(id: AccountId): Promise<ApiKey[]> {
    return this.#read(() => keysOf(this.#books, id).map(({ hash: _, ...key }) => key));
  }

  revokeKey(id: AccountId, keyId: string, by: Change): Promise<boolean> {
    return this.#write((batch) => revokeKey(batch, id, keyId, by));
  }

  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean, by: Change): Promise<boolean> {
    return this.#write((batch) => setKeyDisabled(batch, id, keyId, disabled, by));
  }

  async *allAccounts(): AsyncGenerator<Account> {
    const ids = this.#read(() => [...this.#books.accounts.getKeys()]);
    for (const id of ids) {
      const account = await this.account(id);
      if (account) yield account;
    }
  }

  async usage(id: AccountId, days?: { from?: string; to?: string }): Promise<UsageDay[]> {
    return this.#read(() => usageOf(this.#books, id, days));
  }

  async grants(id: AccountId): Promise<Grant[]> {
    return this.#read(() => grantsOf(this.#books, id));
  }

  async audit(id: AccountId): Promise<AuditEntry[]> {
    return this.#read(() => auditOf(this.#books, id));
  }

  async exportBooks(id: AccountId): Promise<AccountBooks | undefined> {
    return this.#read(() => exportBooks(this.#books, id));
  }

  importBooks(books: AccountBooks): Promise<boolean> {
    return this.#write((batch) => importBooks(batch, books));
  }

  async formerMailboxes(): Promise<FormerMailbox[]> {
    return this.#read(() =>
      Array.from(this.#books.formerMailboxes.getRange({}), ({ key, value }) => ({
        ...{ hash: key, disabled: value === 'disabled' },
      })),
    );
  }

  importFormerMailboxes(mailboxes: readonly FormerMailbox[]): Promise<void> {
    return this.#write(({ books }) => {
      for (const { hash, disabled } of mailboxes) {
        if (books.formerMailboxes.doesExist(hash)) continue;
        books.formerMailboxes.put(hash, disabled ? 'disabled' : true);
      }
    });
  }

  keepChallenge(mailbox: string, challenge: Challenge): Promise<void> {
    return this.#write((batch) => keepChallenge(batch, mailbox, challenge));
  }

  answerChallenge(
    mailbox: string,
    answer: { readonly codeHash: string } | { readonly linkHash: string },
    nowMs: number,
  ): Promise<boolean> {
    return this.#write((batch) => answerChallenge(batch, mailbox, answer, nowMs));
  }

  takeLimited(
    subject: string,
    window: { readonly limit: number; readonly windowSeconds: number },
    nowMs: number,
  ): Promise<{ allowed: boolean; rate: RateState }> {
    return this.#write((batch) => takeLimited(batch, subject, window, nowMs));
  }

  beginSession(account: AccountId, session: NewSession): Promise<'begun' | 'closed'> {
    return this.#write((batch) => beginSession(batch, account, session));
  }

  async session(
    ref: SessionRef,
    nowMs: number,
  ): Promise<{ account: Account; session: Session } | undefined> {
    const found = this.#read(() => sessionOf(this.#books, ref, nowMs));
    if (found && isSeenLongAgo(found.session, nowMs)) {
      await this.#write((batch) => see(batch, ref.account, ref.id, nowMs));
    }
    return found;
  }

  async sessions(account: AccountId, nowMs: number): Promise<Session[]> {
    return this.#read(() => sessionsOf(this.#books, account, nowMs));
  }

  endSession(account: AccountId, sessionId: string, nowMs: number): Promise<boolean> {
    return this.#write((batch) => endSession(batch, account, sessionId, nowMs));
  }

  keepEvent(event: PaymentEvent): Promise<boolean> {
    return this.#write((batch) => keepEvent(batch, event));
  }

  async openEvents(limit: number, offset = 0): Promise<PaymentEvent[]> {
    return this.#read(() => openEventsOf(this.#books, limit, offset));
  }

  closeEvent(id: string, nowMs: number): Promise<void> {
    return this.#write((batch) => closeEvent(batch, id, nowMs));
  }

  secret(name: string): Promise<string> {
    return this.#write(({ books }) => {
      const kept = books.secrets.get(name);
      if (kept !== undefined) return kept;
      const made = randomBytes(32).toString('base64url');
      books.secrets.put(name, made);
      return made;
    });
  }

  async secrets(): Promise<Record<string, string>> {
    return this.#read(() =>
      Object.fromEntries(
        Array.from(this.#books.secrets.getRange({}), ({ key, value }) => [key, value]),
      ),
    );
  }

  importSecrets(secrets: Readonly<Record<string, string>>): Promise<void> {
    return this.#write(({ books }) => {
      for (const [name, secret] of Object.entries(secrets)) {
        if (!books.secrets.doesExist(name)) books.secrets.put(name, secret);
      }
    });
  }

  async ping(): Promise<void> {
    this.#read(() => this.#books.accounts.get(''));
    // A disk that is full can still be read. After a while it is tried again, by whoever comes.
    const { lastFailure } = this.#commits;
    if (lastFailure && performance.now() - lastFailure.atMs < DISTRUST_MS) {
      throw unavailable(this.#directory, lastFailure.error.cause);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#commits.finished();
    await this.#root.close();
  }

  async #write<T>(change: (batch: LedgerBatch) => T, asker = EVERYBODY): Promise<T> {
    if (this.#closed) throw this.#closedError();
    try {
      return await this.#commits.apply(change, asker);
    } catch (error) {
      throw error instanceof CommitFailed ? unavailable(this.#directory, error.cause) : error;
    }
  }

  #closedError(): LedgerUnavailable {
    return new LedgerUnavailable(`${this.#directory}: the ledger is closed`);
  }

  #read<T>(read: () => T): T {
    if (this.#closed) throw this.#closedError();
    try {
      return read();
    } catch (error) {
      throw unavailable(this.#directory, error);
    }
  }
}
