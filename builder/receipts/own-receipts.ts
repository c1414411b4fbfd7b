import type { z } from 'zod';
import { Receipts } from './receipts.ts';

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
