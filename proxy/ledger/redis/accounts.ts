import { randomUUID } from 'node:crypto';
import type {
  Account,
  AccountId,
  AccountOrder,
  AuditEntry,
  Change,
  FormerMailbox,
  Membership,
} from '../accounts.ts';
import { membershipDetail } from '../audit-details.ts';
import { signupGrant } from '../bookkeeping.ts';
import { isGrantDelayed } from '../delayed-grants.ts';
import type { KeyHash } from '../key-hash.ts';
import { hashMailbox, mailboxOf, storableMailbox } from '../mailbox.ts';
import { orderOf } from './balances.ts';
import type { RedisConnection } from './connection.ts';
import { endDelay } from './delayed-grants.ts';
import {
  DISABLED_MAILBOXES,
  FORMER_MAILBOXES,
  keyEntry,
  keysOf,
  mailboxEntry,
} from './key-names.ts';
import { CHANGE_KEY, CLOSED, KNOWN, NOTE, OPEN } from './lua.ts';
import { script } from './script.ts';

/** The fields of an account's hash; null values are omitted. */
type AccountFields = Readonly<Record<string, string | undefined>>;

export async function openAccount(
  redis: RedisConnection,
  order: AccountOrder,
): Promise<{ account: Account; isNew: boolean }> {
  const { by, atMs } = order;
  return withMailbox(redis, order.email, async (id, { due, disabled }) => {
    const { account, grants, audit } = keysOf(id);
    const signup = due ? (order.signupGrant ?? signupGrant(atMs)) : null;
    const given = order.grant === undefined ? signup : order.grant;
    const email = order.email?.trim();
    const first = given ? orderOf(given) : undefined;
    const opened = { email, by, atMs, given: first, disabled };
    const [is, ...flat] = await redis.run(
      OPEN_ACCOUNT,
      [account, grants, audit],
      [JSON.stringify(opened)],
    );
    if (is === 'closed') return undefined;
    return { account: accountOf(id, fieldsOf(flat)), isNew: is === 'new' };
  });
}

/** Entitlements of a mailbox, given its previous account. */
export interface Opening {
  /** Whether a new account gets the sign-up grant. */
  readonly due: boolean;
  readonly disabled: boolean;
}

/**
 * Calls `use` with the account id of a mailbox. The first claimant of a mailbox reserves the id,
 * and the next one creates the account if the first died in between. If `use` finds the account
 * closed, the mailbox is released and claimed again.
 */
export async function withMailbox<T>(
  redis: RedisConnection,
  email: string | null,
  use: (id: AccountId, opening: Opening) => Promise<T | undefined>,
): Promise<T> {
  if (email === null) return (await use(randomUUID(), { due: true, disabled: false }))!;
  const mailbox = storableMailbox(email);
  for (;;) {
    const id = await claimMailbox(redis, mailbox, randomUUID());
    // Read after the claim: a closing account records its mailbox here before releasing it.
    const hash = hashMailbox(mailbox);
    const [hadOne, disabled] = await Promise.all([
      redis.ask((client) => client.sismember(FORMER_MAILBOXES, hash)),
      redis.ask((client) => client.sismember(DISABLED_MAILBOXES, hash)),
    ]);
    const used = await use(id, { due: hadOne === 0, disabled: disabled === 1 });
    if (used !== undefined) return used;
    await leaveMailbox(redis, mailbox, id);
  }
}

/** Claims a mailbox for an account, unless it has an owner; returns the owner. */
export async function claimMailbox(
  redis: RedisConnection,
  mailbox: string,
  id: AccountId,
): Promise<AccountId> {
  const earlier = await redis.ask((client) => client.set(mailboxEntry(mailbox), id, 'NX', 'GET'));
  return earlier ?? id;
}

/**
 * Releases the mailbox of a closed account. Before it can be claimed, records whether the account
 * is disabled: that cannot have changed while it was being closed.
 */
async function leaveMailbox(redis: RedisConnection, mailbox: string, id: AccountId): Promise<void> {
  const [hash, left] = [hashMailbox(mailbox), await account(redis, id)];
  await redis.ask((client) =>
    left?.disabled ? client.sadd(DISABLED_MAILBOXES, hash) : client.srem(DISABLED_MAILBOXES, hash),
  );
  await redis.run(LEAVE_MAILBOX, [mailboxEntry(mailbox)], [id]);
}

export async function account(redis: RedisConnection, id: AccountId): Promise<Account | undefined> {
  const fields = await redis.ask((client) => client.hgetall(keysOf(id).account));
  return fields.createdAtMs === undefined ? undefined : accountOf(id, fields);
}

export async function accountByEmail(
  redis: RedisConnection,
  email: string,
): Promise<Account | undefined> {
  const id = await redis.ask((client) => client.get(mailboxEntry(mailboxOf(email))));
  const found = id === null ? undefined : await account(redis, id);
  // An account whose closing was interrupted before releasing its mailbox owns nothing.
  return found?.closedAtMs === null ? found : undefined;
}

export function setDisabled(
  redis: RedisConnection,
  id: AccountId,
  disabled: boolean,
  change: Change,
): Promise<void> {
  const what = disabled ? 'account-disabled' : 'account-enabled';
  return setField(redis, id, 'disabled', disabled ? '1' : '', { what, detail: '', ...change });
}

export function setMembership(
  redis: RedisConnection,
  id: AccountId,
  membership: Membership | null,
  change: Change,
): Promise<void> {
  return setField(redis, id, 'membership', membershipText(membership), {
    what: 'membership-changed',
    detail: membershipDetail(membership),
    ...change,
  });
}

export function setCustomer(redis: RedisConnection, id: AccountId, customer: string) {
  return setField(redis, id, 'customer', customer);
}

async function setField(
  redis: RedisConnection,
  id: AccountId,
  field: keyof Account,
  text: string,
  entry?: AuditEntry,
): Promise<void> {
  const { account, audit } = keysOf(id);
  await redis.run(SET_FIELD, [account, audit], [field, text, entry ? JSON.stringify(entry) : '']);
}

export async function closeAccount(
  redis: RedisConnection,
  id: AccountId,
  { by, atMs }: Change,
): Promise<void> {
  const { account: at, keys, uses, revoked, sessions, audit } = keysOf(id);
  const found = await account(redis, id);
  const mailbox = found?.email ? mailboxOf(found.email) : null;
  const causes = await redis.ask((client) => client.hkeys(keysOf(id).grants));
  const isOwed = isGrantDelayed(causes) && found?.disabled === false;
  if (mailbox !== null && !isOwed) {
    await redis.ask((client) => client.sadd(FORMER_MAILBOXES, hashMailbox(mailbox)));
  }
  const ended = [at, keys, uses, revoked, sessions, audit];
  for (const hash of await redis.run(CLOSE_ACCOUNT, ended, [by, atMs])) {
    await redis.ask((client) => client.del(keyEntry(hash)));
  }
  await endDelay(redis, id);
  if (mailbox !== null) await leaveMailbox(redis, mailbox, id);
}

export async function formerMailboxes(redis: RedisConnection): Promise<FormerMailbox[]> {
  const [hashes, disabled] = await Promise.all([
    redis.ask((client) => client.smembers(FORMER_MAILBOXES)),
    redis.ask((client) => client.smembers(DISABLED_MAILBOXES)),
  ]);
  const isDisabled = new Set(disabled);
  return hashes.map((hash) => ({ hash, disabled: isDisabled.has(hash) }));
}

/**
 * Imports mailboxes of closed accounts. A disabled mailbox is recorded as disabled first, so that
 * the next import completes an interrupted one.
 */
export async function importFormerMailboxes(
  redis: RedisConnection,
  mailboxes: readonly FormerMailbox[],
): Promise<void> {
  for (const { hash, disabled } of mailboxes) {
    if ((await redis.ask((client) => client.sismember(FORMER_MAILBOXES, hash))) === 1) continue;
    if (disabled) await redis.ask((client) => client.sadd(DISABLED_MAILBOXES, hash));
    await redis.ask((client) => client.sadd(FORMER_MAILBOXES, hash));
  }
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

export function membershipText(membership: Membership | null): string {
  if (!membership) return '';
  const { status, untilMs, renewsAtMs, subscription } = membership;
  return JSON.stringify({ status, untilMs, renewsAtMs, subscription });
}

/** Converts alternating names and values, as a script gets them from HGETALL, to an object. */
export function fieldsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));
}

const OPEN_ACCOUNT = script<['new' | 'known' | 'closed', ...fields: string[]]>(
  KNOWN,
  CLOSED,
  OPEN,
  `
local account, grants, audit = KEYS[1], KEYS[2], KEYS[3]
local order = cjson.decode(ARGV[1])
local is = 'known'
if not known(account) then
  open(account, grants, audit, order.email, order.given, order.by, order.atMs, order.disabled)
  is = 'new'
elseif is_closed(account) then
  is = 'closed'
end
return { is, unpack(redis.call('HGETALL', account)) }`,
);

const LEAVE_MAILBOX = script<0 | 1>(
  `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
);

/**
 * Sets a field, or removes it for an empty text, and records that in the audit trail; does nothing
 * if unchanged.
 */
const SET_FIELD = script<0 | 1>(
  KNOWN,
  NOTE,
  `
local account, audit = KEYS[1], KEYS[2]
local field, text, entry = ARGV[1], ARGV[2], ARGV[3]
if not known(account) then return unknown(account) end
if (redis.call('HGET', account, field) or '') == text then return 0 end
if text == '' then redis.call('HDEL', account, field) else redis.call('HSET', account, field, text) end
if entry ~= '' then note(audit, cjson.decode(entry)) end
return 1`,
);

/** Closes an account; returns the hashes of its keys, which are no longer valid. */
const CLOSE_ACCOUNT = script<KeyHash[]>(
  KNOWN,
  CLOSED,
  CHANGE_KEY,
  `
local account, keys, uses, revoked, sessions, audit = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local by, at = ARGV[1], tonumber(ARGV[2])
if not known(account) then return unknown(account) end
if is_closed(account) then return {} end
redis.call('HDEL', account, 'email', 'membership')
redis.call('HSET', account, 'closedAtMs', ARGV[2])
local hashes = {}
for _, text in ipairs(redis.call('HVALS', keys)) do
  local key = cjson.decode(text)
  change_key(keys, uses, revoked, audit, key, 'key-revoked', by, at)
  table.insert(hashes, key.hash)
end
redis.call('DEL', sessions)
note(audit, { what = 'account-closed', detail = '', by = by, atMs = at })
return hashes`,
);
