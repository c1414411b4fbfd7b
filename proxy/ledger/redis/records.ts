import {
  type Account,
  type AccountId,
  type AccountRecords,
  type AuditEntry,
  type Grant,
  MAX_REVOKED_KEPT,
  type UsageDay,
} from '../accounts.ts';
import { importedDelay } from '../delayed-grants.ts';
import { grantsInOrder, usageInOrder } from '../in-order.ts';
import { storableMailbox } from '../mailbox.ts';
import { accountOf, claimMailbox, fieldsOf, membershipText } from './accounts.ts';
import { keyOwnerEntry } from './admission.ts';
import { grantRecord } from './balances.ts';
import type { RedisConnection } from './connection.ts';
import { delayedGrant, delayGrant } from './delayed-grants.ts';
import { keyEntry, keysOf } from './key-names.ts';
import { type KeyTexts, keysIn } from './keys.ts';
import { KNOWN, USAGE } from './lua.ts';
import { fleeting, script } from './script.ts';

/** A text that sorts after every day and month. */
const WITHOUT_LAST = '~';

function monthOf(day: string): string {
  return day.slice(0, 'YYYY-MM'.length);
}

/** Usage by day, key and route; reads only the months of the requested days. */
export async function usage(
  redis: RedisConnection,
  id: AccountId,
  { from = '', to = WITHOUT_LAST }: { readonly from?: string; readonly to?: string } = {},
): Promise<UsageDay[]> {
  const { usage } = keysOf(id);
  const span = [monthOf(from), monthOf(to)];
  const counts = await redis.run(READ_USAGE, [usage], span);
  return usageInOrder(usageIn(counts)).filter(({ day }) => day >= from && day <= to);
}

/** Grants of an account, oldest first. */
export async function grants(redis: RedisConnection, id: AccountId): Promise<Grant[]> {
  return grantsIn(await redis.ask((client) => client.hgetall(keysOf(id).grants)));
}

/** Audit trail of an account, newest first. */
export async function audit(redis: RedisConnection, id: AccountId): Promise<AuditEntry[]> {
  return auditIn(await redis.ask((client) => client.lrange(keysOf(id).audit, 0, -1))).reverse();
}

/** A consistent snapshot of everything about an account. */
export async function exportAccount(
  redis: RedisConnection,
  id: AccountId,
): Promise<AccountRecords | undefined> {
  const { account, keys, uses, revoked, grants, usage, audit } = keysOf(id);
  const names = [account, grants, usage, audit, keys, uses, revoked];
  const [fields, given, counts, entries, ...texts] = await redis.run(READ_BOOKS, names);
  if (fields.length === 0) return undefined;
  return {
    account: accountOf(id, fieldsOf(fields)),
    keys: keysIn(texts),
    grants: grantsIn(fieldsOf(given)),
    usage: usageInOrder(usageIn(counts)),
    audit: auditIn(entries),
    delayedGrant: (await delayedGrant(redis, id)) ?? null,
  };
}

/**
 * Imports an account: claims its address, writes the entries of its keys, then its records in one
 * step. The next import completes an interrupted one.
 */
export async function importAccount(
  redis: RedisConnection,
  records: AccountRecords,
): Promise<boolean> {
  const { id, email } = records.account;
  const { account, keys, uses, revoked, grants, usage, audit } = keysOf(id);
  if ((await redis.ask((client) => client.exists(account))) === 1) return false;
  if (email !== null && (await claimMailbox(redis, storableMailbox(email), id)) !== id)
    return false;
  const active = records.keys.filter((key) => key.revokedAtMs === null);
  const ended = records.keys.filter((key) => key.revokedAtMs !== null);
  ended.sort((a, b) => b.revokedAtMs! - a.revokedAtMs!);
  for (const key of active) {
    const entry = keyOwnerEntry({ account: id, keyId: key.id });
    await redis.ask((client) => client.set(keyEntry(key.hash), entry));
  }
  const written = {
    [account]: accountFields(records.account),
    [keys]: active.flatMap(({ lastUsedAtMs: _, ...key }) => [key.id, JSON.stringify(key)]),
    [uses]: active.flatMap(({ id, lastUsedAtMs }) => (lastUsedAtMs ? [id, `${lastUsedAtMs}`] : [])),
    [grants]: records.grants.flatMap((given) => [given.cause, grantRecord(given)]),
    [usage]: records.usage.flatMap(({ day, keyId, route, requests, tokens, lastAtMs }) => [
      JSON.stringify([day, keyId, route]),
      `${requests} ${tokens} ${lastAtMs}`,
    ]),
    [revoked]: ended.slice(0, MAX_REVOKED_KEPT).map((key) => JSON.stringify(key)),
    [audit]: records.audit.map((entry) => JSON.stringify(entry)),
  };
  const names = Object.keys(written);
  const delay = importedDelay(records);
  if (delay) await delayGrant(redis, id, delay);
  const isWritten = await redis.run(WRITE_BOOKS, names, Object.values(written).map(packed));
  return isWritten === 1;
}

function packed(texts: readonly string[]): string {
  return JSON.stringify(texts);
}

function accountFields(account: Account): string[] {
  const { email, membership, disabled, balance, createdAtMs, closedAtMs, customer } = account;
  const fields = {
    email,
    membership: membershipText(membership),
    disabled: disabled ? '1' : '',
    balance: String(balance),
    createdAtMs: String(createdAtMs),
    customer,
    closedAtMs: closedAtMs === null ? '' : String(closedAtMs),
  };
  return Object.entries(fields).flatMap(([name, text]) => (text ? [name, text] : []));
}

function usageIn(months: readonly (readonly string[])[]): UsageDay[] {
  return months
    .flatMap((month) => Object.entries(fieldsOf(month)))
    .map(([field, count]) => {
      const [day, keyId, route]: string[] = JSON.parse(field);
      const [requests, tokens, lastAtMs] = count.split(' ').map(Number);
      return { day, keyId, route, requests, tokens, lastAtMs };
    });
}

function grantsIn(records: Readonly<Record<string, string>>): Grant[] {
  return grantsInOrder(
    Object.entries(records).map(([cause, text]) => ({ cause, ...JSON.parse(text) })),
  );
}

/** Parses audit entries and sorts them, oldest first: they may have been recorded out of order. */
function auditIn(texts: readonly string[]): AuditEntry[] {
  const entries = texts.map((text): AuditEntry => JSON.parse(text));
  return entries.sort((a, b) => a.atMs - b.atMs);
}

const READ_USAGE = fleeting<string[][]>(USAGE, 'return usage_of(KEYS[1], ARGV[1], ARGV[2])');

const READ_BOOKS = fleeting<
  [account: string[], grants: string[], usage: string[][], audit: string[], ...keys: KeyTexts]
>(
  USAGE,
  `
local counts = usage_of(KEYS[3], '', '${WITHOUT_LAST}')
return {
  redis.call('HGETALL', KEYS[1]),
  redis.call('HGETALL', KEYS[2]),
  counts,
  redis.call('LRANGE', KEYS[4], 0, -1),
  redis.call('HVALS', KEYS[5]),
  redis.call('HGETALL', KEYS[6]),
  redis.call('LRANGE', KEYS[7], 0, -1),
}`,
);

/** Writes the hashes of an account, its usage, and then its lists, each given as a JSON array. */
const WRITE_BOOKS = script<0 | 1>(
  KNOWN,
  USAGE,
  `
if known(KEYS[1]) then return 0 end
for i = 1, 4 do
  local texts = cjson.decode(ARGV[i])
  for at = 1, #texts, 2 do redis.call('HSET', KEYS[i], texts[at], texts[at + 1]) end
end
local usage = cjson.decode(ARGV[5])
for at = 1, #usage, 2 do count(KEYS[5], usage[at], counted(usage[at + 1])) end
for i = 6, 7 do
  for _, entry in ipairs(cjson.decode(ARGV[i])) do redis.call('RPUSH', KEYS[i], entry) end
end
return 1`,
);
