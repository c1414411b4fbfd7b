import type { Bytes } from '../units.ts';
import type { PutBody } from './put-body.ts';

/** The only mutable object of a store: it names the release in force. */
export const LATEST = 'latest.json';

/** An immutable object as a manifest records it. */
export interface ObjectRef {
  /** Path under the store, such as `nearest/24510-6f1c….tta`. */
  readonly name: string;
  readonly bytes: Bytes;
  /** SHA-256 of the whole object, hex. */
  readonly sha256: string;
}

/** Where objects are read from by range. */
export interface RangeSource {
  /**
   * `length` bytes of an immutable object from `offset`. Rejects with `changed` when the object
   * is not of the recorded size, and never resolves with fewer bytes than asked.
   */
  readRange(ref: ObjectRef, offset: Bytes, length: Bytes): Promise<Uint8Array>;
}

/** Facts about an object, known without reading it. */
export interface ObjectStat {
  readonly bytes: Bytes;
  /** Hex; null if the store does not know it. */
  readonly sha256: string | null;
}

/** Operations of a store for readers. Every failure is a `StoreError`. */
export interface Store extends RangeSource {
  /** How a person names it: a folder, or a URL. */
  readonly location: string;

  /** A whole small object by name, with the identity a conditional put asks for. */
  readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }>;

  /** Facts about an object; null if it does not exist. */
  stat(name: string): Promise<ObjectStat | null>;

  close(): Promise<void>;
}

/** An object as a store lists it. */
export interface StoredObject {
  readonly name: string;
  readonly bytes: Bytes;
  /** When it was written, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** A lock that was taken; or who has it, in words, such as `process 4711`. */
export type Lock =
  | { readonly taken: true; release(): Promise<void> }
  | { readonly taken: false; readonly owner: string };

/**
 * Operations of a store for publishers. The part of a name before a slash is a folder of the store.
 */
export interface WritableStore extends Store {
  /** A folder of this machine for scratch files, if the store has room for such. */
  readonly scratch?: string;

  /** Whether a file of this machine lies inside the store. */
  holdsFile(file: string): boolean;

  /** Names of objects and folders at the top of the store; empty if it does not exist. */
  topNames(): Promise<string[]>;

  /**
   * Makes an object have this content, whole or not at all. One that has it already is left alone;
   * one of other content, such as a damaged one, is replaced.
   */
  putContent(name: string, content: PutBody | Uint8Array): Promise<'written' | 'present'>;

  /**
   * Replaces a mutable object if it still has the `expected` identity (`null`: does not exist).
   * Rejects with `conflict` otherwise. Returns the new identity.
   */
  putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string>;

  /** The objects under a prefix, sorted by name; not those in folders further down, nor locks. */
  list(prefix: string): Promise<StoredObject[]>;

  /**
   * Lists half-written leftovers of dead writers under a prefix, by names that can be removed. One
   * may belong to a running `putContent`: remove by age, or after excluding other writers.
   */
  leftovers(prefix: string): Promise<StoredObject[]>;

  remove(name: string): Promise<void>;

  /**
   * Takes a lock that excludes other writers from a section of work. It does not wait; the lock of
   * a dead owner is taken over by one contender. Where a live owner can lose its lock, all its
   * writes and removals then reject with `conflict`.
   */
  lock(name: string): Promise<Lock>;
}
