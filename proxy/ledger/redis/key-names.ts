import type { AccountId, KeyHash } from '../accounts.ts';

// Names of the keys in Redis. The part in braces determines the slot: all keys of an account share
// one.

/** Prefix of every key, so that a ledger can share a database. */
const PREFIX = 'tta:';

export function keysOf(id: AccountId) {
  const of = `${PREFIX}{${id}}:`;
  return {
    /** Hash of an `Account`: null and false values are omitted. */
    account: `${of}account`,
    /** Hash: key id → JSON of a `HashedKey` without `lastUsedAtMs`; keys that are not revoked. */
    keys: `${of}keys`,
    /** Hash: id of a key that is not revoked → time of its last use, in ms. */
    uses: `${of}uses`,
    /** List: JSON of revoked keys, with `lastUsedAtMs`, most recently revoked first. */
    revoked: `${of}revoked`,
    /** String: rate window of created keys, in the form of `TAKE`. */
    made: `${of}made`,
    /** Hash: cause → JSON of `tokens` and `atMs`. */
    grants: `${of}grants`,
    /**
     * Prefix of one hash per month (`…:usage:2026-11`), JSON of [day, key id, route] →
     * `requests tokens lastAtMs`, and of the set of these months, `…:usage:months`.
     */
    usage: `${of}usage`,
    /** List of JSON, in order of recording. */
    audit: `${of}audit`,
    /** String: rate window of requests, as written by `TAKE`. */
    rate: `${of}rate`,
    /** Hash: session id → JSON of a `StoredSession`; expires with the one that was used last. */
    sessions: `${of}sessions`,
    /** Hash: receipt id → "deliveries delivered repaid tokens", and the field of `usage`. */
    receipts: `${of}receipts`,
    /** Sorted set: receipt ids by when their responses expire. */
    receiptEnds: `${of}receipt-ends`,
    /** Hash: sequence → the number applied last, and its receipt; see `ChangeId`. */
    sequences: `${of}lanes`,
    /**
     * String: `receipt-id endsAtMs fingerprint`. Customer text must not be able to form another key
     * name.
     */
    replay: (idempotencyKey: string) =>
      `${of}replay:${Buffer.from(idempotencyKey).toString('base64url')}`,
    /**
     * Hash: receipt id → size of its response; `total`: their sum. Responses that have meanwhile
     * expired are still listed until the sum is over `KEPT_BYTES_PER_ACCOUNT`.
     */
    kept: `${of}kept`,
    /** Hash of a stored response: head, gzip. */
    response: (receiptId: string) => `${of}answer:${receiptId}`,
  };
}

export const ANY_ACCOUNT = `${PREFIX}{*}:account`;

export function accountIn(key: string): AccountId {
  return key.slice(`${PREFIX}{`.length, -'}:account'.length);
}

export const ANY_REPLAY = `${PREFIX}{*}:replay:*`;

export function replayIn(name: string): { account: AccountId; key: string } {
  const [account, text] = name.slice(`${PREFIX}{`.length).split('}:replay:');
  return { account, key: Buffer.from(text, 'base64url').toString() };
}

/** String: "account-id key-id", which never changes. */
export function keyEntry(hash: KeyHash): string {
  return `${PREFIX}key:${hash}`;
}

export interface KeyOwner {
  readonly account: AccountId;
  readonly keyId: string;
}

export function keyOwnerEntry({ account, keyId }: KeyOwner): string {
  return `${account} ${keyId}`;
}

/** String: the id of the account that has, or is about to have, this mailbox. */
export function mailboxEntry(mailbox: string): string {
  return `${PREFIX}mailbox:${mailbox}`;
}

/** Set of hashed mailboxes whose accounts were closed. */
export const FORMER_MAILBOXES = `${PREFIX}former-mailboxes`;

/** Set of hashed mailboxes whose accounts were disabled when they were closed. */
export const DISABLED_MAILBOXES = `${PREFIX}disabled-mailboxes`;

/** Hash: `codeHash`, `linkHash`, `endsAtMs`. */
export function challengeEntry(mailbox: string): string {
  return `${PREFIX}challenge:${mailbox}`;
}

/** String: a rate window, as written by `TAKE`. */
export function limitEntry(subject: string): string {
  return `${PREFIX}limit:${subject}`;
}

/** String: `lastAtMs endsAtMs` of what was taken of a subject's spaced limit. */
export function spacedEntry(subject: string): string {
  return `${PREFIX}reservation:${subject}`;
}

const DELAYED_GRANTS = `${PREFIX}delayed-grants`;

/** Keys of delayed grants, all in one slot. */
export const DELAYED = {
  /** Sorted set: queues by their times. */
  times: DELAYED_GRANTS,
  /** Hash: account id → JSON of its `DelayedGrant`. */
  records: `${PREFIX}{${DELAYED_GRANTS}}:records`,
  /** Prefix of a sorted set per queue: account ids by rank. */
  queue: `${PREFIX}{${DELAYED_GRANTS}}:queue:`,
};

/** String: version of the record format. */
export const RECORD_VERSION_KEY = `${PREFIX}form`;

/** Hash: name → secret. */
export const SECRETS = `${PREFIX}secrets`;

const CLOSED_EVENT = `${PREFIX}{events}:closed:`;

/** Keys of payment events, in one slot. */
export const EVENTS = {
  /** Sorted set of ids by time of arrival. */
  open: `${PREFIX}{events}:open`,
  /** Hash: id → JSON of open events. */
  records: `${PREFIX}{events}:records`,
  /** String: marks an event as processed, for as long as it is remembered. */
  closed: (id: string) => `${CLOSED_EVENT}${id}`,
};

export const ANY_CLOSED_EVENT = `${CLOSED_EVENT}*`;

export function closedEventIn(key: string): string {
  return key.slice(CLOSED_EVENT.length);
}
