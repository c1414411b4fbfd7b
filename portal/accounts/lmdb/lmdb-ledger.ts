import { randomBytes } from 'node:crypto';
import { open, type RootDatabase } from 'lmdb';
import type {
  Account,
  AccountId,
  ApiKey,
  Grant,
  KeyCreation,
  KeyIssue,
  KeyOrder,
  UsageDay,
} from '../accounts.ts';
import { type Ledger, LedgerUnavailable } from '../ledger.ts';
import type { Admission, Charge, Debit, KeyHash } from '../metering.ts';
import { RateWindow } from '../rate-window.ts';
import type { DebitOnce, IdempotentRequest, KeptAnswer, Receipt, Replay } from '../replays.ts';
import { accountIdByEmail, createAccount } from './accounts.ts';
import { debit, grant, grantsOf, refund, usageOf } from './balances.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, MAX_TABLES, openBooks } from './books.ts';
import { unavailable } from './failure.ts';
import { CommitFailed, GroupCommit } from './group-commit.ts';
import { changeKey, createKey, issueKey, keysOf } from './keys.ts';
import { claimLedgerFolder, PRIVATE_FILE } from './ledger-folder.ts';
import { debitOnce, keepAnswer, replay, undeliver } from './replays.ts';

export interface LmdbLedgerOptions {
  readonly rateLimitPerMinute: number;
}

/** Opens, or creates, a ledger in a folder. A folder that cannot be used is a `LedgerUnavailable`. */
export async function openLmdbLedger(
  directory: string,
  options: LmdbLedgerOptions,
): Promise<Ledger> {
  try {
    await claimLedgerFolder(directory);
    return new LmdbLedger(directory, options);
  } catch (error) {
    throw unavailable(directory, error);
  }
}

/**
 * The ledger of one machine: LMDB, memory-mapped. Reads are function calls; writes that come in the
 * same turn of the event loop share a commit, and commits share an fsync. Several processes may have
 * it open. Rates are counted in each process.
 */
class LmdbLedger implements Ledger {
  readonly #directory: string;
  readonly #root: RootDatabase;
  readonly #books: Books;
  readonly #rates: RateWindow;
  readonly #commits: GroupCommit;
  #closed = false;

  constructor(directory: string, { rateLimitPerMinute }: LmdbLedgerOptions) {
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
    this.#commits = new GroupCommit(this.#root, this.#books);
    this.#rates = new RateWindow(rateLimitPerMinute);
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    const found = this.#read(() => {
      const key = this.#books.keys.get(keyHash);
      return key && { key, account: this.#books.accounts.get(key.account) };
    });
    if (!found?.account || found.key.revoked) return { outcome: 'invalid-key' };
    const { key, account } = found;
    if (key.disabled || account.disabled) return { outcome: 'account-disabled' };
    const { allowed, rate } = this.#rates.take(key.account, nowMs);
    const { member, balance } = account;
    if (!allowed) return { outcome: 'rate-limited', member, balance, rate };
    return { outcome: 'admitted', account: key.account, keyId: key.id, member, balance, rate };
  }

  debit(charge: Charge): Promise<Debit> {
    return this.#write((batch) => debit(batch, charge));
  }

  refund(charge: Charge, tokens?: number): Promise<void> {
    return this.#write((batch) => refund(batch, charge, tokens));
  }

  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay> {
    return this.#write((batch) => debitOnce(batch, charge, request));
  }

  keepAnswer(receipt: Receipt, answer: KeptAnswer): Promise<void> {
    return this.#write((batch) => keepAnswer(batch, receipt, answer));
  }

  async replay(
    account: AccountId,
    request: IdempotentRequest,
    nowMs: number,
  ): Promise<Replay | undefined> {
    // Mostly there is none: only one that is given again is written down.
    if (this.#read(() => !this.#books.replays.doesExist([account, request.key]))) return undefined;
    return this.#write((batch) => replay(batch, account, request, nowMs));
  }

  undeliver(receipt: Receipt, undelivered?: number): Promise<void> {
    return this.#write((batch) => undeliver(batch, receipt, undelivered));
  }

  createAccount(account: { email: string | null; member?: boolean }): Promise<Account> {
    return this.#write((batch) => createAccount(batch, account, Date.now()));
  }

  async account(id: AccountId): Promise<Account | undefined> {
    const record = this.#read(() => this.#books.accounts.get(id));
    return record && { id, ...record };
  }

  async accountByEmail(email: string): Promise<Account | undefined> {
    const id = this.#read(() => accountIdByEmail(this.#books, email));
    return id === undefined ? undefined : this.account(id);
  }

  setMember(id: AccountId, member: boolean): Promise<void> {
    return this.#write((batch) => {
      batch.account(id).member = member;
    });
  }

  setDisabled(id: AccountId, disabled: boolean): Promise<void> {
    return this.#write((batch) => {
      batch.account(id).disabled = disabled;
    });
  }

  grant(id: AccountId, given: Grant): Promise<{ granted: boolean; balance: number }> {
    return this.#write((batch) => grant(batch, id, given));
  }

  createKey(id: AccountId, label: string, nowMs: number): Promise<KeyCreation> {
    return this.#write((batch) => createKey(batch, id, label, nowMs));
  }

  issueKey(order: KeyOrder): Promise<KeyIssue> {
    return this.#write((batch) => issueKey(batch, order));
  }

  async keys(id: AccountId): Promise<ApiKey[]> {
    return this.#read(() => keysOf(this.#books, id));
  }

  revokeKey(id: AccountId, keyId: string): Promise<boolean> {
    return this.#write((batch) => changeKey(batch, id, keyId, { revoked: true }));
  }

  setKeyDisabled(id: AccountId, keyId: string, disabled: boolean): Promise<boolean> {
    return this.#write((batch) => changeKey(batch, id, keyId, { disabled }));
  }

  async *allAccounts(): AsyncGenerator<Account> {
    const ids = this.#read(() => [...this.#books.accounts.getKeys()]);
    for (const id of ids) {
      const account = await this.account(id);
      if (account) yield account;
    }
  }

  async usage(id: AccountId): Promise<UsageDay[]> {
    return this.#read(() => usageOf(this.#books, id));
  }

  async grants(id: AccountId): Promise<Grant[]> {
    return this.#read(() => grantsOf(this.#books, id));
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

  async ping(): Promise<void> {
    this.#read(() => this.#books.accounts.get(''));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#commits.finished();
    await this.#root.close();
  }

  async #write<T>(change: (batch: LedgerBatch) => T): Promise<T> {
    if (this.#closed) throw this.#closedError();
    try {
      return await this.#commits.apply(change);
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
