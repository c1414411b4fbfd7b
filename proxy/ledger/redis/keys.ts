import { MAX_ACTIVE_KEYS } from '../../key-limits.ts';
import {
  type AccountId,
  type ApiKey,
  type Change,
  type KeyIssue,
  type KeyOrder,
  WITHOUT_END,
} from '../accounts.ts';
import { keyDetail, membershipDetail } from '../audit-details.ts';
import { requireGrant, signupGrant } from '../bookkeeping.ts';
import { keysInOrder } from '../in-order.ts';
import type { KeyHash } from '../key-hash.ts';
import { newKey } from '../new-key.ts';
import { rateState } from '../rate-state.ts';
import { accountOf, fieldsOf, membershipText, type Opening, withMailbox } from './accounts.ts';
import { keyOwnerEntry } from './admission.ts';
import { orderOf } from './balances.ts';
import type { RedisConnection } from './connection.ts';
import { keyEntry, keysOf } from './key-names.ts';
import { CHANGE_KEY, CLOSED, KNOWN, OPEN, TAKE } from './lua.ts';
import { fleeting, script } from './script.ts';

/** A key with its hash. */
type KeyRecord = ApiKey & { readonly hash: KeyHash };

export async function issueKey(redis: RedisConnection, order: KeyOrder): Promise<KeyIssue> {
  if (order.grant) requireGrant(order.grant);
  const { owner } = order;
  if ('id' in owner) return (await issueTo(redis, owner.id, order, null))!;
  return withMailbox(redis, owner.email, (id, opening) => issueTo(redis, id, order, opening));
}

/**
 * Issues a key for an account, creating the account if `opening` allows; undefined if that account
 * was closed meanwhile. The key's entry is written first, and removed if no key is issued. An entry
 * left by an interrupted call is harmless, since a key that no account lists is rejected.
 */
async function issueTo(
  redis: RedisConnection,
  id: AccountId,
  order: KeyOrder,
  opening: Opening | null,
): Promise<KeyIssue | undefined> {
  const { owner, label, by, atMs } = order;
  const { plainKey, hash, key } = newKey(label, atMs);
  const entry = keyEntry(hash);
  await redis.ask((client) => client.set(entry, keyOwnerEntry({ account: id, keyId: key.id })));
  const { account, keys, grants, audit, made } = keysOf(id);
  const later = order.grant ? orderOf(order.grant) : undefined;
  const signup = opening?.due ? orderOf(signupGrant(atMs)) : undefined;
  const issue = {
    mayOpen: opening !== null,
    disabled: opening?.disabled,
    email: 'id' in owner ? undefined : owner.email?.trim(),
    first: order.grant === undefined ? signup : later,
    later,
    by,
    atMs,
    membership: order.member ? membershipText(WITHOUT_END) : undefined,
    membershipDetail: membershipDetail(WITHOUT_END),
    keyId: key.id,
    key: JSON.stringify({ ...key, hash }),
    keyDetail: keyDetail(key),
    rate: order.rate,
  };
  const remove = () => redis.ask((client) => client.del(entry));
  const reply = await redis.run(
    ISSUE_KEY,
    [account, keys, grants, audit, made],
    [JSON.stringify(issue)],
  );
  if (reply[0] === 'issued') {
    const [, ...flat] = reply;
    const issued = { ...key, lastUsedAtMs: null };
    return { created: true, plainKey, key: issued, account: accountOf(id, fieldsOf(flat)) };
  }
  await remove();
  if (reply[0] === 'unknown') throw new Error(`no account ${id}`);
  if (reply[0] === 'closed' && opening) return undefined;
  if (reply[0] === 'closed' || reply[0] === 'too-many-keys') {
    return { created: false, reason: reply[0] };
  }
  const [reason, used, elapsedMs] = reply;
  return { created: false, reason, rate: rateState(order.rate!, used, elapsedMs) };
}

/** Keys of an account with their hashes, oldest first. */
async function keyRecords(redis: RedisConnection, id: AccountId): Promise<KeyRecord[]> {
  const { keys, uses, revoked } = keysOf(id);
  return keysIn(await redis.run(READ_KEYS, [keys, uses, revoked]));
}

/**
 * Fields of an account's keys that scripts read: active ones, their last uses, and revoked ones.
 */
export type KeyTexts = [keys: string[], uses: string[], revoked: string[]];

export function keysIn([keys, uses, revoked]: KeyTexts): KeyRecord[] {
  const lastUsed = fieldsOf(uses);
  const active = keys.map((text) => {
    const key = JSON.parse(text);
    return { ...key, lastUsedAtMs: Number(lastUsed[key.id] ?? 0) || null };
  });
  return keysInOrder([...active, ...revoked.map((text) => JSON.parse(text))]);
}

/** Keys of an account, oldest first. */
export async function keys(redis: RedisConnection, id: AccountId): Promise<ApiKey[]> {
  return (await keyRecords(redis, id)).map(({ hash: _, ...key }) => key);
}

/**
 * Revokes a key and removes the entry of its hash. Returns `false` if there is no key with this id.
 */
export function revokeKey(
  redis: RedisConnection,
  id: AccountId,
  keyId: string,
  by: Change,
): Promise<boolean> {
  return changeKey(redis, id, keyId, 'key-revoked', by);
}

/** Disables or enables a key. Returns `false` if there is no key with this id. */
export function setKeyDisabled(
  redis: RedisConnection,
  id: AccountId,
  keyId: string,
  disabled: boolean,
  by: Change,
): Promise<boolean> {
  return changeKey(redis, id, keyId, disabled ? 'key-disabled' : 'key-enabled', by);
}

async function changeKey(
  redis: RedisConnection,
  id: AccountId,
  keyId: string,
  what: 'key-revoked' | 'key-disabled' | 'key-enabled',
  { by, atMs }: Change,
): Promise<boolean> {
  const { keys, uses, revoked, audit } = keysOf(id);
  const order = [keyId, what, by, atMs];
  const changed = await redis.run(CHANGE_ONE_KEY, [keys, uses, revoked, audit], order);
  if (changed === null) return false;
  const [hash, isRevoked] = changed;
  if (isRevoked) await redis.ask((client) => client.del(keyEntry(hash)));
  return true;
}

const READ_KEYS = fleeting<KeyTexts>(
  `
return {
  redis.call('HVALS', KEYS[1]),
  redis.call('HGETALL', KEYS[2]),
  redis.call('LRANGE', KEYS[3], 0, -1),
}`,
);

const CHANGE_ONE_KEY = script<[hash: KeyHash, isRevoked: 0 | 1] | null>(
  CHANGE_KEY,
  `
local keys, uses, revoked, audit = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, what = ARGV[1], ARGV[2]
local text = redis.call('HGET', keys, id)
if text then
  local key = cjson.decode(text)
  change_key(keys, uses, revoked, audit, key, what, ARGV[3], tonumber(ARGV[4]))
  return { key.hash, what == 'key-revoked' and 1 or 0 }
end
for _, old in ipairs(redis.call('LRANGE', revoked, 0, -1)) do
  local key = cjson.decode(old)
  if key.id == id then return { key.hash, 1 } end
end
return nil`,
);

/**
 * Applies account, grant, membership and key together, or nothing. A disabled key counts towards
 * the limit.
 */
const ISSUE_KEY = script<
  | [outcome: 'issued', ...fields: string[]]
  | [outcome: 'too-many-keys']
  | [outcome: 'closed']
  | [outcome: 'unknown']
  | [outcome: 'rate-limited', used: number, elapsedMs: number]
>(
  KNOWN,
  CLOSED,
  OPEN,
  TAKE,
  `
local account, keys, grants, audit, made = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local order = cjson.decode(ARGV[1])
local by, at = order.by, order.atMs
if known(account) then
  if is_closed(account) then return { 'closed' } end
  if redis.call('HLEN', keys) >= ${MAX_ACTIVE_KEYS} then return { 'too-many-keys' } end
  if order.rate then
    local allowed, used, elapsed = take(made, order.rate.limit, order.rate.windowSeconds * 1000, at)
    if allowed == 0 then return { 'rate-limited', used, elapsed } end
  end
  if order.later then grant(account, grants, audit, order.later, by) end
elseif order.mayOpen then
  open(account, grants, audit, order.email, order.first, by, at, order.disabled)
else
  return { 'unknown' }
end
if order.membership and redis.call('HGET', account, 'membership') ~= order.membership then
  redis.call('HSET', account, 'membership', order.membership)
  note(audit, { what = 'membership-changed', detail = order.membershipDetail, by = by, atMs = at })
end
redis.call('HSET', keys, order.keyId, order.key)
note(audit, { what = 'key-created', detail = order.keyDetail, by = by, atMs = at })
return { 'issued', unpack(redis.call('HGETALL', account)) }`,
);
