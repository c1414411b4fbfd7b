import type { Content } from '../content.ts';
import type { Bytes } from '../units.ts';

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

/** What a store can do for a reader. Every failure is a `StoreError`. */
export interface Store extends RangeSource {
  /** How a person names it: a folder, or a URL. */
  readonly location: string;

  /** A whole small object by name, with the identity a conditional put asks for. */
  readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }>;

  close(): Promise<void>;
}

/** What a store can do for the one who publishes into it. */
export interface WritableStore extends Store {
  /**
   * Writes an object, whole or not at all. One that is there already is left alone if it has this
   * very content; a damaged one is replaced.
   */
  putIfAbsent(name: string, content: Content | Uint8Array): Promise<'written' | 'present'>;

  /**
   * Replaces a mutable object if it still has the `expected` identity (`null`: does not exist).
   * Rejects with `conflict` otherwise. Returns the new identity.
   */
  putConditional(name: string, bytes: Uint8Array, expected: string | null): Promise<string>;

  /** Names and sizes of the objects under a prefix, sorted by name. */
  list(prefix: string): Promise<{ name: string; bytes: Bytes }[]>;

  remove(name: string): Promise<void>;
}
