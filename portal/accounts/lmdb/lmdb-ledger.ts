import type {
  Account,
  AccountBooks,
  AccountId,
  AccountOrder,
  Actor,
  ApiKey,
  AuditEntry,
  Change,
  FormerMailbox,
  Grant,
  KeyIssue,
  KeyOrder,
  Membership,
  UsageDay,
} from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';
import type { Ledger } from '../ledger.ts';
import type { Admission, Charge, Debit } from '../metering.ts';
import type { PaymentEvent } from '../payment-events.ts';
import type { RateState } from '../rate-state.ts';
import { type RateCounter, RateWindow } from '../rate-window.ts';
import type { DebitOnce, IdempotentRequest, KeptAnswer, Receipt, Replay } from '../replays.ts';
import { isSeenLongAgo, type NewSession, type Session, type SessionRef } from '../sessions.ts';
import type { Challenge } from '../sign-ins.ts';
import * as accounts from './accounts.ts';
import { Admissions } from './admission.ts';
import { auditOf } from './audit.ts';
import { debit, grant, grantsOf, refund, takeBack, usageOf } from './balances.ts';
import { LedgerDatabase } from './database.ts';
import { issueKey } from './issue-key.ts';
import { keysOf, revokeKey, setKeyDisabled } from './keys.ts';
import { closeEvent, keepEvent, openEventsOf } from './payment-events.ts';
import { debitOnce, keepAnswer, replay, undeliver } from './replays.ts';
import { importSecrets, secret, secrets } from './secrets.ts';
import { beginSession, endSession, see, sessionOf, sessionsOf } from './sessions.ts';
import { answerChallenge, keepChallenge, takeLimited } from './sign-ins.ts';

export interface LmdbLedgerOptions {
  readonly rateLimitPerMinute: number;
  /** Shared request counters, if this ledger does not count alone. */
  readonly rates?: RateCounter;
}

/** Opens, or creates, a ledger in a folder. A folder that cannot be used is a `LedgerUnavailable`. */
export async function openLmdbLedger(
  directory: string,
  { rateLimitPerMinute, rates = new RateWindow(rateLimitPerMinute) }: LmdbLedgerOptions,
): Promise<Ledger> {
  return new LmdbLedger(await LedgerDatabase.open(directory), rates);
}

/**
 * The ledger of one machine. Each change is made in one transaction. Several processes may have it
 * open; their rates are counted in each, or by the `rates` that they share.
 */
class LmdbLedger implements Ledger {
  readonly #database: LedgerDatabase;
  readonly #admissions: Admissions;

  constructor(database: LedgerDatabase, rates: RateCounter) {
    this.#database = database;
    this.#admissions = new Admissions(database, rates);
  }

  admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    return this.#admissions.admit(keyHash, nowMs);
  }

  debit(charge: Charge): Promise<Debit> {
    return this.#database.write((batch) => debit(batch, charge), charge.account);
  }

  refund(charge: Charge, tokens?: number): Promise<void> {
    return this.#database.write((batch) => refund(batch, charge, tokens), charge.account);
  }

  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay> {
    return this.#database.write((batch) => debitOnce(batch, charge, request), charge.account);
  }

  keepAnswer(receipt: Receipt, answer: KeptAnswer): Promise<void> {
    return this.#database.write((batch) => keepAnswer(batch, receipt, answer), receipt.account);
  }

  async replay(
    account: AccountId,
    request: IdempotentRequest,
    nowMs: number,
  ): Promise<Replay | undefined> {
    // Mostly there is none: only one that is given again is written down.
    const isKnown = this.#database.read(({ replays }) => replays.doesExist([account, request.key]));
    if (!isKnown) return undefined;
    return this.#database.write((batch) => replay(batch, account, request, nowMs), account);
  }

  undeliver(receipt: Receipt, undelivered?: number): Promise<void> {
    return this.#database.write((batch) => undeliver(batch, receipt, undelivered), receipt.account);
  }

  openAccount(order: AccountOrder): Promise<{ account: Account; isNew: boolean }> {
    return this.#database.write((batch) => accounts.openAccount(batch, order));
  }

  async account(id: AccountId): Promise<Account | undefined> {
    return this.#database.read((books) => accounts.account(books, id));
  }

  async accountByEmail(email: string): Promise<Account | undefined> {
    return this.#database.read((books) => accounts.accountByEmail(books, email));
  }

  setDisabled(id: AccountId, disabled: boolean, by: Change): Promise<void> {
    return this.#database.write((batch) => accounts.setDisabled(batch, id, disabled, by));
  }

  setMembership(id: AccountId, membership: Membership | null, by: Change): Promise<void> {
    return this.#database.write((batch) => accounts.setMembership(batch, id, membership, by));
  }

  setCustomer(id: AccountId, customer: string): Promise<void> {
    return this.#database.write((batch) => accounts.setCustomer(batch, id, customer));
  }

  closeAccount(id: AccountId, by: Change): Promise<void> {
    return this.#database.write((batch) => accounts.closeAccount(batch, id, by));
  }

  grant(id: AccountId, given: Grant, by: Actor): Promise<{ granted: boolean; balance: number }> {
    return this.#database.write((batch) => grant(batch, id, given, by));
  }

  takeBack(id: AccountId, given: Grant, by: Actor): Promise<{ taken: number; balance: number }> {
    return this.#database.write((batch) => takeBack(batch, id, given, by));
  }

  issueKey(order: KeyOrder): Promise<KeyIssue> {
    return this.#database.write((batch) => issueKey(batch, order));
  }

  async keys(id: AccountId): Promise<ApiKey[]> {
    return this.#database.read((books) => keysOf(books, id).map(({ hash: _, ...key }) => key));
  }

  revokeKey(id: AccountId, keyId: string, by: Change): Promise<boolean> {
    return this.#database.write((batch) => revokeKey(batch, id, keyId, by));
  }

  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean, by: Change): Promise<boolean> {
    return this.#database.write((batch) => setKeyDisabled(batch, id, keyId, disabled, by));
  }

  async *allAccounts(): AsyncGenerator<Account> {
    const ids = this.#database.read((books) => [...books.accounts.getKeys()]);
    for (const id of ids) {
      const account = await this.account(id);
      if (account) yield account;
    }
  }

  async usage(id: AccountId, days?: { from?: string; to?: string }): Promise<UsageDay[]> {
    return this.#database.read((books) => usageOf(books, id, days));
  }

  async grants(id: AccountId): Promise<Grant[]> {
    return this.#database.read((books) => grantsOf(books, id));
  }

  async audit(id: AccountId): Promise<AuditEntry[]> {
    return this.#database.read((books) => auditOf(books, id));
  }

  async exportBooks(id: AccountId): Promise<AccountBooks | undefined> {
    return this.#database.read((books) => accounts.exportBooks(books, id));
  }

  importBooks(books: AccountBooks): Promise<boolean> {
    return this.#database.write((batch) => accounts.importBooks(batch, books));
  }

  async formerMailboxes(): Promise<FormerMailbox[]> {
    return this.#database.read(accounts.formerMailboxes);
  }

  importFormerMailboxes(mailboxes: readonly FormerMailbox[]): Promise<void> {
    return this.#database.write((batch) => accounts.importFormerMailboxes(batch, mailboxes));
  }

  keepChallenge(mailbox: string, challenge: Challenge): Promise<void> {
    return this.#database.write((batch) => keepChallenge(batch, mailbox, challenge));
  }

  answerChallenge(
    mailbox: string,
    answer: { readonly codeHash: string } | { readonly linkHash: string },
    nowMs: number,
  ): Promise<boolean> {
    return this.#database.write((batch) => answerChallenge(batch, mailbox, answer, nowMs));
  }

  takeLimited(
    subject: string,
    window: { readonly limit: number; readonly windowSeconds: number },
    nowMs: number,
  ): Promise<{ allowed: boolean; rate: RateState }> {
    return this.#database.write((batch) => takeLimited(batch, subject, window, nowMs));
  }

  beginSession(account: AccountId, session: NewSession): Promise<'begun' | 'closed'> {
    return this.#database.write((batch) => beginSession(batch, account, session));
  }

  async session(
    ref: SessionRef,
    nowMs: number,
  ): Promise<{ account: Account; session: Session } | undefined> {
    const found = this.#database.read((books) => sessionOf(books, ref, nowMs));
    if (found && isSeenLongAgo(found.session, nowMs)) {
      await this.#database.write((batch) => see(batch, ref.account, ref.id, nowMs));
    }
    return found;
  }

  async sessions(account: AccountId, nowMs: number): Promise<Session[]> {
    return this.#database.read((books) => sessionsOf(books, account, nowMs));
  }

  endSession(account: AccountId, sessionId: string, nowMs: number): Promise<boolean> {
    return this.#database.write((batch) => endSession(batch, account, sessionId, nowMs));
  }

  keepEvent(event: PaymentEvent): Promise<boolean> {
    return this.#database.write((batch) => keepEvent(batch, event));
  }

  async openEvents(limit: number, offset = 0): Promise<PaymentEvent[]> {
    return this.#database.read((books) => openEventsOf(books, limit, offset));
  }

  closeEvent(id: string, nowMs: number): Promise<void> {
    return this.#database.write((batch) => closeEvent(batch, id, nowMs));
  }

  secret(name: string): Promise<string> {
    return this.#database.write((batch) => secret(batch, name));
  }

  async secrets(): Promise<Record<string, string>> {
    return this.#database.read(secrets);
  }

  importSecrets(taken: Readonly<Record<string, string>>): Promise<void> {
    return this.#database.write((batch) => importSecrets(batch, taken));
  }

  async ping(): Promise<void> {
    this.#database.check();
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
