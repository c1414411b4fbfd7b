import { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { StoreError } from '../../shards/errors.ts';
import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { Progress } from '../progress.ts';

/** The stored form of a receipt: the result of the stage, and the SHA-256 of the result as JSON. */
const sealedSchema = z.strictObject({ check: z.string(), value: z.unknown() });

const RECEIPTS = 'receipts/';

export interface StageContext {
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly progress: Progress;
}

/** The receipt of a stage for what its result is made of, and the form of the result. */
export type ReceiptOf<T extends z.ZodType> = readonly [stage: string, key: string, schema: T];

/**
 * The results of finished stages, under names derived from their inputs, so that another run with
 * the same inputs finds them and skips the work. A receipt is written after the objects it names.
 * For use by one build while no other writes to the store, since receipts are listed only once.
 */
export class Receipts {
  readonly #store: WritableStore;
  #names: Promise<Set<string>> | null = null;

  constructor(store: WritableStore) {
    this.#store = store;
  }

  /**
   * Returns the receipt of a stage for a key, if there is one and all objects it names exist
   * unchanged; otherwise null. If a store does not record the hashes of its objects, they are read
   * to check, so that damaged ones are rebuilt, and a build that reuses everything has verified
   * everything.
   */
  async find<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
  ): Promise<z.infer<T> | null> {
    if (!(await this.#listed()).has(nameOf(stage, key))) return null;
    return this.findUnlisted(stage, key, schema);
  }

  /**
   * Like `find`, for a receipt that another process may have written since receipts were listed.
   */
  async findUnlisted<T extends z.ZodType>(
    stage: string,
    key: string,
    schema: T,
  ): Promise<z.infer<T> | null> {
    const kept = await this.read(stage, key, schema);
    return kept && (await this.#hasObjects(kept)) ? kept : null;
  }

  /**
   * Like `findUnlisted`, for a receipt that a task of this build has left, without looking for its
   * objects, which whoever reads them verifies.
   */
  read<T extends z.ZodType>(stage: string, key: string, schema: T): Promise<z.infer<T> | null> {
    return this.#read(nameOf(stage, key), schema);
  }

  /** Returns the result of a stage for a key; without a receipt, it is computed and recorded. */
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

  /** Writes a receipt, replacing an invalid one. */
  async keep(stage: string, key: string, value: unknown): Promise<void> {
    const name = nameOf(stage, key);
    const sealed = JSON.stringify({ check: hashOfJson(value), value });
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
      return check === hashOfJson(value) ? schema.parse(value) : null;
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

/** Yields every object reference at any depth of a value. */
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
 * Receipts for a process that runs all jobs of a build. Those that it has found or written are
 * trusted without another check.
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
