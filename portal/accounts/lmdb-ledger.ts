import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { type Database, open, type RootDatabase } from 'lmdb';
import { apiKeyPrefix, hashApiKey, mintApiKey } from './api-key.ts';
import { CommitFailed, GroupCommit } from './group-commit.ts';
import {
  type Account,
  type AccountId,
  type Admission,
  type ApiKey,
  type Charge,
  type Debit,
  type Grant,
  type KeyHash,
  type Ledger,
  LedgerUnavailable,
  MAX_ACTIVE_KEYS,
  type UsageDay,
} from './ledger.ts';
import type { Books, KeyRecord, LedgerBatch } from './lmdb-batch.ts';
import { RateWindow } from './rate-window.ts';

export interface LmdbLedgerOptions {
  readonly rateLimitPerMinute: number;
}

/** Where each table keeps the shapes of its records, so that a record is its values alone. */
const STRUCTURES = Symbol.for('structures');

/** Opens, or creates, a ledger in a folder. A folder that cannot be used is a `LedgerUnavailable`. */
export async function openLmdbLedger(
  directory: string,
  options: LmdbLedgerOptions,
): Promise<Ledger> {
  try {
    await mkdir(directory, { recursive: true });
    return new LmdbLedger(directory, options);
  } catch (error) {
    throw unavailable(directory, error);
  }
}

/**
 * The ledger of one machine: LMDB, memory-mapped. Reads are function calls; writes that come in the
 * same turn of the event loop share a commit, and commits share an fsync. Several processes may have it open. Rates are counted in each process.
 */
class LmdbLedger implements Ledger {
  readonly #directory: string;
  readonly #root: RootDatabase;
  readonly #books: Books;
  readonly #rates: RateWindow;
  readonly #commits: GroupCommit;
  #closed = false;

  constructor(directory: string, options: LmdbLedgerOptions) {
    this.#directory = directory;
    this.#root = open({
      path: directory,
      noSubdir: false,
      maxDbs: 8,
      // With overlapping syncs, a process that opens the ledger can set back a commit that another
      // has made and not yet synced: debits would be lost after they were acknowledged.
      overlappingSync: false,
      // Changes are gathered in GroupCommit. lmdb would begin batches of its own, each with a promise
      // that nobody holds: a commit that fails rejects it, and that ends the process.
      eventTurnBatching: false,
    });
    this.#books = {
      accounts: this.#database('accounts'),
      emails: this.#database('emails'),
      keys: this.#database('keys'),
      keysOfAccount: this.#database('keys-of-account'),
      grants: this.#database('grants'),
      usage: this.#database('usage'),
      secrets: this.#database('secrets'),
    };
    this.#commits = new GroupCommit(this.#root, this.#books);
    this.#rates = new RateWindow(options.rateLimitPerMinute);
  }

  #database<Value, Key extends string | string[]>(name: string): Database<Value, Key> {
    return this.#root.openDB<Value, Key>({ name, sharedStructuresKey: STRUCTURES });
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    const found = this.#read(() => {
      const key = this.#books.keys.get(keyHash);
      return key && { key, account: this.#books.accounts.get(key.account) };
    });
    if (!found?.account || found.key.revoked) return { outcome: 'invalid-key' };
    const { key, account } = found;
    if (account.disabled) return { outcome: 'account-disabled' };
    const { allowed, rate } = this.#rates.take(key.account, nowMs);
    if (!allowed) return { outcome: 'rate-limited', rate };
    return {
      outcome: 'admitted',
      account: key.account,
      keyId: key.id,
      member: account.member,
      balance: account.balance,
      rate,
    };
  }

  debit(charge: Charge): Promise<Debit> {
    return this.#write((batch) => {
      requireTokens(charge.tokens);
      const account = batch.account(charge.account);
      if (account.balance < charge.tokens) {
        return { outcome: 'insufficient', balance: account.balance };
      }
      const usage = batch.usage(charge.account, dayOf(charge.atMs), charge.keyId);
      account.balance -= charge.tokens;
      usage.requests++;
      usage.tokens += charge.tokens;
      return { outcome: 'debited', balance: account.balance };
    });
  }

  refund(charge: Charge): Promise<void> {
    return this.#write((batch) => {
      requireTokens(charge.tokens);
      const account = batch.account(charge.account);
      const usage = batch.usage(charge.account, dayOf(charge.atMs), charge.keyId);
      if (usage.requests < 1 || usage.tokens < charge.tokens) {
        throw new Error(`no debit of ${charge.tokens} tokens to refund to ${charge.account}`);
      }
      account.balance += charge.tokens;
      usage.requests--;
      usage.tokens -= charge.tokens;
    });
  }

  createAccount({ email, member = false }: { email: string | null; member?: boolean }) {
    return this.#write((batch): Account => {
      const address = email === null ? null : normaliseEmail(email);
      if (address !== null && batch.books.emails.get(address) !== undefined) {
        throw new Error(`${address} has an account already`);
      }
      const id = randomUUID();
      if (address !== null) batch.books.emails.put(address, id);
      const account = batch.create(id, {
        email: address,
        member,
        disabled: false,
        balance: 0,
        createdAtMs: Date.now(),
      });
      return { id, ...account };
    });
  }

  async account(id: AccountId): Promise<Account | undefined> {
    const record = this.#read(() => this.#books.accounts.get(id));
    return record && { id, ...record };
  }

  async accountByEmail(email: string): Promise<Account | undefined> {
    const id = this.#read(() => this.#books.emails.get(normaliseEmail(email)));
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

  grant(id: AccountId, grant: Grant): Promise<{ granted: boolean; balance: number }> {
    return this.#write((batch) => {
      requireTokens(grant.tokens);
      const account = batch.account(id);
      if (batch.books.grants.get([id, grant.cause]) !== undefined) {
        return { granted: false, balance: account.balance };
      }
      batch.books.grants.put([id, grant.cause], { tokens: grant.tokens, atMs: grant.atMs });
      account.balance += grant.tokens;
      return { granted: true, balance: account.balance };
    });
  }

  createKey(id: AccountId, label: string, nowMs: number): ReturnType<Ledger['createKey']> {
    return this.#write((batch) => {
      batch.account(id);
      const active = this.#keyRecords(id).filter(([, record]) => !record.revoked);
      if (active.length >= MAX_ACTIVE_KEYS) return { created: false, reason: 'too-many-keys' };
      const plainKey = mintApiKey();
      const record: KeyRecord = {
        account: id,
        id: randomUUID(),
        prefix: apiKeyPrefix(plainKey),
        label,
        createdAtMs: nowMs,
        revoked: false,
      };
      batch.books.keys.put(hashApiKey(plainKey), record);
      batch.books.keysOfAccount.put([id, record.id], hashApiKey(plainKey));
      return { created: true, plainKey, key: publicKey(record) };
    });
  }

  async keys(id: AccountId): Promise<ApiKey[]> {
    return this.#read(() => this.#keyRecords(id))
      .map(([, record]) => publicKey(record))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  }

  revokeKey(id: AccountId, keyId: string): Promise<boolean> {
    return this.#write((batch) => {
      const hash = batch.books.keysOfAccount.get([id, keyId]);
      const record = hash && batch.books.keys.get(hash);
      if (!hash || !record) return false;
      batch.books.keys.put(hash, { ...record, revoked: true });
      return true;
    });
  }

  async *allAccounts(): AsyncGenerator<Account> {
    const ids = this.#read(() => [...this.#books.accounts.getKeys()]);
    for (const id of ids) {
      const account = await this.account(id);
      if (account) yield account;
    }
  }

  async usage(id: AccountId): Promise<UsageDay[]> {
    return this.#read(() => entriesOf(this.#books.usage, id))
      .map(([[, day, keyId], record]) => ({ day, keyId, ...record }))
      .filter((usage) => usage.requests > 0);
  }

  async grants(id: AccountId): Promise<Grant[]> {
    return this.#read(() => entriesOf(this.#books.grants, id))
      .map(([[, cause], record]) => ({ cause, ...record }))
      .sort((a, b) => a.atMs - b.atMs || (a.cause < b.cause ? -1 : 1));
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

  #keyRecords(id: AccountId): [KeyHash, KeyRecord][] {
    return entriesOf(this.#books.keysOfAccount, id).map(([, hash]) => [
      hash,
      this.#books.keys.get(hash)!,
    ]);
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

function entriesOf<Value>(database: Database<Value, string[]>, account: AccountId) {
  // Array keys sort by their elements; no element sorts after this one.
  const range = database.getRange({ start: [account], end: [account, '\u{10ffff}'] });
  return Array.from(range, ({ key, value }): [string[], Value] => [key, value]);
}

/** One charge that is no number would leave an account without a balance. */
function requireTokens(tokens: number): void {
  if (!Number.isSafeInteger(tokens) || tokens < 0) {
    throw new RangeError(`tokens are a whole number from 0, not ${tokens}`);
  }
}

function publicKey({ id, prefix, label, createdAtMs, revoked }: KeyRecord): ApiKey {
  return { id, prefix, label, createdAtMs, revoked };
}

function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The UTC day of a moment. Requests come in order, so the last answer mostly serves again. */
function dayOf(atMs: number): string {
  const number = Math.floor(atMs / 86_400_000);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(atMs).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}
let lastDay = { number: -1, text: '' };

function unavailable(directory: string, error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const advice =
    code === 'EACCES' || /permission denied/i.test(message)
      ? 'permission denied; let this user write to it'
      : code === 'ENOSPC' || /no space|file too large|MDB_MAP_FULL/i.test(message)
        ? 'the disk is full; free some space'
        : `cannot be used (${message})`;
  return new LedgerUnavailable(`ledger ${directory}: ${advice}`, { cause: error });
}
