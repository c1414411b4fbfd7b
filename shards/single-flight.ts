/** Where what was made is kept: a `Map`, or an `LRUCache` that forgets. */
interface Kept<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/**
 * What is made once a key and then kept. Those who ask for the same while it is made share the
 * making; one that fails is not remembered.
 */
export class SingleFlight<K, V> {
  readonly #kept: Kept<K, V> | null;
  readonly #underWay = new Map<K, Promise<V>>();

  /** Null: nothing is kept, only shared. */
  constructor(kept: Kept<K, V> | null) {
    this.#kept = kept;
  }

  /** The value if it is at hand. */
  get(key: K): V | undefined {
    return this.#kept?.get(key);
  }

  /** The value, made if need be. */
  async make(key: K, make: () => Promise<V>): Promise<V> {
    return this.get(key) ?? this.#underWay.get(key) ?? this.#begin(key, make);
  }

  #begin(key: K, make: () => Promise<V>): Promise<V> {
    const making = make()
      .then((value) => {
        this.#kept?.set(key, value);
        return value;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, making);
    return making;
  }
}
