import type { Bytes, Millis } from '../units.ts';
import type { ObjectRef, ObjectStat, PresignedUrl, Store } from './store.ts';

interface StoreCall {
  readonly operation: 'range' | 'whole' | 'stat';
  readonly object: string;
  /** Requested length of a range; otherwise 0. */
  readonly bytes: Bytes;
}

/** Wraps a call: makes it and passes on its outcome, or refuses it. */
export type StoreInterceptor = <T>(what: StoreCall, call: () => Promise<T>) => Promise<T>;

/** A store that intercepts each of its calls, for instance to measure them. */
export class InstrumentedStore implements Store {
  readonly #store: Store;
  readonly #around: StoreInterceptor;

  constructor(store: Store, around: StoreInterceptor) {
    this.#store = store;
    this.#around = around;
  }

  get location(): string {
    return this.#store.location;
  }

  readRange(ref: ObjectRef, offset: Bytes, length: Bytes): Promise<Uint8Array> {
    const what: StoreCall = { operation: 'range', object: ref.name, bytes: length };
    return this.#around(what, () => this.#store.readRange(ref, offset, length));
  }

  readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }> {
    const what: StoreCall = { operation: 'whole', object: name, bytes: 0 };
    return this.#around(what, () => this.#store.readWhole(name));
  }

  stat(name: string): Promise<ObjectStat | null> {
    const what: StoreCall = { operation: 'stat', object: name, bytes: 0 };
    return this.#around(what, () => this.#store.stat(name));
  }

  presignedUrl(name: string, expiresMs: Millis): Promise<PresignedUrl | null> {
    return this.#store.presignedUrl(name, expiresMs);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
