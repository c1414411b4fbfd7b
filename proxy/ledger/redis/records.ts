import { randomBytes } from 'node:crypto';
import type { UsageDay } from '../accounts.ts';
import { usageInOrder } from '../bookkeeping.ts';
import { importedState } from '../entries.ts';
import { storableMailbox } from '../mailbox.ts';
import {
  type Command,
  fieldsOf,
  grantsIn,
  inTime,
  readState,
  STATE,
  type StateTexts,
  stateIn,
  stateKeysOf,
  writeState,
} from './account-state.ts';
import { claimMailbox } from './accounts.ts';
import type { OnRedis } from './connection.ts';
import { delayedGrant, delayGrant } from './delayed-grants.ts';
import { keysOf, SECRETS } from './key-names.ts';
import { fleeting, USAGE } from './script.ts';

/** A text that sorts after every day and month. */
const WITHOUT_LAST = '~';

function monthOf(day: string): string {
  return day.slice(0, 'YYYY-MM'.length);
}

/** Usage by day, key and route; reads only the months of the requested days. */
export const usage: OnRedis<'usage'> = async (redis, id, { from = '', to = WITHOUT_LAST } = {}) => {
  const { usage } = keysOf(id);
  const span = [monthOf(from), monthOf(to)];
  const counts = await redis.run(READ_USAGE, [usage], span);
  return usageInOrder(usageIn(counts)).filter(({ day }) => day >= from && day <= to);
};

export const grants: OnRedis<'grants'> = async (redis, id) => {
  return grantsIn(await redis.ask((client) => client.hgetall(keysOf(id).grants)));
};

export const audit: OnRedis<'audit'> = async (redis, id) => {
  const texts = await redis.ask((client) => client.lrange(keysOf(id).audit, 0, -1));
  return inTime(texts.map((text) => JSON.parse(text))).reverse();
};

export const exportAccount: OnRedis<'exportAccount'> = async (redis, id) => {
  const names = [...stateKeysOf(id), keysOf(id).usage];
  const [counts, balance, ...texts] = await redis.run(READ_RECORDS, names);
  const { state, audit } = stateIn(id, balance, texts);
  if (!state) return undefined;
  return {
    account: state.account,
    keys: state.keys(),
    grants: state.grants(),
    usage: usageInOrder(usageIn(counts)),
    audit: audit(),
    delayedGrant: (await delayedGrant(redis, id)) ?? null,
  };
};

/**
 * Imports an account: claims its address, then writes the entries of its keys and its records. The
 * next import completes an interrupted one.
 */
export const importAccount: OnRedis<'importAccount'> = async (redis, records) => {
  const { id, email } = records.account;
  const read = await readState(redis, id);
  if (read.state) return false;
  if (email !== null && (await claimMailbox(redis, storableMailbox(email), id)) !== id)
    return false;
  if (records.delayedGrant) await delayGrant(redis, id, records.delayedGrant);
  const { usage } = keysOf(id);
  const counts = records.usage.flatMap((used): Command[] => {
    const { day, keyId, route, requests, tokens, lastAtMs } = used;
    const field = JSON.stringify([day, keyId, route]);
    return [
      ['SADD', `${usage}:months`, monthOf(day)],
      ['HSET', `${usage}:${monthOf(day)}`, field, `${requests} ${tokens} ${lastAtMs}`],
    ];
  });
  return (await writeState(redis, read, importedState(records), counts)) !== null;
};

/** Returns a secret by its name, created on first use by only one of concurrent callers. */
export const secret: OnRedis<'secret'> = async (redis, name) => {
  await importSecrets(redis, { [name]: randomBytes(32).toString('base64url') });
  return (await secrets(redis))[name];
};

export const secrets: OnRedis<'secrets'> = (redis) =>
  redis.ask((client) => client.hgetall(SECRETS));

export const importSecrets: OnRedis<'importSecrets'> = async (redis, taken) => {
  for (const [name, text] of Object.entries(taken)) {
    await redis.ask((client) => client.hsetnx(SECRETS, name, text));
  }
};

function usageIn(months: readonly (readonly string[])[]): UsageDay[] {
  return months
    .flatMap((month) => Object.entries(fieldsOf(month)))
    .map(([field, count]) => {
      const [day, keyId, route]: string[] = JSON.parse(field);
      const [requests, tokens, lastAtMs] = count.split(' ').map(Number);
      return { day, keyId, route, requests, tokens, lastAtMs };
    });
}

const READ_USAGE = fleeting<string[][]>(USAGE, 'return usage_of(KEYS[1], ARGV[1], ARGV[2])');

const READ_RECORDS = fleeting<[usage: string[][], balance: string | null, ...state: StateTexts]>(
  STATE,
  USAGE,
  `return { usage_of(KEYS[9], '', '${WITHOUT_LAST}'), balance, unpack(state) }`,
);
