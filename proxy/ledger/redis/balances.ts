import { dayOf, noDebit, requireRefund, requireTokens } from '../bookkeeping.ts';
import type { Charge } from '../metering.ts';
import type { OnRedis } from './connection.ts';
import { keysOf } from './key-names.ts';
import type { Once } from './once.ts';
import { CHARGE, IN_TIME, KNOWN, PASS, script, UNDO_CHARGE } from './script.ts';

export const debit: OnRedis<'debit', [Once]> = async (redis, once, charge) => {
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
};

export const refund: OnRedis<'refund', [Once]> = async (
  redis,
  once,
  charge,
  tokens = charge.tokens,
) => {
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
};

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
