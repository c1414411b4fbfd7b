import type { Bytes, Millis } from '../units.ts';
import type { PutBody } from './put-body.ts';

/** The only mutable object of a store: it names the current release. */
export const LATEST = 'latest.json';
/** The end of a lock's name; listings leave locks out. */
export const LOCK_NAME = /[.-]lock$/;

/** An immutable object as recorded in a manifest. */
export interface ObjectRef {
  /** Path within the store, such as `nearest/24510-6f1c….tta`. */
  readonly name: string;
  readonly bytes: Bytes;
  /** SHA-256 of the whole object, hex. */
  readonly sha256: string;
}

export interface RangeSource {
  /**
   * Reads `length` bytes of an immutable object from `offset`. Rejects with `changed` if the object
   * is not of the recorded size, and never resolves with fewer bytes than requested.
   */
  readRange(ref: ObjectRef, offset: Bytes, length: Bytes): Promise<Uint8Array>;
}

/** Metadata of an object, available without reading it. */
export interface ObjectStat {
  readonly bytes: Bytes;
  /** SHA-256 in hex; null if the store does not record it. */
  readonly sha256: string | null;
}

/** Cost of reading over a network beyond the requested bytes. */
export interface WireCounts {
  /** Object bytes received, including those of failed attempts and hedged reads. */
  readonly fetchedBytes: Bytes;
  readonly retries: number;
  /** Number of late reads that were requested a second time. */
  readonly hedges: number;
}

/**
 * A URL that contains its own authorization, valid until `expiresMs`, in milliseconds since 1970.
 */
export interface PresignedUrl {
  readonly url: string;
  readonly expiresMs: Millis;
}

/** Operations of a store for readers. Every failure is a `StoreError`. */
export interface Store extends RangeSource {
  /** Location as the user gave it: a folder, or a URL. */
  readonly location: string;

  /** Counts of network reads; absent from a local store. */
  readonly wireCounts?: WireCounts;

  /** A whole small object by name, with its identity for a conditional put. */
  readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }>;

  /** Metadata of an object; null if it does not exist. */
  stat(name: string): Promise<ObjectStat | null>;

  /**
   * A URL by which anyone may GET an object, whole or by ranges, until `expiresMs` (since 1970) or
   * until the credentials of the store expire; null if the store has no such URLs.
   */
  presignedUrl(name: string, expiresMs: Millis): Promise<PresignedUrl | null>;

  close(): Promise<void>;
}

export interface StoredObject {
  readonly name: string;
  readonly bytes: Bytes;
  /** When it was written, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** An acquired lock; or its current holder, as text, such as `process 4711`. */
export type Lock =
  | { readonly taken: true; release(): Promise<void> }
  | { readonly taken: false; readonly owner: string };

/**
 * Operations of a store for publishers. The part of a name before a slash is a folder in the store.
 */
export interface WritableStore extends Store {
  /** A local folder for scratch files, if the store provides one. */
  readonly scratch?: string;

  /** Whether a local file is inside the store. */
  holdsFile(file: string): boolean;

  /** Names of objects and folders at the top level; empty if the store does not exist. */
  topNames(): Promise<string[]>;

  /**
   * Gives an object this content, atomically. An object that already has it is left alone; one with
   * other content, such as a damaged one, is replaced.
   */
  putContent(name: string, content: PutBody | Uint8Array): Promise<'written' | 'present'>;

  /**
   * Replaces a mutable object if it still has the `expected` identity (`null`: does not exist).
   * Rejects with `conflict` otherwise. Returns the new identity.
   */
  putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string>;

  /** The objects directly under a prefix, sorted by name, without locks. */
  list(prefix: string): Promise<StoredObject[]>;

  /**
   * Lists half-written leftovers of dead writers under a prefix, by names that `remove` accepts.
   * Some may belong to a running `putContent`: remove by age, or after excluding other writers.
   */
  leftovers(prefix: string): Promise<StoredObject[]>;

  remove(name: string): Promise<void>;

  /**
   * Takes a lock that excludes other writers from a section of work, without waiting. The lock of a
   * dead owner is taken over by one contender. Where a live owner can lose its lock, all its writes
   * and removals then reject with `conflict`.
   */
  lock(name: string): Promise<Lock>;
}
