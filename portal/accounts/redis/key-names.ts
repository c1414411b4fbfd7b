import type { AccountId } from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';

// Names of the keys in Redis. The part in braces decides the slot: all keys of an account share
// one.

/** Begins every key, so that a ledger can share a database. */
export const PREFIX = 'tta:';

export type AccountKeys = ReturnType<typeof keysOf>;

export function keysOf(id: AccountId) {
  const of = `${PREFIX}{${id}}:`;
  return {
    /** Hash of an `Account`: what is null or false is not there. */
    account: `${of}account`,
    /** Hash: key id → JSON of a `StoredKey` with its `hash`; of keys that are not revoked. */
    keys: `${of}keys`,
    /** Hash: id of such a key → when it was last used, in ms. */
    uses: `${of}uses`,
    /** List: JSON of those that are, with `lastUsedAtMs`, the last revoked first. */
    revoked: `${of}revoked`,
    /** String: a window of keys made, as `TAKE` writes it. */
    made: `${of}made`,
    /** Hash: cause → JSON of tokens and atMs. */
    grants: `${of}grants`,
    /**
     * Begins the names of a hash a month (`…:usage:2026-11`), JSON of [day, key id, route] →
     * "requests tokens lastAtMs", and of the set of these months, `…:usage:months`.
     */
    usage: `${of}usage`,
    /** List of JSON, as it was noted. */
    audit: `${of}audit`,
    /** String: a window of requests, as `TAKE` writes it. */
    rate: `${of}rate`,
    /** Hash: session id → JSON of a `StoredSession`. */
    sessions: `${of}sessions`,
    /** Hash: receipt id → "deliveries delivered repaid tokens", and the field of `usage`. */
    receipts: `${of}receipts`,
    /** Sorted set: receipt ids by when their answers end. */
    receiptEnds: `${of}receipt-ends`,
    /** Hash: lane → the number that passed it last, and of which receipt; see `ChangeId`. */
    lanes: `${of}lanes`,
    /** String: "receipt-id endsAtMs fingerprint". A customer's text must not make another name. */
    replay: (idempotencyKey: string) =>
      `${of}replay:${Buffer.from(idempotencyKey).toString('base64url')}`,
    /** Hash: headers, gzip. */
    respond: (receiptId: string) => `${of}answer:${receiptId}`,
  };
}

/** Matches the `account` of every account. */
export const ANY_ACCOUNT = `${PREFIX}{*}:account`;

export function accountIn(key: string): AccountId {
  return key.slice(`${PREFIX}{`.length, -'}:account'.length);
}

/** String: "account-id key-id", which never changes. */
export function keyEntry(hash: KeyHash): string {
  return `${PREFIX}key:${hash}`;
}

/** String: the id of the account that has, or is about to have, this mailbox. */
export function mailboxEntry(mailbox: string): string {
  return `${PREFIX}mailbox:${mailbox}`;
}

/** Set of hashed mailboxes whose accounts were closed. */
export const FORMER_MAILBOXES = `${PREFIX}former-mailboxes`;

/** Set of those of them whose accounts were disabled then. */
export const DISABLED_MAILBOXES = `${PREFIX}disabled-mailboxes`;

/** Hash: codeHash, linkHash, endsAtMs, wrongCodes. */
export function challengeEntry(mailbox: string): string {
  return `${PREFIX}challenge:${mailbox}`;
}

/** String: a window, as `TAKE` writes it. */
export function limitEntry(subject: string): string {
  return `${PREFIX}limit:${subject}`;
}

/** String: the form of the records. */
export const FORM_MARK = `${PREFIX}form`;

/** Hash: name → secret. */
export const SECRETS = `${PREFIX}secrets`;

/** Those of payment events, in one slot. */
export const EVENTS = {
  /** Sorted set of ids by when they came. */
  open: `${PREFIX}{events}:open`,
  /** Hash: id → JSON of those that are open. */
  records: `${PREFIX}{events}:records`,
  /** String: that an event was acted upon, for as long as it is known. */
  closed: (id: string) => `${PREFIX}{events}:closed:${id}`,
};
