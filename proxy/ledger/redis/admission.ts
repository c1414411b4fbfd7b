import { lruMap } from '../../../shards/lru-map.ts';
import type { KeyHash } from '../accounts.ts';
import { type AccountId, isMember, type Membership } from '../accounts.ts';
import { BROWSER_TOKEN_KEY_ID } from '../browser-token.ts';
import { LastUses } from '../last-uses.ts';
import type { Admission } from '../metering.ts';
import { RATE_WINDOW_SECONDS, type RateLimit, rateState } from '../rate-window.ts';
import { SESSION_LIFE_MS, type SessionId } from '../sessions.ts';
import type { RedisConnection } from './connection.ts';
import { type KeyOwner, keyEntry, keysOf } from './key-names.ts';
import { fleeting, type Script, TAKE } from './script.ts';

const MAX_KEYS_KNOWN = 100_000;

/**
 * Admits requests in one round trip, but for the first of a key. Rates are counted in Redis, across
 * all processes that share it.
 */
export class Admissions {
  readonly #redis: RedisConnection;
  readonly #window: RateLimit;
  readonly #lastUses = new LastUses();
  /** Owners of keys, which never change: in a cluster, a script cannot cross slots to find them. */
  readonly #owners = lruMap<KeyHash, KeyOwner>(MAX_KEYS_KNOWN);

  constructor(redis: RedisConnection, rateLimitPerMinute: number) {
    this.#redis = redis;
    this.#window = { limit: rateLimitPerMinute, windowSeconds: RATE_WINDOW_SECONDS };
  }

  async admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    const owner = await this.#ownerOf(keyHash);
    if (!owner) return { outcome: 'invalid-key' };
    const isUseDue = this.#lastUses.isDue(keyHash, nowMs);
    const { account, keys, rate, uses } = keysOf(owner.account);
    const { limit, windowSeconds } = this.#window;
    const of = [nowMs, limit, windowSeconds * 1000, owner.account, owner.keyId, Number(isUseDue)];
    const reply = await this.#redis.run(ADMIT, [account, keys, rate, uses], of);
    const admission = this.#admissionIn(reply, nowMs);
    if ('rate' in admission && isUseDue) this.#lastUses.noted(keyHash, nowMs);
    return admission;
  }

  async admitSession({ account: id, id: sessionId }: SessionId, nowMs: number): Promise<Admission> {
    const { account, sessions, rate } = keysOf(id);
    const { limit, windowSeconds } = this.#window;
    const of = [nowMs, limit, windowSeconds * 1000, id, sessionId];
    const reply = await this.#redis.run(ADMIT_SESSION, [account, sessions, rate], of);
    return this.#admissionIn(reply, nowMs);
  }

  #admissionIn(reply: Admitted, nowMs: number): Admission {
    if (reply[0] === 'invalid-key' || reply[0] === 'account-disabled') return { outcome: reply[0] };
    const [outcome, account, keyId, text, balanceText, used, elapsedMs] = reply;
    const membership: Membership | null = text === null ? null : JSON.parse(text);
    const [member, balance] = [isMember(membership, nowMs), Number(balanceText)];
    const rate = rateState(this.#window, used, elapsedMs);
    if (outcome === 'rate-limited') return { outcome, member, balance, rate };
    return { outcome, account, keyId, member, balance, rate };
  }

  async #ownerOf(keyHash: KeyHash): Promise<KeyOwner | undefined> {
    const known = this.#owners.get(keyHash);
    if (known) return known;
    const entry = await this.#redis.ask((client) => client.get(keyEntry(keyHash)));
    if (entry === null) return undefined;
    const [account, keyId] = entry.split(' ');
    const owner = { account, keyId };
    this.#owners.set(keyHash, owner);
    return owner;
  }
}

type Admitted =
  | [outcome: 'invalid-key']
  | [outcome: 'account-disabled']
  | [
      outcome: 'admitted' | 'rate-limited',
      ...of: [account: AccountId, keyId: string, membership: string | null, balance: string],
      ...rate: [used: number, elapsedMs: number],
    ];

const OWNER = `
local disabled, membership, balance = unpack(redis.call('HMGET', account, 'disabled', 'membership', 'balance'))`;

const TAKEN = `
local allowed, used, elapsed = take(rate, tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[1]))
local outcome = allowed == 1 and 'admitted' or 'rate-limited'
return { outcome, id, key_id, membership, balance, used, elapsed }`;

const ADMIT: Script<Admitted> = fleeting(
  TAKE,
  `
local account, keys, rate, uses = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, key_id = ARGV[4], ARGV[5]
${OWNER}
local key = redis.call('HGET', keys, key_id)
if not key or not balance then return { 'invalid-key' } end
if cjson.decode(key).disabled or disabled then return { 'account-disabled' } end
if ARGV[6] == '1' and tonumber(ARGV[1]) > tonumber(redis.call('HGET', uses, key_id) or 0) then
  redis.call('HSET', uses, key_id, ARGV[1])
end
${TAKEN}`,
);

const ADMIT_SESSION: Script<Admitted> = fleeting(
  TAKE,
  `
local account, sessions, rate = KEYS[1], KEYS[2], KEYS[3]
local id, key_id = ARGV[4], '${BROWSER_TOKEN_KEY_ID}'
${OWNER}
local session = redis.call('HGET', sessions, ARGV[5])
if not session or not balance then return { 'invalid-key' } end
if tonumber(ARGV[1]) >= cjson.decode(session).seenAtMs + ${SESSION_LIFE_MS} then return { 'invalid-key' } end
if disabled then return { 'account-disabled' } end
${TAKEN}`,
);
