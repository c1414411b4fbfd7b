import { z } from 'zod';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { sealOf } from '../../shards/json-object.ts';
import { checkRecordedHash } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';

/** As a receipt lies in the store: what the stage left, and the SHA-256 of that as JSON. */
const sealedSchema = z.strictObject({ check: z.string(), value: z.unknown() });

/**
 * What a finished stage leaves behind, under a name that says what it was made from: the same
 * inputs again find it and do no work. A receipt is written after the objects it names.
 */
export class Receipts {
  readonly #store: WritableStore;

  constructor(store: WritableStore) {
    this.#store = store;
  }

  /**
   * The receipt of a stage for this key, if there is one and all objects it names are there as they
   * were written. They are read for that, at the speed of the disk: what was damaged since is made
   * again, and a build that takes everything over has checked everything.
   */
  async find<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
  ): Promise<z.infer<T> | null> {
    const kept = await this.#read(nameOf(stage, key), schema);
    return kept && (await this.#hasObjects(kept)) ? kept : null;
  }

  /** Leaves a receipt, in place of one that is not believed. */
  async keep(stage: string, key: string, value: unknown): Promise<void> {
    const sealed = JSON.stringify({ check: sealOf(value), value });
    await this.#store.putIfAbsent(nameOf(stage, key), Buffer.from(sealed));
  }

  async #read<T extends z.ZodType>(name: string, schema: T): Promise<z.infer<T> | null> {
    try {
      const { bytes } = await this.#store.readWhole(name);
      const { check, value } = sealedSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
      return check === sealOf(value) ? schema.parse(value) : null;
    } catch (error) {
      if (error instanceof StoreError && error.failure !== 'missing') throw error;
      return null;
    }
  }

  async #hasObjects(value: unknown): Promise<boolean> {
    try {
      for (const ref of objectRefsIn(value)) await checkRecordedHash(this.#store, ref);
      return true;
    } catch (error) {
      const isDamage =
        error instanceof ShardError ||
        (error instanceof StoreError && ['missing', 'changed'].includes(error.failure));
      if (!isDamage) throw error;
      return false;
    }
  }
}

const KEY_DIGITS = 32;

function nameOf(stage: string, key: string): string {
  return `receipts/${stage}-${key.slice(0, KEY_DIGITS)}.json`;
}

/** Every object reference anywhere in a value. */
export function* objectRefsIn(value: unknown): Generator<ObjectRef> {
  if (value === null || typeof value !== 'object') return;
  const { name, bytes, sha256 } = value as Record<string, unknown>;
  if (typeof name === 'string' && typeof bytes === 'number' && typeof sha256 === 'string') {
    yield { name, bytes, sha256 };
    return;
  }
  for (const member of Object.values(value)) yield* objectRefsIn(member);
}
