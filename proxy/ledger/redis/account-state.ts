import type { Account, AccountId, AuditEntry, Grant, HashedKey } from '../accounts.ts';
import { grantsInOrder, keysInOrder } from '../bookkeeping.ts';
import {
  type AccountState,
  appended,
  apply,
  type Difference,
  difference,
  type Entry,
  isActive,
  type List,
  membershipText,
  readOnce,
} from '../entries.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { WindowState } from '../rate-window.ts';
import { SESSION_LIFE_MS } from '../sessions.ts';
import type { RedisConnection } from './connection.ts';
import { keyEntry, keyOwnerEntry, keysOf } from './key-names.ts';
import { fleeting, script } from './script.ts';

/**
 * Maximum number of attempts to apply an entry. Each failed one means that another change of the
 * account was made.
 */
const MAX_ATTEMPTS = 100;

/** The fields of an account's hash; null and false values are omitted. */
type AccountFields = Readonly<Record<string, string | undefined>>;

export type Command = readonly [name: string, key: string, ...args: string[]];

interface ReadState {
  /** Hash of all records except the balance. */
  readonly digest: string;
  readonly state: AccountState | undefined;
  /** The audit trail, oldest first. */
  readonly audit: List<AuditEntry>;
}

/**
 * Applies an entry to an account by compare-and-set: reads its state, and writes what changes
 * unless the state has changed meanwhile; then reads it again. Entries of an account take turns,
 * since all but one of those at once would read it in vain.
 */
export function post<Reply>(
  redis: RedisConnection,
  id: AccountId,
  entry: Entry<Reply>,
): Promise<Reply> {
  return redis.turns.run(id, () => compareAndSet(redis, id, entry));
}

async function compareAndSet<Reply>(
  redis: RedisConnection,
  id: AccountId,
  entry: Entry<Reply>,
): Promise<Reply> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const read = await readState(redis, id);
    const { after, reply } = apply(entry, read.state, id);
    if (!after) return reply(read.state?.account.balance ?? 0);
    const balance = await writeState(redis, read, after);
    if (balance !== null) return reply(balance);
  }
  const words = `ledger ${redis.shown}: account ${id} has too many changes at once; try again`;
  throw new LedgerUnavailable(words, { isAway: true });
}

export async function readState(redis: RedisConnection, id: AccountId): Promise<ReadState> {
  const [digest, balance, ...texts] = await redis.run(READ_STATE, stateKeysOf(id));
  return { digest, ...stateIn(id, balance, texts) };
}

export function stateIn(
  id: AccountId,
  balance: string | null,
  [fields, keys, uses, revoked, grants, sessions, audit, made]: StateTexts,
): Omit<ReadState, 'digest'> {
  const trail = readOnce(() => inTime(audit.map((text): AuditEntry => JSON.parse(text))));
  if (balance === null) return { state: undefined, audit: trail };
  const state: AccountState = {
    account: accountOf(id, { ...fieldsOf(fields), balance }),
    keys: readOnce(() => {
      const lastUsed = fieldsOf(uses);
      const active = keys.map((text): HashedKey => {
        const key = JSON.parse(text);
        return { ...key, lastUsedAtMs: Number(lastUsed[key.id] ?? 0) || null };
      });
      return keysInOrder([...active, ...revoked.map((text): HashedKey => JSON.parse(text))]);
    }),
    grants: readOnce(() => grantsIn(fieldsOf(grants))),
    sessions: readOnce(() => sessions.map((text) => JSON.parse(text))),
    noted: [],
    keyRate: made === null ? null : windowIn(made),
  };
  return { state, audit: trail };
}

/**
 * Writes what has changed of an account since it was read; returns the new balance, or `null` if
 * its state has changed meanwhile. `more`: further commands of the same step. The entry of a key is
 * written before the key, and removed after it: a key that no account lists is rejected.
 */
export async function writeState(
  redis: RedisConnection,
  read: ReadState,
  after: AccountState,
  more: readonly Command[] = [],
): Promise<number | null> {
  const { digest, state: before } = read;
  const { id, balance } = after.account;
  const had = before?.account.balance ?? 0;
  // An entry that leaves nothing may have taken what there was, and would have taken more.
  const required = balance === 0 ? had : '';
  const keys = difference(before?.keys, after.keys);
  for (const key of keys.added.filter(isActive)) {
    const owner = keyOwnerEntry({ account: id, keyId: key.id });
    await redis.ask((client) => client.set(keyEntry(key.hash), owner));
  }
  const commands = JSON.stringify([...commandsFor(read, after), ...more]);
  const args = [digest, balance - had, required, commands];
  const written = await redis.run(WRITE_STATE, stateKeysOf(id), args);
  if (written === null) return null;
  for (const { hash } of endedKeys(keys)) await redis.ask((client) => client.del(keyEntry(hash)));
  return written;
}

/** Keys that were active and no longer are. */
function endedKeys({ removed, added }: Difference<HashedKey>): readonly HashedKey[] {
  const active = new Set(added.filter(isActive).map(({ hash }) => hash));
  return removed.filter((key) => isActive(key) && !active.has(key.hash));
}

/**
 * The commands that write what has changed of an account, except its balance. Elements of lists are
 * removed by their texts, which are those that they were written with.
 */
function* commandsFor(
  { state: before, audit: trail }: ReadState,
  after: AccountState,
): Generator<Command> {
  const of = keysOf(after.account.id);
  const had = before ? accountTexts(before.account) : {};
  for (const [name, text] of Object.entries(accountTexts(after.account))) {
    if (text === (had[name] ?? '')) continue;
    yield text === '' ? ['HDEL', of.account, name] : ['HSET', of.account, name, text];
  }
  const keys = difference(before?.keys, after.keys);
  for (const key of keys.removed) {
    if (!isActive(key)) yield ['LREM', of.revoked, '1', JSON.stringify(key)];
  }
  for (const { id } of endedKeys(keys)) {
    yield ['HDEL', of.keys, id];
    yield ['HDEL', of.uses, id];
  }
  for (const key of keys.added) {
    const { lastUsedAtMs, ...stored } = key;
    if (!isActive(key)) yield ['LPUSH', of.revoked, JSON.stringify(key)];
    else {
      yield ['HSET', of.keys, key.id, JSON.stringify(stored)];
      if (lastUsedAtMs !== null) yield ['HSET', of.uses, key.id, String(lastUsedAtMs)];
    }
  }
  for (const { cause, tokens, atMs } of difference(before?.grants, after.grants).added) {
    yield ['HSET', of.grants, cause, JSON.stringify({ tokens, atMs })];
  }
  const sessions = difference(before?.sessions, after.sessions);
  for (const { id } of sessions.removed) yield ['HDEL', of.sessions, id];
  for (const session of sessions.added) {
    yield ['HSET', of.sessions, session.id, JSON.stringify(session)];
    yield ['PEXPIRE', of.sessions, String(SESSION_LIFE_MS)];
  }
  const audit = difference(trail, () => appended(trail(), after.noted));
  for (const entry of audit.removed) yield ['LREM', of.audit, '1', JSON.stringify(entry)];
  for (const entry of audit.added) yield ['RPUSH', of.audit, JSON.stringify(entry)];
  if (after.keyRate && after.keyRate !== before?.keyRate) {
    const { startMs, used, endsAtMs } = after.keyRate;
    yield ['SET', of.made, `${startMs} ${used}`, 'PX', String(endsAtMs! - startMs)];
  }
}

/** The fields of an account's hash except its balance; empty: there is none. */
function accountTexts(account: Account): Record<string, string> {
  const { email, membership, disabled, createdAtMs, closedAtMs, customer } = account;
  return {
    email: email ?? '',
    membership: membershipText(membership) ?? '',
    disabled: disabled ? '1' : '',
    createdAtMs: String(createdAtMs),
    closedAtMs: closedAtMs === null ? '' : String(closedAtMs),
    customer: customer ?? '',
  };
}

export function accountOf(id: AccountId, fields: AccountFields): Account {
  const { email = null, membership, disabled, balance, customer = null } = fields;
  const { createdAtMs, closedAtMs } = fields;
  return {
    id,
    email,
    membership: membership === undefined ? null : JSON.parse(membership),
    disabled: disabled !== undefined,
    balance: Number(balance),
    createdAtMs: Number(createdAtMs),
    closedAtMs: closedAtMs === undefined ? null : Number(closedAtMs),
    customer,
  };
}

/** Converts alternating names and values, as a script gets them from HGETALL, to an object. */
export function fieldsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));
}

export function grantsIn(records: Readonly<Record<string, string>>): Grant[] {
  return grantsInOrder(
    Object.entries(records).map(([cause, text]) => ({ cause, ...JSON.parse(text) })),
  );
}

/** Sorts audit entries, oldest first: they may have been recorded out of order. */
export function inTime(audit: readonly AuditEntry[]): AuditEntry[] {
  return [...audit].sort((a, b) => a.atMs - b.atMs);
}

function windowIn(text: string): WindowState {
  const [startMs, used] = text.split(' ').map(Number);
  return { startMs, used };
}

/** The replies that `STATE` collects, except the balance. */
export type StateTexts = [
  ...account: [fields: string[], keys: string[], uses: string[], revoked: string[]],
  ...rest: [grants: string[], sessions: string[], audit: string[], made: string | null],
];

export function stateKeysOf(id: AccountId): string[] {
  const { account, keys, uses, revoked, grants, sessions, audit, made } = keysOf(id);
  return [account, keys, uses, revoked, grants, sessions, audit, made];
}

/**
 * Reads the state of an account. Its balance is separate: debits, refunds and the entries of other
 * processes change it by differences, so that it may change between a read and a write.
 */
export const STATE = `
local fields, balance = redis.call('HGETALL', KEYS[1]), false
for i = 1, #fields, 2 do
  if fields[i] == 'balance' then balance, fields[i + 1] = fields[i + 1], '' end
end
local state = {
  fields,
  redis.call('HVALS', KEYS[2]),
  redis.call('HGETALL', KEYS[3]),
  redis.call('LRANGE', KEYS[4], 0, -1),
  redis.call('HGETALL', KEYS[5]),
  redis.call('HVALS', KEYS[6]),
  redis.call('LRANGE', KEYS[7], 0, -1),
  redis.call('GET', KEYS[8]),
}`;

const DIGEST = `
${STATE}
local digest = redis.sha1hex(cjson.encode(state))`;

const READ_STATE = fleeting<[digest: string, balance: string | null, ...state: StateTexts]>(
  DIGEST,
  'return { digest, balance, unpack(state) }',
);

const WRITE_STATE = script<number | null>(
  DIGEST,
  `
local change, required = tonumber(ARGV[2]), tonumber(ARGV[3])
balance = tonumber(balance or 0)
if digest ~= ARGV[1] or balance + change < 0 or (required and balance ~= required) then return false end
for _, command in ipairs(cjson.decode(ARGV[4])) do redis.call(unpack(command)) end
return redis.call('HINCRBY', KEYS[1], 'balance', ARGV[2])`,
);
