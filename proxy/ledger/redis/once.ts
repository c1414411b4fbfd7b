import { randomBytes } from 'node:crypto';
import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import type { AccountId } from '../accounts.ts';
import { LedgerUnavailable, RefundPending } from '../ledger.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './key-names.ts';
import { PASS, type Script, script, UNDELIVERED, UNDO_CHARGE } from './script.ts';

/** Maximum number of pending refunds, beyond which nothing more is charged. */
const MAX_OWED = 10_000;
/** Refunds that Redis does not acknowledge for this long are logged and given up. */
const OWED_LIFE_MS = 24 * 60 * 60 * 1000;
const RETRY_MS = 250;
/** Maximum number of concurrent refunds sent to a Redis that has just come back. */
const AT_ONCE = 100;
/** How long a closing ledger waits for its pending refunds. */
const CLOSE_MS = 2_000;
const PAUSE_MS = 50;

/**
 * Identifies one change of an account. The changes of a sequence are made one after another, with
 * increasing numbers, and the last number applied is recorded. Thus the change of a given number is
 * applied at most once, and never after a higher one.
 */
export interface ChangeId {
  readonly sequence: string;
  readonly number: number;
}

/** A change that is retried until it is known to have been applied. */
interface Due {
  readonly account: AccountId;
  readonly tokens: number;
  readonly sinceMs: number;
  make(): Promise<unknown>;
  leave(): void;
}

/**
 * Exactly-once changes by id, in case the connection breaks between a change and its reply. A debit
 * whose reply was lost is undone in the background, wherever it is: if it was applied, it is
 * refunded; if it is still in transit, it is barred. A failed refund is retried. A process uses as
 * many sequences per account as it has concurrent changes: usually one.
 */
export class Once {
  readonly #redis: RedisConnection;
  readonly #warn: (words: string) => void;
  readonly #process = randomBytes(6).toString('base64url');
  readonly #sequences = new Map<AccountId, Set<number>>();
  readonly #due = new Set<Due>();
  #lastNumber = 0;
  #isPaying = false;
  #closed = false;

  constructor(redis: RedisConnection, warn: (words: string) => void) {
    this.#redis = redis;
    this.#warn = warn;
  }

  /**
   * Runs a charge script under the next sequence number. If its outcome is unknown, throws
   * `RefundPending` and undoes the charge of the given number of tokens, counted under a field of
   * `usage`.
   */
  async charge<Reply>(
    { account, field, tokens }: { account: AccountId; field: string; tokens: number },
    ask: (id: ChangeId) => Promise<Reply>,
  ): Promise<Reply> {
    if (this.#due.size >= MAX_OWED) {
      const words = `ledger ${this.#redis.shown}: too many refunds are pending`;
      throw new LedgerUnavailable(words);
    }
    const { id, leave } = this.#take(account);
    try {
      const reply = await ask(id);
      leave();
      return reply;
    } catch (error) {
      if (!(error instanceof LedgerUnavailable && error.mayBeDone)) {
        leave();
        throw error;
      }
      const of = keysOf(account);
      const keys = [of.account, of.usage, of.sequences, of.receipts, of.receiptEnds];
      const args = [id.sequence, id.number, this.#next(), field, tokens, of.response('')];
      const make = () => this.#redis.run(UNDO, keys, args);
      this.#owe({ account, tokens, sinceMs: Date.now(), make, leave });
      throw new RefundPending(`${error.message}; any charge will be refunded`, {
        cause: error,
      });
    }
  }

  /**
   * Runs a refund script, which records its sequence number. If the ledger is unavailable, throws
   * `RefundPending` and retries until Redis responds.
   */
  async giveBack<Reply>(
    { account, tokens }: { account: AccountId; tokens: number },
    ask: (id: ChangeId) => Promise<Reply>,
  ): Promise<Reply> {
    const { id, leave } = this.#take(account);
    try {
      const reply = await ask(id);
      leave();
      return reply;
    } catch (error) {
      const isOwed = error instanceof LedgerUnavailable && !this.#closed;
      if (!isOwed || this.#due.size >= 2 * MAX_OWED) {
        leave();
        throw error;
      }
      this.#owe({ account, tokens, sinceMs: Date.now(), make: () => ask(id), leave });
      throw new RefundPending(`${error.message}; ${tokens} tokens will be refunded later`, {
        cause: error,
      });
    }
  }

  /** Waits briefly for pending refunds; logs those that fail. */
  async close(): Promise<void> {
    // Counts pauses instead of time, so that a stall of the event loop leaves time for replies.
    for (let ms = 0; this.#due.size > 0 && ms < CLOSE_MS; ms += PAUSE_MS) await pause(PAUSE_MS);
    this.#closed = true;
    if (this.#due.size > 0) this.#report([...this.#due], 'before it was closed');
  }

  #take(account: AccountId): { id: ChangeId; leave(): void } {
    const taken = getOrInsertComputed(this.#sequences, account, () => new Set());
    let sequence = 0;
    while (taken.has(sequence)) sequence++;
    taken.add(sequence);
    const leave = () => {
      taken.delete(sequence);
      if (taken.size === 0) this.#sequences.delete(account);
    };
    return { id: { sequence: `${this.#process}.${sequence}`, number: this.#next() }, leave };
  }

  /** Next sequence number: higher than any earlier one of this process. */
  #next(): number {
    this.#lastNumber++;
    return this.#lastNumber;
  }

  #owe(due: Due): void {
    this.#due.add(due);
    if (!this.#isPaying) void this.#pay();
  }

  /** Retries pending changes until none are left. Never rejects. */
  async #pay(): Promise<void> {
    this.#isPaying = true;
    while (this.#due.size > 0 && !this.#closed) {
      const some = [...this.#due].slice(0, AT_ONCE);
      const made = await Promise.all(some.map((due) => this.#make(due)));
      if (!made.includes(false)) continue;
      const old = [...this.#due].filter(({ sinceMs }) => Date.now() - sinceMs > OWED_LIFE_MS);
      if (old.length > 0) this.#report(old, 'for a day');
      for (const due of old) this.#settle(due);
      await pause(RETRY_MS);
    }
    this.#isPaying = false;
  }

  /** Attempts a pending change; returns whether it is settled. */
  async #make(due: Due): Promise<boolean> {
    try {
      await due.make();
    } catch (error) {
      if (error instanceof LedgerUnavailable) return false;
      this.#warn(`ledger ${this.#redis.shown}: the refund to ${due.account} failed: ${error}`);
    }
    this.#settle(due);
    return true;
  }

  #settle(due: Due): void {
    this.#due.delete(due);
    due.leave();
  }

  #report(due: readonly Due[], when: string): void {
    const all = due.map(({ account, tokens }) => `${tokens} to ${account}`).join(', ');
    this.#warn(
      `ledger ${this.#redis.shown}: did not respond ${when}; tokens owed, if charged: ${all}`,
    );
  }
}

/** Undoes a charge if it was applied, and bars older sequence numbers. */
const UNDO: Script<0 | 1> = script(
  PASS,
  UNDO_CHARGE,
  UNDELIVERED,
  `
local account, usage, sequences, receipts, receipt_ends = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local sequence, number, field, tokens = ARGV[1], ARGV[2], ARGV[4], tonumber(ARGV[5])
local last, receipt = string.match(redis.call('HGET', sequences, sequence) or '', '^(%d+) %d+ (.*)$')
pass(sequences, sequence, ARGV[3], '')
if last ~= number then return 0 end
if receipt == '' then return undo_charge(account, usage, field, tokens, tokens) end
return undeliver(account, usage, receipts, receipt_ends, ARGV[6] .. receipt, receipt, nil)`,
);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
