import type { AccountId } from '../accounts.ts';
import type { AccountRecord, Books, UsageRecord } from './books.ts';

/**
 * Working set of one transaction: a record touched by many changes is read and written once. Valid
 * only inside the transaction.
 */
export class LedgerBatch {
  readonly books: Books;
  readonly #accounts = new Map<AccountId, AccountRecord>();
  readonly #usage = new Map<string, { key: string[]; record: UsageRecord }>();

  constructor(books: Books) {
    this.books = books;
  }

  /** The account, to read and to change. An unknown one is an error. */
  account(id: AccountId): AccountRecord {
    let account = this.#accounts.get(id);
    if (!account) {
      const stored = this.books.accounts.get(id);
      if (!stored) throw new Error(`no account ${id}`);
      account = { ...stored };
      this.#accounts.set(id, account);
    }
    return account;
  }

  create(id: AccountId, account: AccountRecord): AccountRecord {
    this.#accounts.set(id, account);
    return account;
  }

  /** The count of a key's day on a route, to read and to change. */
  usage(account: AccountId, day: string, keyId: string, route: string): UsageRecord {
    const name = `${account}/${day}/${keyId}/${route}`;
    let entry = this.#usage.get(name);
    if (!entry) {
      const key = [account, day, keyId, route];
      const stored = this.books.usage.get(key);
      entry = { key, record: stored ? { ...stored } : { requests: 0, tokens: 0, lastAtMs: 0 } };
      this.#usage.set(name, entry);
    }
    return entry.record;
  }

  /** Writes what was changed. */
  store(): void {
    for (const [id, account] of this.#accounts) this.books.accounts.put(id, account);
    for (const { key, record } of this.#usage.values()) this.books.usage.put(key, record);
  }
}
