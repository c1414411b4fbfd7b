import { createHash } from 'node:crypto';

/** A Lua script and the type of its reply: one atomic step of the ledger. */
export interface Script<Reply> {
  readonly lua: string;
  readonly sha1: string;
  /** Whether its writes have to be on replicas before they count, if the ledger has any. */
  readonly isLasting: boolean;
  /** Carries the type of the reply for the compiler; never set. */
  readonly reply?: Reply;
}

/**
 * Joins parts into a script: shared ones first, then its own. A script may touch the keys it is
 * given; those of one account share a slot. Numbers above 2⁵³ do not occur. Lua formats a number of
 * more than 14 digits correctly only as an argument of `redis.call` or with an explicit format.
 */
export function script<Reply>(...parts: readonly string[]): Script<Reply> {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex'), isLasting: true };
}

/** A script that writes nothing, or nothing whose loss matters. */
export function fleeting<Reply>(...parts: readonly string[]): Script<Reply> {
  return { ...script(...parts), isLasting: false };
}

/**
 * Prefix of the error reply of a script that started after its caller's deadline, before Redis's
 * time.
 */
export const LATE = 'LATE ';

/** Prefix of the error reply of a script that refuses its arguments. */
export const REFUSED = 'REFUSED ';

/** Lifetime of an unused sequence: two days, since ids are looked up within one. */
const SEQUENCE_LIFE_SECONDS = 2 * 24 * 60 * 60;
/** Number of added sequences after which unused ones are removed. */
const PRUNE_INTERVAL = 16;

// Lua shared by several scripts.

/**
 * Guards operations that must not run after their caller has given up, such as a debit queued in a
 * stalled Redis. The last argument is the deadline by Redis's clock.
 */
export const IN_TIME = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if now_ms > tonumber(ARGV[#ARGV]) then
  return redis.error_reply('${LATE}' .. string.format('%.0f', now_ms))
end`;

export const KNOWN = `
local function known(account)
  return redis.call('EXISTS', account) == 1
end
local function unknown(account)
  return redis.error_reply('${REFUSED}no account ' .. string.match(account, '{(.*)}'))
end`;

/** Adds to the counts of a key's day on a route, in the hash of its month. */
export const COUNT = `
local function counted(text)
  local requests, tokens, last = string.match(text or '0 0 0', '(%S+) (%S+) (%S+)')
  return tonumber(requests), tonumber(tokens), tonumber(last)
end
local function month_of(field)
  return string.sub(field, 3, 9)
end
local function used(usage, field)
  return counted(redis.call('HGET', usage .. ':' .. month_of(field), field))
end
local function count(usage, field, more_requests, more_tokens, at)
  local month = month_of(field)
  local requests, tokens, last = used(usage, field)
  local is_new = redis.call('HSET', usage .. ':' .. month, field,
    string.format('%.0f %.0f %.0f', requests + more_requests, tokens + more_tokens, math.max(last, at)))
  if is_new == 1 then redis.call('SADD', usage .. ':months', month) end
end`;

/** Reads usage from one month to another: fields and values alternating, one list per month. */
export const USAGE = `
${COUNT}
local function usage_of(usage, from, to)
  local found = {}
  for _, month in ipairs(redis.call('SMEMBERS', usage .. ':months')) do
    if month >= from and month <= to then
      found[#found + 1] = redis.call('HGETALL', usage .. ':' .. month)
    end
  end
  return found
end`;

/**
 * Debits tokens from an account, all or nothing. Returns whether it did, and the balance; nil for
 * an unknown account.
 */
export const CHARGE = `
${COUNT}
local function charge(account, usage, field, requests, tokens, at)
  local balance = tonumber(redis.call('HGET', account, 'balance'))
  if not balance then return nil end
  if balance < tokens then return false, balance end
  count(usage, field, requests, tokens, at)
  return true, redis.call('HINCRBY', account, 'balance', 0 - tokens)
end`;

/**
 * Refunds tokens of a charge; a full refund also uncounts its request. Returns whether the charge
 * exists.
 */
export const UNDO_CHARGE = `
${COUNT}
local function undo_charge(account, usage, field, charged, tokens)
  local requests, used_tokens = used(usage, field)
  if requests < 1 or used_tokens < charged then return 0 end
  redis.call('HINCRBY', account, 'balance', string.format('%.0f', tokens))
  count(usage, field, tokens == charged and -1 or 0, -tokens, 0)
  return 1
end`;

/**
 * Checks whether a change, or a later one of its sequence, has been applied, and records a change
 * as applied, with the receipt it wrote, if any. See `ChangeId`. Times are by Redis's clock, since
 * those of the processes may differ.
 */
export const PASS = `
local function has_passed(sequences, sequence, number)
  local last = string.match(redis.call('HGET', sequences, sequence) or '', '^%d+')
  return last ~= nil and tonumber(last) >= tonumber(number)
end
-- No caller waits for what has been undone.
local function undone()
  return redis.error_reply('${REFUSED}it has been undone')
end
local function pass(sequences, sequence, number, receipt_id)
  local now = redis.call('TIME')[1]
  if redis.call('HSET', sequences, sequence, number .. ' ' .. now .. ' ' .. receipt_id) == 0 then return end
  if redis.call('HLEN', sequences) % ${PRUNE_INTERVAL} ~= 0 then return end
  local all = redis.call('HGETALL', sequences)
  for at = 1, #all, 2 do
    local passed = tonumber(string.match(all[at + 1], '^%d+ (%d+) '))
    if passed < now - ${SEQUENCE_LIFE_SECONDS} then redis.call('HDEL', sequences, all[at]) end
  end
end`;

/**
 * Reads and writes a receipt: how often its response was sent, with what outcome, and for which
 * charge.
 */
export const RECEIPT = `
local function receipt_of(receipts, id)
  local record = redis.call('HGET', receipts, id)
  if not record then return nil end
  local deliveries, delivered, repaid, tokens, field = string.match(record, '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  return {
    deliveries = tonumber(deliveries), delivered = tonumber(delivered),
    repaid = tonumber(repaid), tokens = tonumber(tokens), field = field,
  }
end
local function keep_receipt(receipts, id, r)
  redis.call('HSET', receipts, id,
    string.format('%d %.0f %.0f %.0f ', r.deliveries, r.delivered, r.repaid, r.tokens) .. r.field)
end`;

/**
 * Undoes a delivery, of which `undelivered` tokens were not delivered (`nil`: all). If this was the
 * last delivery and nothing was delivered, the receipt is removed, so there is no replay.
 */
export const UNDELIVERED = `
${RECEIPT}
local function undeliver(account, usage, receipts, receipt_ends, response_key, id, undelivered)
  local receipt = receipt_of(receipts, id)
  if not receipt or receipt.deliveries == 0 then return 0 end
  local tokens = receipt.tokens
  receipt.deliveries = receipt.deliveries - 1
  receipt.delivered = math.max(receipt.delivered, tokens - (undelivered or tokens))
  if receipt.deliveries == 0 then
    receipt.repaid = tokens - receipt.delivered
    redis.call('HINCRBY', account, 'balance', receipt.repaid)
    count(usage, receipt.field, receipt.repaid == tokens and -1 or 0, -receipt.repaid, 0)
    if receipt.delivered == 0 then
      redis.call('HDEL', receipts, id)
      redis.call('ZREM', receipt_ends, id)
      redis.call('DEL', response_key)
      return 1
    end
  end
  keep_receipt(receipts, id, receipt)
  return 1
end`;

/**
 * Takes one attempt from a rate window, which starts with the first. Refused attempts do not count.
 */
export const TAKE = `
local function take(window, limit, length, now)
  local start, used = string.match(redis.call('GET', window) or '', '^(%S+) (%S+)$')
  start, used = tonumber(start), tonumber(used)
  -- Before it began: the clock was set back, and the window would not end for as long.
  if not start or now < start or now >= start + length then start, used = now, 0 end
  local allowed = used < limit
  if allowed then
    used = used + 1
    redis.call('SET', window, string.format('%.0f %d', start, used), 'PX', length)
  end
  return allowed and 1 or 0, used, now - start
end`;
