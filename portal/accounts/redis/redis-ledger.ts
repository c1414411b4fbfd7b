import type {
  Account,
  AccountId,
  AccountOrder,
  AccountRecords,
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
import { type Ledger, type LedgerOptions, tooNew } from '../ledger.ts';
import type { RedisAddress } from '../ledger-address.ts';
import type { Admission, Charge, Debit } from '../metering.ts';
import type { PaymentEvent } from '../payment-events.ts';
import type { RateState } from '../rate-state.ts';
import type { DebitOnce, IdempotentRequest, Receipt, Replay, StoredResponse } from '../replays.ts';
import type { NewSession, Session, SessionId, SessionRef } from '../sessions.ts';
import type { Challenge } from '../sign-ins.ts';
import * as accounts from './accounts.ts';
import { Admissions } from './admission.ts';
import { debit, grant, refund, takeBack } from './balances.ts';
import { RedisConnection } from './connection.ts';
import { durabilityFaults } from './durability.ts';
import { ANY_ACCOUNT, accountIn, FORM_MARK } from './key-names.ts';
import { changeKey, issueKey, keyRecords } from './keys.ts';
import { Once } from './once.ts';
import { closeEvent, keepEvent, openEvents } from './payment-events.ts';
import { auditOf, exportAccount, grantsOf, importAccount, usageOf } from './records.ts';
import { debitOnce, replay, storeResponse, undeliver } from './replays.ts';
import { importSecrets, secret, secrets } from './secrets.ts';
import { beginSession, endSession, sessionOf, sessionsOf } from './sessions.ts';
import { answerChallenge, keepChallenge, takeLimited } from './sign-ins.ts';

/**
 * Opens a ledger in a Redis. Rejects with `LedgerUnavailable` for one that cannot be reached or
 * used.
 */
export async function openRedisLedger(
  address: RedisAddress,
  { rateLimitPerMinute, warn = (words) => process.emitWarning(words) }: LedgerOptions,
): Promise<Ledger> {
  const redis = await RedisConnection.open(address);
  for (const fault of await durabilityFaults(redis)) warn(`ledger ${address.shown}: ${fault}`);
  try {
    await requireForm(redis);
  } catch (error) {
    await redis.close();
    throw error;
  }
  return new RedisLedger(redis, rateLimitPerMinute, warn);
}

/** Version of the record format. */
const FORM = 1;

/** Marks a new ledger; rejects one written by a newer version of the program. */
async function requireForm(redis: RedisConnection): Promise<void> {
  const form = Number((await redis.ask((client) => client.get(FORM_MARK))) ?? 0);
  if (form > FORM) throw tooNew(redis.shown, form, FORM);
  if (form < FORM) await redis.ask((client) => client.set(FORM_MARK, FORM));
}

/**
 * The ledger shared by many machines. Each step of an account is one script, atomic and in one
 * round trip; Redis logs it before it replies (`appendfsync always`). A debit whose reply is lost
 * is undone. A step across two slots (an address, a key) claims before it uses, so that the next
 * step completes an interrupted one. Rates are counted across all processes that share the ledger.
 */
class RedisLedger implements Ledger {
  readonly #redis: RedisConnection;
  readonly #admissions: Admissions;
  readonly #once: Once;

  constructor(
    redis: RedisConnection,
    rateLimitPerMinute: number,
    warn: NonNullable<LedgerOptions['warn']>,
  ) {
    this.#redis = redis;
    this.#once = new Once(redis, warn);
    this.#admissions = new Admissions(redis, rateLimitPerMinute);
  }

  admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    return this.#admissions.admit(keyHash, nowMs);
  }

  admitSession(session: SessionId, nowMs: number): Promise<Admission> {
    return this.#admissions.admitSession(session, nowMs);
  }

  debit(charge: Charge): Promise<Debit> {
    return debit(this.#redis, this.#once, charge);
  }

  refund(charge: Charge, tokens?: number): Promise<void> {
    return refund(this.#redis, this.#once, charge, tokens);
  }

  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay> {
    return debitOnce(this.#redis, this.#once, charge, request);
  }

  storeResponse(receipt: Receipt, response: StoredResponse): Promise<void> {
    return storeResponse(this.#redis, receipt, response);
  }

  replay(id: AccountId, request: IdempotentRequest, nowMs: number): Promise<Replay | undefined> {
    return replay(this.#redis, this.#once, id, request, nowMs);
  }

  undeliver(receipt: Receipt, undelivered?: number): Promise<void> {
    return undeliver(this.#redis, this.#once, receipt, undelivered);
  }

  openAccount(order: AccountOrder): Promise<{ account: Account; isNew: boolean }> {
    return accounts.openAccount(this.#redis, order);
  }

  account(id: AccountId): Promise<Account | undefined> {
    return accounts.account(this.#redis, id);
  }

  accountByEmail(email: string): Promise<Account | undefined> {
    return accounts.accountByEmail(this.#redis, email);
  }

  async *allAccounts(): AsyncGenerator<Account> {
    for await (const key of this.#redis.keysLike(ANY_ACCOUNT)) {
      const account = await this.account(accountIn(key));
      if (account) yield account;
    }
  }

  setDisabled(id: AccountId, disabled: boolean, by: Change): Promise<void> {
    return accounts.setDisabled(this.#redis, id, disabled, by);
  }

  setMembership(id: AccountId, membership: Membership | null, by: Change): Promise<void> {
    return accounts.setMembership(this.#redis, id, membership, by);
  }

  setCustomer(id: AccountId, customer: string): Promise<void> {
    return accounts.setCustomer(this.#redis, id, customer);
  }

  closeAccount(id: AccountId, by: Change): Promise<void> {
    return accounts.closeAccount(this.#redis, id, by);
  }

  grant(id: AccountId, given: Grant, by: Actor): Promise<{ granted: boolean; balance: number }> {
    return grant(this.#redis, id, given, by);
  }

  takeBack(id: AccountId, given: Grant, by: Actor): Promise<{ taken: number; balance: number }> {
    return takeBack(this.#redis, id, given, by);
  }

  issueKey(order: KeyOrder): Promise<KeyIssue> {
    return issueKey(this.#redis, order);
  }

  async keys(id: AccountId): Promise<ApiKey[]> {
    return (await keyRecords(this.#redis, id)).map(({ hash: _, ...key }) => key);
  }

  revokeKey(id: AccountId, keyId: string, by: Change): Promise<boolean> {
    return changeKey(this.#redis, id, keyId, 'key-revoked', by);
  }

  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean, by: Change): Promise<boolean> {
    return changeKey(this.#redis, id, keyId, disabled ? 'key-disabled' : 'key-enabled', by);
  }

  usage(id: AccountId, days?: { from?: string; to?: string }): Promise<UsageDay[]> {
    return usageOf(this.#redis, id, days);
  }

  grants(id: AccountId): Promise<Grant[]> {
    return grantsOf(this.#redis, id);
  }

  audit(id: AccountId): Promise<AuditEntry[]> {
    return auditOf(this.#redis, id);
  }

  exportAccount(id: AccountId): Promise<AccountRecords | undefined> {
    return exportAccount(this.#redis, id);
  }

  importAccount(records: AccountRecords): Promise<boolean> {
    return importAccount(this.#redis, records);
  }

  formerMailboxes(): Promise<FormerMailbox[]> {
    return accounts.formerMailboxes(this.#redis);
  }

  importFormerMailboxes(mailboxes: readonly FormerMailbox[]): Promise<void> {
    return accounts.importFormerMailboxes(this.#redis, mailboxes);
  }

  keepChallenge(mailbox: string, challenge: Challenge): Promise<void> {
    return keepChallenge(this.#redis, mailbox, challenge);
  }

  answerChallenge(
    mailbox: string,
    response: { readonly codeHash: string } | { readonly linkHash: string },
    nowMs: number,
  ): Promise<boolean> {
    return answerChallenge(this.#redis, mailbox, response, nowMs);
  }

  takeLimited(
    subject: string,
    window: { readonly limit: number; readonly windowSeconds: number },
    nowMs: number,
  ): Promise<{ allowed: boolean; rate: RateState }> {
    return takeLimited(this.#redis, subject, window, nowMs);
  }

  beginSession(id: AccountId, session: NewSession): Promise<'begun' | 'closed'> {
    return beginSession(this.#redis, id, session);
  }

  session(
    ref: SessionRef,
    nowMs: number,
  ): Promise<{ account: Account; session: Session } | undefined> {
    return sessionOf(this.#redis, ref, nowMs);
  }

  sessions(id: AccountId, nowMs: number): Promise<Session[]> {
    return sessionsOf(this.#redis, id, nowMs);
  }

  endSession(id: AccountId, sessionId: string, nowMs: number): Promise<boolean> {
    return endSession(this.#redis, id, sessionId, nowMs);
  }

  keepEvent(event: PaymentEvent): Promise<boolean> {
    return keepEvent(this.#redis, event);
  }

  openEvents(limit: number, offset = 0): Promise<PaymentEvent[]> {
    return openEvents(this.#redis, limit, offset);
  }

  closeEvent(id: string): Promise<void> {
    return closeEvent(this.#redis, id);
  }

  secret(name: string): Promise<string> {
    return secret(this.#redis, name);
  }

  secrets(): Promise<Record<string, string>> {
    return secrets(this.#redis);
  }

  importSecrets(taken: Readonly<Record<string, string>>): Promise<void> {
    return importSecrets(this.#redis, taken);
  }

  async ping(): Promise<void> {
    await this.#redis.ask((client) => client.ping());
  }

  async close(): Promise<void> {
    await this.#once.close();
    await this.#redis.close();
  }
}
