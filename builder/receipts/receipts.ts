import { z } from 'zod';
import { sealOf } from '../../shards/codec/json-object.ts';
import { StoreError } from '../../shards/errors.ts';
import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';

/** As a receipt lies in the store: what the stage left, and the SHA-256 of that as JSON. */
const sealedSchema = z.strictObject({ check: z.string(), value: z.unknown() });

const RECEIPTS = 'receipts/';

/**
 * What a finished stage leaves behind, under a name that says what it was made from: the same
 * inputs again find it and do no work. A receipt is written after the objects it names. For one
 * build, while no other writes to the store: which receipts there are is asked once.
 */
export class Receipts {
  readonly #store: WritableStore;
  #names: Promise<Set<string>> | null = null;

  constructor(store: WritableStore) {
    this.#store = store;
  }

  /**
   * The receipt of a stage for this key, if there is one and all objects it names are there as they
   * were written. A store that does not know the hashes of its objects has them read for that: what
   * was damaged since is made again, and a build that takes everything over has checked everything.
   */
  async find<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
  ): Promise<z.infer<T> | null> {
    const name = nameOf(stage, key);
    if (!(await this.#listed()).has(name)) return null;
    const kept = await this.#read(name, schema);
    return kept && (await this.#hasObjects(kept)) ? kept : null;
  }

  /** What a stage has left for this key; without such a receipt it is made, and leaves one. */
  async findOrMake<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
    make: () => Promise<z.infer<T>>,
  ): Promise<z.infer<T>> {
    const kept = await this.find(stage, key, schema);
    if (kept) return kept;
    const made = await make();
    await this.keep(stage, key, made);
    return made;
  }

  /** Leaves a receipt, in place of one that is not believed. */
  async keep(stage: string, key: string, value: unknown): Promise<void> {
    const name = nameOf(stage, key);
    const sealed = JSON.stringify({ check: sealOf(value), value });
    await this.#store.putContent(name, Buffer.from(sealed));
    (await this.#listed()).add(name);
  }

  #listed(): Promise<Set<string>> {
    this.#names ??= this.#store
      .list(RECEIPTS)
      .then((receipts) => new Set(receipts.map(({ name }) => name)));
    return this.#names;
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
    for (const ref of objectRefsIn(value)) {
      if (!(await isAsRecorded(this.#store, ref))) return false;
    }
    return true;
  }
}

const KEY_DIGITS = 32;

function nameOf(stage: string, key: string): string {
  return `${RECEIPTS}${stage}-${key.slice(0, KEY_DIGITS)}.json`;
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

/**
 * Receipts for a process that does all jobs of a build: what it has found or left itself, it
 * believes.
 */
export class OwnReceipts extends Receipts {
  readonly #known = new Map<string, unknown>();

  override async find<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
  ): Promise<z.infer<T> | null> {
    const name = `${stage}-${key}`;
    const known = this.#known.get(name) ?? (await super.find(stage, key, schema));
    if (known !== null) this.#known.set(name, known);
    return known as z.infer<T> | null;
  }

  override async keep(stage: string, key: string, value: unknown): Promise<void> {
    await super.keep(stage, key, value);
    this.#known.set(`${stage}-${key}`, value);
  }
}
