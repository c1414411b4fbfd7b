import { randomUUID } from 'node:crypto';
import type { AccountId } from '../accounts.ts';
import * as entries from '../entries.ts';
import { hashMailbox, mailboxOf, storableMailbox } from '../mailbox.ts';
import { accountOf, post, readState } from './account-state.ts';
import type { OnRedis, RedisConnection } from './connection.ts';
import { endDelay } from './delayed-grants.ts';
import { DISABLED_MAILBOXES, FORMER_MAILBOXES, keysOf, mailboxEntry } from './key-names.ts';
import { script } from './script.ts';

export const openAccount: OnRedis<'openAccount'> = async (redis, order) => {
  return withMailbox(redis, order.email, async (id, opening) => {
    const opened = await post(redis, id, entries.openAccount(order, opening));
    return opened.account.closedAtMs === null ? opened : undefined;
  });
};

export const issueKey: OnRedis<'issueKey'> = async (redis, order) => {
  const { owner } = order;
  if ('id' in owner) return post(redis, owner.id, entries.issueKey(order, null));
  return withMailbox(redis, owner.email, async (id, opening) => {
    const issue = await post(redis, id, entries.issueKey(order, opening));
    return !issue.created && issue.reason === 'closed' ? undefined : issue;
  });
};

/**
 * Calls `use` with the account id of a mailbox. The first claimant of a mailbox reserves the id,
 * and the next one creates the account if the first died in between. If `use` finds the account
 * closed, the mailbox is released and claimed again.
 */
async function withMailbox<T>(
  redis: RedisConnection,
  email: string | null,
  use: (id: AccountId, opening: entries.Opening) => Promise<T | undefined>,
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

export const account: OnRedis<'account'> = async (redis, id) => {
  const fields = await redis.ask((client) => client.hgetall(keysOf(id).account));
  return fields.createdAtMs === undefined ? undefined : accountOf(id, fields);
};

export const accountByEmail: OnRedis<'accountByEmail'> = async (redis, email) => {
  const id = await redis.ask((client) => client.get(mailboxEntry(mailboxOf(email))));
  const found = id === null ? undefined : await account(redis, id);
  // An account whose closing was interrupted before releasing its mailbox owns nothing.
  return found?.closedAtMs === null ? found : undefined;
};

/**
 * Closes an account. Its mailbox is recorded before the account is closed, and released afterwards,
 * so that no one claims it in between.
 */
export const closeAccount: OnRedis<'closeAccount'> = async (redis, id, change) => {
  const { state } = await readState(redis, id);
  const left = state && entries.mailboxLeft(state);
  if (left) await redis.ask((client) => client.sadd(FORMER_MAILBOXES, left.hash));
  await post(redis, id, entries.closeAccount(change));
  await endDelay(redis, id);
  const email = state?.account.email;
  if (email) await leaveMailbox(redis, mailboxOf(email), id);
};

export const keys: OnRedis<'keys'> = async (redis, id) => {
  const { state } = await readState(redis, id);
  return state?.keys().map(({ hash: _, ...key }) => key) ?? [];
};

export const formerMailboxes: OnRedis<'formerMailboxes'> = async (redis) => {
  const [hashes, disabled] = await Promise.all([
    redis.ask((client) => client.smembers(FORMER_MAILBOXES)),
    redis.ask((client) => client.smembers(DISABLED_MAILBOXES)),
  ]);
  const isDisabled = new Set(disabled);
  return hashes.map((hash) => ({ hash, disabled: isDisabled.has(hash) }));
};

/**
 * Imports mailboxes of closed accounts. A disabled mailbox is recorded as disabled first, so that
 * the next import completes an interrupted one.
 */
export const importFormerMailboxes: OnRedis<'importFormerMailboxes'> = async (redis, mailboxes) => {
  for (const { hash, disabled } of mailboxes) {
    if ((await redis.ask((client) => client.sismember(FORMER_MAILBOXES, hash))) === 1) continue;
    if (disabled) await redis.ask((client) => client.sadd(DISABLED_MAILBOXES, hash));
    await redis.ask((client) => client.sadd(FORMER_MAILBOXES, hash));
  }
};

const LEAVE_MAILBOX = script<0 | 1>(
  `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
);
