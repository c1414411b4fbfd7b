import { z } from 'zod';
import { ColumnFile, encodeColumnFile } from '../bands/column-file.ts';
import { ShardError } from '../errors.ts';
import type { CountyFips } from '../units.ts';
import {
  ACCESS_CLASSES_MAGIC,
  type AccessClassesHead,
  type ClassedCount,
} from './access-class-layout.ts';

const headSchema: z.ZodType<AccessClassesHead> = z.strictObject({
  county: z.string(),
  blocks: z.int().min(0),
  counts: z.array(
    z.strictObject({
      of: z.string(),
      direction: z.enum(['from', 'to']),
      mode: z.string(),
      minutes: z.int(),
      bounds: z.array(z.int().min(1)),
    }),
  ),
  column_bytes: z.array(z.int().min(0)),
});

export function encodeAccessClasses(
  county: CountyFips,
  counts: readonly ClassedCount[],
  columns: readonly Uint8Array[],
): Promise<Uint8Array> {
  return encodeColumnFile(
    ACCESS_CLASSES_MAGIC,
    columns,
    (column_bytes) =>
      ({
        county,
        blocks: columns[0].length,
        counts: [...counts],
        column_bytes,
      }) satisfies AccessClassesHead,
  );
}

/** A decoded object of access classes, whole in memory. */
export class AccessClasses {
  readonly head: AccessClassesHead;
  readonly #file: ColumnFile<AccessClassesHead>;

  /** Throws a `ShardError` for anything that `encodeAccessClasses` did not write. */
  constructor(object: string, bytes: Uint8Array) {
    this.#file = new ColumnFile(object, bytes, {
      magic: ACCESS_CLASSES_MAGIC,
      kind: 'access classes',
      schema: headSchema,
    });
    this.head = this.#file.head;
    if (this.head.column_bytes.length !== this.head.counts.length) {
      throw new ShardError(object, 'head', 'has other columns than counts');
    }
  }

  column(number: number): Uint8Array {
    return this.#file.column(number, this.head.blocks);
  }
}

export function classOf(count: number, bounds: readonly number[]): number {
  let reached = 0;
  while (reached < bounds.length && count >= bounds[reached]) reached++;
  return 1 + reached;
}
