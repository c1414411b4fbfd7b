import { randomUUID } from 'node:crypto';
import type { AccountId } from '../accounts.ts';
import { requireIdempotencyKey, requireTokens } from '../bookkeeping.ts';
import {
  KEPT_BYTES_PER_ACCOUNT,
  KEPT_BYTES_PER_TOKEN,
  RECEIPT_LIFE_MS,
  RESPONSE_LIFE_MS,
  RESPONSE_OVERHEAD,
  type Receipt,
  type Replay,
  type ReplayRecord,
  readStored,
  type StoredResponse,
  storedHeaders,
} from '../replays.ts';
import { usageField } from './balances.ts';
import type { OnRedis, RedisConnection } from './connection.ts';
import { ANY_REPLAY, keysOf, replayIn } from './key-names.ts';
import type { Once } from './once.ts';
import {
  CHARGE,
  COUNT,
  fleeting,
  IN_TIME,
  KNOWN,
  PASS,
  RECEIPT,
  script,
  UNDELIVERED,
} from './script.ts';

export const debitOnce: OnRedis<'debitOnce', [Once]> = async (redis, once, charge, request) => {
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
    of.sequences,
  ];
  const reply = await once.charge({ account, field, tokens }, ({ sequence, number }) =>
    redis.runInTime(DEBIT_ONCE, keys, [
      charge.atMs,
      request.fingerprint,
      sequence,
      number,
      field,
      tokens,
      receipt.id,
      receipt.endsAtMs,
    ]),
  );
  if (reply[0] === 'debited') return { outcome: 'debited', balance: reply[1], receipt };
  if (reply[0] === 'insufficient') return { outcome: 'insufficient', balance: reply[1] };
  return replayOf(redis, once, charge.account, reply);
};

export const replay: OnRedis<'replay', [Once]> = async (redis, once, account, request, nowMs) => {
  const of = keysOf(account);
  const keys = [of.account, of.usage, of.replay(request.key), of.receipts, of.sequences];
  // The receipt determines both the charge and the refund that undoes it.
  const reply = await once.charge({ account, field: '', tokens: 0 }, ({ sequence, number }) =>
    redis.runInTime(REPLAY, keys, [nowMs, request.fingerprint, sequence, number]),
  );
  return reply === null ? undefined : replayOf(redis, once, account, reply);
};

export const storeResponse: OnRedis<'storeResponse'> = (redis, { account, id }, response) => {
  const { gzip } = response;
  if (gzip.length > KEPT_BYTES_PER_ACCOUNT) return Promise.resolve(1);
  const of = keysOf(account);
  const body = Buffer.from(gzip.buffer, gzip.byteOffset, gzip.length);
  return redis.run(
    STORE_RESPONSE,
    [of.receipts, of.response(id), of.kept],
    [id, storedHeaders(response), body, of.response('')],
  );
};

/** `owed`: tokens reported as owed while the refund is pending. */
export async function undeliver(
  redis: RedisConnection,
  once: Once,
  { account, id }: Receipt,
  undelivered?: number,
  owed = undelivered ?? 0,
): Promise<void> {
  if (undelivered !== undefined) requireTokens(undelivered);
  const of = keysOf(account);
  const keys = [of.account, of.usage, of.receipts, of.receiptEnds, of.response(id), of.sequences];
  await once.giveBack({ account, tokens: owed }, ({ sequence, number }) =>
    redis.run(UNDELIVER, keys, [id, undelivered ?? '', sequence, number]),
  );
}

export async function* allReplays(redis: RedisConnection): AsyncGenerator<ReplayRecord> {
  for await (const name of redis.keysLike(ANY_REPLAY)) {
    const { account, key } = replayIn(name);
    const read = await redis.run(READ_REPLAY, [name, keysOf(account).receipts]);
    if (read === null) continue;
    const [id, endsAtMs, fingerprint, deliveries, delivered, repaid, tokens, field] = read;
    const receipt = { account, endsAtMs: Number(endsAtMs), id };
    const [, keyId, route]: string[] = JSON.parse(field);
    const response = await responseOf(redis, receipt);
    const debited = { keyId, route, tokens, deliveries, delivered, repaid };
    const intact = response === 'damaged' ? null : response;
    yield { key, fingerprint, receipt, ...debited, response: intact };
  }
}

export const importReplay: OnRedis<'importReplay'> = async (
  redis,
  { key, fingerprint, receipt, response, ...debited },
) => {
  const of = keysOf(receipt.account);
  const { keyId, route, tokens, deliveries, delivered, repaid } = debited;
  const field = usageField({ atMs: receipt.endsAtMs - RESPONSE_LIFE_MS, keyId, route });
  const isWritten = await redis.run(
    IMPORT_REPLAY,
    [of.account, of.replay(key), of.receipts, of.receiptEnds],
    [receipt.id, receipt.endsAtMs, fingerprint, deliveries, delivered, repaid, tokens, field],
  );
  if (isWritten === 0) return false;
  if (response) await storeResponse(redis, receipt, response);
  return true;
};

type ReplayReply =
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
  reply: ReplayReply,
): Promise<Replay> {
  if (reply[0] === 'conflict') return { outcome: 'conflict' };
  if (reply[0] === 'unpaid')
    return { outcome: 'insufficient', tokens: reply[1], balance: reply[2] };
  const [outcome, balance, tokens, charged, id, endsAtMs] = reply;
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
 * Reads a stored response, separately from the script that starts its delivery: a body of megabytes
 * need not pass through a script. It cannot be removed meanwhile, since that requires every
 * delivery to have ended.
 */
async function responseOf(
  redis: RedisConnection,
  { account, id }: Receipt,
): Promise<StoredResponse | 'damaged' | null> {
  const [headers, gzip] = await redis.ask((client) =>
    client.hmgetBuffer(keysOf(account).response(id), 'head', 'gzip'),
  );
  return headers && gzip ? readStored(headers.toString(), gzip) : null;
}

/** Starts one more delivery of a stored response; charges what was refunded of it. */
const BEGIN_REPLAY = `
${CHARGE}
${RECEIPT}
${PASS}
local function begin_replay(account, usage, replay, receipts, sequences)
  local now, fingerprint, sequence, number = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
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
  pass(sequences, sequence, number, id)
  return { 'replayed', balance, receipt.tokens, repaid, id, ends }
end`;

const REPLAY = script<ReplayReply | null>(
  IN_TIME,
  BEGIN_REPLAY,
  `
if has_passed(KEYS[5], ARGV[3], ARGV[4]) then return undone() end
return begin_replay(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])`,
);

/** Records a debit for replays and refunds, in the place of an earlier one under the same key. */
const KEEP_REPLAY = `
${RECEIPT}
local function keep_replay(replay, receipts, receipt_ends, id, ends, fingerprint, receipt)
  redis.call('SET', replay, id .. ' ' .. ends .. ' ' .. fingerprint, 'PX', ${RESPONSE_LIFE_MS})
  keep_receipt(receipts, id, receipt)
  redis.call('ZADD', receipt_ends, ends, id)
  redis.call('PEXPIRE', receipts, ${RECEIPT_LIFE_MS})
  redis.call('PEXPIRE', receipt_ends, ${RECEIPT_LIFE_MS})
end`;

const READ_REPLAY = fleeting<
  | [
      ...replay: [id: string, endsAtMs: string, fingerprint: string],
      ...receipt: [deliveries: number, delivered: number, repaid: number, tokens: number],
      field: string,
    ]
  | null
>(
  RECEIPT,
  `
local id, ends, fingerprint = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+) (.*)$')
local receipt = id and receipt_of(KEYS[2], id)
if not receipt then return nil end
return { id, ends, fingerprint, receipt.deliveries, receipt.delivered, receipt.repaid, receipt.tokens, receipt.field }`,
);

/** Redis expires an imported entry no earlier than its own. */
const IMPORT_REPLAY = script<0 | 1>(
  KNOWN,
  KEEP_REPLAY,
  `
if known(KEYS[1]) then return 0 end
keep_replay(KEYS[2], KEYS[3], KEYS[4], ARGV[1], ARGV[2], ARGV[3], {
  deliveries = tonumber(ARGV[4]), delivered = tonumber(ARGV[5]),
  repaid = tonumber(ARGV[6]), tokens = tonumber(ARGV[7]), field = ARGV[8],
})
return 1`,
);

/**
 * Entries expire by the caller's clock. Redis expires unused entries by its own, and each debit
 * removes more expired receipts than it adds.
 */
const DEBIT_ONCE = script<
  ReplayReply | [outcome: 'debited', balance: number] | [outcome: 'insufficient', balance: number]
>(
  IN_TIME,
  KNOWN,
  BEGIN_REPLAY,
  KEEP_REPLAY,
  `
local account, usage, replay, receipts, receipt_ends, sequences = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local now, fingerprint, sequence, number = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local field, tokens, id, ends = ARGV[5], tonumber(ARGV[6]), ARGV[7], ARGV[8]
if has_passed(sequences, sequence, number) then return undone() end
local earlier = begin_replay(account, usage, replay, receipts, sequences)
if earlier then return earlier end
local charged, balance = charge(account, usage, field, 1, tokens, now)
if charged == nil then return unknown(account) end
if not charged then return { 'insufficient', balance } end
pass(sequences, sequence, number, id)
keep_replay(replay, receipts, receipt_ends, id, ends, fingerprint,
  { deliveries = 1, delivered = 0, repaid = 0, tokens = tokens, field = field })
local ended = now - ${RECEIPT_LIFE_MS - RESPONSE_LIFE_MS}
for _, old in ipairs(redis.call('ZRANGEBYSCORE', receipt_ends, '-inf', ended, 'LIMIT', 0, 4)) do
  redis.call('ZREM', receipt_ends, old)
  redis.call('HDEL', receipts, old)
end
return { 'debited', balance }`,
);

/**
 * When an account has too much, removes its largest responses down to three quarters of what it may
 * have, since that reads the list of all of them. Returns how many responses were given up.
 */
const STORE_RESPONSE = fleeting<number>(
  RECEIPT,
  `
local receipts, response, kept = KEYS[1], KEYS[2], KEYS[3]
local id, headers, gzip, responses = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local receipt, bytes = receipt_of(receipts, id), #headers + #gzip
if not receipt then return 0 end
if bytes > receipt.tokens * ${KEPT_BYTES_PER_TOKEN} then return 1 end
redis.call('HSET', response, 'head', headers, 'gzip', gzip)
redis.call('PEXPIRE', response, ${RESPONSE_LIFE_MS})
local size = bytes + ${RESPONSE_OVERHEAD}
local is_new = redis.call('HSET', kept, id, size) == 1
local total = redis.call('HINCRBY', kept, 'total', is_new and size or 0)
redis.call('PEXPIRE', kept, ${RESPONSE_LIFE_MS})
if total <= ${KEPT_BYTES_PER_ACCOUNT} then return 0 end
redis.call('HDEL', kept, 'total')
local sizes, all = {}, redis.call('HGETALL', kept)
local given_up = 0
total = 0
for at = 1, #all, 2 do
  if redis.call('EXISTS', responses .. all[at]) == 1 then
    sizes[#sizes + 1] = { id = all[at], bytes = tonumber(all[at + 1]) }
    total = total + sizes[#sizes].bytes
  else
    redis.call('HDEL', kept, all[at])
  end
end
if total > ${KEPT_BYTES_PER_ACCOUNT} then
  table.sort(sizes, function(a, b) return a.bytes > b.bytes end)
  for _, largest in ipairs(sizes) do
    if total <= ${(KEPT_BYTES_PER_ACCOUNT * 3) / 4} then break end
    redis.call('DEL', responses .. largest.id)
    redis.call('HDEL', kept, largest.id)
    total = total - largest.bytes
    given_up = given_up + 1
  end
end
redis.call('HSET', kept, 'total', total)
return given_up`,
);

const UNDELIVER = script<0 | 1>(
  COUNT,
  PASS,
  UNDELIVERED,
  `
local account, usage, receipts, receipt_ends, response_key, sequences = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local sequence, number = ARGV[3], ARGV[4]
if has_passed(sequences, sequence, number) then return 0 end
pass(sequences, sequence, number, '')
return undeliver(account, usage, receipts, receipt_ends, response_key, ARGV[1], tonumber(ARGV[2]))`,
);
