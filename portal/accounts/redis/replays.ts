import { randomUUID } from 'node:crypto';
import type { AccountId } from '../accounts.ts';
import { requireIdempotencyKey, requireTokens } from '../bookkeeping.ts';
import type { Charge } from '../metering.ts';
import {
  type DebitOnce,
  type IdempotentRequest,
  MAX_KEPT_BYTES,
  RECEIPT_LIFE_MS,
  RESPONSE_LIFE_MS,
  type Receipt,
  type Replay,
  type StoredResponse,
} from '../replays.ts';
import { usageField } from './balances.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './key-names.ts';
import { CHARGE, COUNT, IN_TIME, KNOWN, PASS, RECEIPT, UNDELIVERED } from './lua.ts';
import type { Once } from './once.ts';
import { fleeting, script } from './script.ts';

/** Charges for an answer, unless one was charged for already. */
export async function debitOnce(
  redis: RedisConnection,
  once: Once,
  charge: Charge,
  request: IdempotentRequest,
): Promise<DebitOnce | Replay> {
  requireIdempotencyKey(request);
  requireTokens(charge.tokens);
  const { account, tokens } = charge;
  const field = usageField(charge);
  const of = keysOf(charge.account);
  const receipt = {
    account: charge.account,
    endsAtMs: charge.atMs + RESPONSE_LIFE_MS,
    id: randomUUID(),
  };
  const keys = [
    of.account,
    of.usage,
    of.replay(request.key),
    of.receipts,
    of.receiptEnds,
    of.lanes,
  ];
  const said = await once.charge({ account, field, tokens }, ({ lane, number }) =>
    redis.runInTime(DEBIT_ONCE, keys, [
      charge.atMs,
      request.fingerprint,
      lane,
      number,
      field,
      tokens,
      receipt.id,
      receipt.endsAtMs,
    ]),
  );
  if (said[0] === 'debited') return { outcome: 'debited', balance: said[1], receipt };
  if (said[0] === 'insufficient') return { outcome: 'insufficient', balance: said[1] };
  return replayOf(redis, once, charge.account, said);
}

/** The answer that is kept for a request, with one more delivery of it begun. */
export async function replay(
  redis: RedisConnection,
  once: Once,
  account: AccountId,
  request: IdempotentRequest,
  nowMs: number,
): Promise<Replay | undefined> {
  const of = keysOf(account);
  const keys = [of.account, of.usage, of.replay(request.key), of.receipts, of.lanes];
  // It charges what a receipt says, and is undone by that.
  const said = await once.charge({ account, field: '', tokens: 0 }, ({ lane, number }) =>
    redis.runInTime(REPLAY, keys, [nowMs, request.fingerprint, lane, number]),
  );
  return said === null ? undefined : replayOf(redis, once, account, said);
}

/** Keeps the answer of a debit that still stands. */
export async function storeResponse(
  redis: RedisConnection,
  { account, id }: Receipt,
  { headers, gzip }: StoredResponse,
): Promise<void> {
  if (gzip.length > MAX_KEPT_BYTES) return;
  const { receipts, respond: answer } = keysOf(account);
  const body = Buffer.from(gzip.buffer, gzip.byteOffset, gzip.length);
  await redis.run(KEEP_ANSWER, [receipts, answer(id)], [id, JSON.stringify(headers), body]);
}

/**
 * Records a failed delivery; when all deliveries failed, refunds the share that none delivered.
 * `owed`: description of the debt while that is impossible.
 */
export async function undeliver(
  redis: RedisConnection,
  once: Once,
  { account, id }: Receipt,
  undelivered?: number,
  owed = undelivered ?? 0,
): Promise<void> {
  if (undelivered !== undefined) requireTokens(undelivered);
  const of = keysOf(account);
  const keys = [of.account, of.usage, of.receipts, of.receiptEnds, of.respond(id), of.lanes];
  await once.giveBack({ account, tokens: owed }, ({ lane, number }) =>
    redis.run(UNDELIVER, keys, [id, undelivered ?? '', lane, number]),
  );
}

type SaidOfReplay =
  | [outcome: 'conflict']
  | [outcome: 'unpaid', tokens: number, balance: number]
  | [
      outcome: 'replayed',
      ...cost: [balance: number, tokens: number, charged: number],
      ...receipt: [id: string, endsAtMs: string],
    ];

async function replayOf(
  redis: RedisConnection,
  once: Once,
  account: AccountId,
  said: SaidOfReplay,
): Promise<Replay> {
  if (said[0] === 'conflict') return { outcome: 'conflict' };
  if (said[0] === 'unpaid') return { outcome: 'insufficient', tokens: said[1], balance: said[2] };
  const [outcome, balance, tokens, charged, id, endsAtMs] = said;
  const receipt = { account, endsAtMs: Number(endsAtMs), id };
  try {
    const response = await responseOf(redis, receipt);
    return { outcome, balance, tokens, charged, receipt, response };
  } catch (error) {
    await undeliver(redis, once, receipt, undefined, charged);
    throw error;
  }
}

/**
 * Apart from the step that begins a delivery: a body of megabytes need not go through a script. It
 * cannot go meanwhile, for that takes the end of every delivery.
 */
async function responseOf(
  redis: RedisConnection,
  { account, id }: Receipt,
): Promise<StoredResponse | null> {
  const [headers, gzip] = await redis.ask((client) =>
    client.hmgetBuffer(keysOf(account).respond(id), 'headers', 'gzip'),
  );
  return headers && gzip ? { headers: JSON.parse(headers.toString()), gzip } : null;
}

/** Begins one more delivery of what is kept; charges what was repaid of it. */
const BEGIN_REPLAY = `
${CHARGE}
${RECEIPT}
${PASS}
local function begin_replay(account, usage, replay, receipts, lanes)
  local now, fingerprint, lane, number = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
  local id, ends, of = string.match(redis.call('GET', replay) or '', '^(%S+) (%S+) (.*)$')
  if not id or tonumber(ends) <= now then return nil end
  local receipt = receipt_of(receipts, id)
  if not receipt then return nil end
  if of ~= fingerprint then return { 'conflict' } end
  local repaid = receipt.repaid
  local charged, balance = charge(account, usage, receipt.field, 0, repaid, 0)
  if not charged then return { 'unpaid', repaid, balance } end
  receipt.deliveries, receipt.repaid = receipt.deliveries + 1, 0
  keep_receipt(receipts, id, receipt)
  pass(lanes, lane, number, id)
  return { 'replayed', balance, receipt.tokens, repaid, id, ends }
end`;

const REPLAY = script<SaidOfReplay | null>(
  IN_TIME,
  BEGIN_REPLAY,
  `
if has_passed(KEYS[5], ARGV[3], ARGV[4]) then return undone() end
return begin_replay(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])`,
);

/**
 * Entries expire by the caller's clock. Redis expires unused entries by its own, and each debit
 * removes more expired receipts than it adds.
 */
const DEBIT_ONCE = script<
  SaidOfReplay | [outcome: 'debited', balance: number] | [outcome: 'insufficient', balance: number]
>(
  IN_TIME,
  KNOWN,
  BEGIN_REPLAY,
  `
local account, usage, replay, receipts, receipt_ends, lanes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, fingerprint, lane, number = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local field, tokens, id, ends = ARGV[5], tonumber(ARGV[6]), ARGV[7], ARGV[8]
if has_passed(lanes, lane, number) then return undone() end
local earlier = begin_replay(account, usage, replay, receipts, lanes)
if earlier then return earlier end
local charged, balance = charge(account, usage, field, 1, tokens, now)
if charged == nil then return unknown(account) end
if not charged then return { 'insufficient', balance } end
pass(lanes, lane, number, id)
redis.call('SET', replay, id .. ' ' .. ends .. ' ' .. fingerprint, 'PX', ${RESPONSE_LIFE_MS})
keep_receipt(receipts, id, { deliveries = 1, delivered = 0, repaid = 0, tokens = tokens, field = field })
redis.call('ZADD', receipt_ends, ends, id)
local ended = now - ${RECEIPT_LIFE_MS - RESPONSE_LIFE_MS}
for _, old in ipairs(redis.call('ZRANGEBYSCORE', receipt_ends, '-inf', ended, 'LIMIT', 0, 4)) do
  redis.call('ZREM', receipt_ends, old)
  redis.call('HDEL', receipts, old)
end
redis.call('PEXPIRE', receipts, ${RECEIPT_LIFE_MS})
redis.call('PEXPIRE', receipt_ends, ${RECEIPT_LIFE_MS})
return { 'debited', balance }`,
);

const KEEP_ANSWER = fleeting<0 | 1>(
  `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], 'headers', ARGV[2], 'gzip', ARGV[3])
return redis.call('PEXPIRE', KEYS[2], ${RESPONSE_LIFE_MS})`,
);

const UNDELIVER = script<0 | 1>(
  COUNT,
  PASS,
  UNDELIVERED,
  `
local account, usage, receipts, receipt_ends, answer, lanes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local lane, number = ARGV[3], ARGV[4]
if has_passed(lanes, lane, number) then return 0 end
pass(lanes, lane, number, '')
return undeliver(account, usage, receipts, receipt_ends, answer, ARGV[1], tonumber(ARGV[2]))`,
);
