import type { AccountId, Actor, Grant } from '../accounts.ts';
import { grantDetail } from '../audit-details.ts';
import { dayOf, noDebit, requireGrant, requireRefund, requireTokens } from '../bookkeeping.ts';
import type { Charge, Debit } from '../metering.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './key-names.ts';
import { CHARGE, GRANT, IN_TIME, KNOWN, NOTE, PASS, UNDO_CHARGE } from './lua.ts';
import type { Once } from './once.ts';
import { script } from './script.ts';

export async function debit(redis: RedisConnection, once: Once, charge: Charge): Promise<Debit> {
  const { account: id, tokens, atMs } = charge;
  requireTokens(tokens);
  const { account, usage, sequences } = keysOf(id);
  const field = usageField(charge);
  const [isDebited, balance] = await once.charge({ account: id, field, tokens }, (change) =>
    redis.runInTime(
      DEBIT,
      [account, usage, sequences],
      [field, tokens, atMs, change.sequence, change.number],
    ),
  );
  return { outcome: isDebited ? 'debited' : 'insufficient', balance };
}

export async function refund(
  redis: RedisConnection,
  once: Once,
  charge: Charge,
  tokens = charge.tokens,
): Promise<void> {
  requireRefund(charge, tokens);
  const { account, usage, sequences } = keysOf(charge.account);
  const field = usageField(charge);
  const isRefunded = await once.giveBack(
    { account: charge.account, tokens },
    ({ sequence, number }) =>
      redis.run(
        REFUND,
        [account, usage, sequences],
        [field, charge.tokens, tokens, sequence, number],
      ),
  );
  if (!isRefunded) throw noDebit(charge);
}

export async function grant(
  redis: RedisConnection,
  id: AccountId,
  given: Grant,
  by: Actor,
): Promise<{ granted: boolean; balance: number }> {
  const { account, grants, audit } = keysOf(id);
  const order = [grantOrder(given), by];
  const [granted, balance] = await redis.run(BOOK_GRANT, [account, grants, audit], order);
  return { granted: granted === 1, balance };
}

export async function takeBack(
  redis: RedisConnection,
  id: AccountId,
  given: Grant,
  by: Actor,
): Promise<{ taken: number; balance: number }> {
  requireGrant(given);
  const { account, grants, audit } = keysOf(id);
  const { tokens, cause, atMs } = given;
  const order = [tokens, cause, atMs, by];
  const [taken, balance] = await redis.run(TAKE_BACK, [account, grants, audit], order);
  return { taken, balance };
}

/** A grant in the JSON form that `GRANT` takes. */
function grantOrder(given: Grant): string {
  return JSON.stringify(orderOf(given));
}

export function orderOf(given: Grant) {
  requireGrant(given);
  const { tokens, cause, atMs } = given;
  return { tokens, cause, atMs, record: grantRecord(given), detail: grantDetail(given) };
}

export function grantRecord({ tokens, atMs }: Grant): string {
  return JSON.stringify({ tokens, atMs });
}

/** Field of the usage hash for the day, key and route of a charge. */
export function usageField(of: Pick<Charge, 'atMs' | 'keyId' | 'route'>): string {
  return JSON.stringify([dayOf(of.atMs), of.keyId, of.route]);
}

const DEBIT = script<[isDebited: 0 | 1, balance: number]>(
  IN_TIME,
  KNOWN,
  CHARGE,
  PASS,
  `
local account, usage, sequences = KEYS[1], KEYS[2], KEYS[3]
local field, tokens, at, sequence, number = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
if has_passed(sequences, sequence, number) then return undone() end
local charged, balance = charge(account, usage, field, 1, tokens, at)
if charged == nil then return unknown(account) end
if charged then pass(sequences, sequence, number, '') end
return { charged and 1 or 0, balance }`,
);

const REFUND = script<0 | 1>(
  KNOWN,
  PASS,
  UNDO_CHARGE,
  `
local account, usage, sequences = KEYS[1], KEYS[2], KEYS[3]
local field, charged, tokens, sequence, number = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
if not known(account) then return unknown(account) end
if has_passed(sequences, sequence, number) then return 1 end
local undone = undo_charge(account, usage, field, charged, tokens)
if undone == 1 then pass(sequences, sequence, number, '') end
return undone`,
);

const BOOK_GRANT = script<[granted: 0 | 1, balance: number]>(
  KNOWN,
  GRANT,
  `
local account, grants, audit = KEYS[1], KEYS[2], KEYS[3]
if not known(account) then return unknown(account) end
local granted = grant(account, grants, audit, cjson.decode(ARGV[1]), ARGV[2])
return { granted and 1 or 0, tonumber(redis.call('HGET', account, 'balance')) }`,
);

const TAKE_BACK = script<[taken: number, balance: number]>(
  KNOWN,
  NOTE,
  `
local account, grants, audit = KEYS[1], KEYS[2], KEYS[3]
local tokens, cause, at, by = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
if not known(account) then return unknown(account) end
local balance = tonumber(redis.call('HGET', account, 'balance'))
if redis.call('HEXISTS', grants, cause) == 1 then return { 0, balance } end
local taken = math.min(tokens, balance)
-- Not -taken, which is -0 for nothing.
redis.call('HSET', grants, cause, string.format('{"tokens":%.0f,"atMs":%s}', 0 - taken, at))
local detail = string.format('%.0f of %s, %s', taken, ARGV[1], cause)
note(audit, { what = 'tokens-taken-back', detail = detail, by = by, atMs = tonumber(at) })
return { taken, redis.call('HINCRBY', account, 'balance', 0 - taken) }`,
);
