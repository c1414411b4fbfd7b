import type { z } from 'zod';
import { StoreError } from '../../shards/errors.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/**
 * What a finished stage leaves behind, under a name that says what it was made from: the same
 * inputs again find it and do no work. A receipt is written after the objects it names.
 */
export class Receipts {
  readonly #store: WritableStore;

  constructor(store: WritableStore) {
    this.#store = store;
  }

  /** The receipt of a stage for this key, if there is one and all objects it names are there. */
  async find<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
  ): Promise<z.infer<T> | null> {
    const kept = await this.#read(nameOf(stage, key), schema);
    return kept && (await this.#hasObjects(kept)) ? kept : null;
  }

  /** Leaves a receipt, in place of one whose objects are gone. */
  async keep(stage: string, key: string, value: unknown): Promise<void> {
    const name = nameOf(stage, key);
    await this.#store.remove(name);
    await this.#store.putIfAbsent(name, Buffer.from(JSON.stringify(value)));
  }

  async #read<T extends z.ZodType>(name: string, schema: T): Promise<z.infer<T> | null> {
    try {
      const { bytes } = await this.#store.readWhole(name);
      return schema.parse(JSON.parse(Buffer.from(bytes).toString()));
    } catch (error) {
      if (error instanceof StoreError && error.failure !== 'missing') throw error;
      return null;
    }
  }

  async #hasObjects(value: unknown): Promise<boolean> {
    for (const { name, bytes } of objectRefsIn(value)) {
      const [found] = await this.#store.list(name);
      if (found?.name !== name || found.bytes !== bytes) return false;
    }
    return true;
  }
}

const KEY_DIGITS = 32;

function nameOf(stage: string, key: string): string {
  return `receipts/${stage}-${key.slice(0, KEY_DIGITS)}.json`;
}

/** Every object reference anywhere in a value. */
export function* objectRefsIn(value: unknown): Generator<{ name: string; bytes: number }> {
  if (value === null || typeof value !== 'object') return;
  const { name, bytes, sha256 } = value as Record<string, unknown>;
  if (typeof name === 'string' && typeof bytes === 'number' && typeof sha256 === 'string') {
    yield { name, bytes };
    return;
  }
  for (const member of Object.values(value)) yield* objectRefsIn(member);
}
