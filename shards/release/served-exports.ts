import { z } from 'zod';
import { hashOfJson, listSealSteps, STEP_ITEMS } from '../codec/json-object.ts';
import { jsonSteps } from '../codec/json-steps.ts';
import { Turns } from '../concurrency/turns.ts';
import { ShardError, StoreError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { exportedTableSchema } from './exported-table.ts';
import { objectRefSchema } from './manifest.ts';
import { MANIFESTS } from './manifests.ts';

/** An exported table in the store of its release, with the checksums of its pages. */
export const servedExportSchema = exportedTableSchema.extend({
  object: objectRefSchema,
  sums: objectRefSchema,
});
export type ServedExport = z.infer<typeof servedExportSchema>;

/**
 * An exported table that another export has replaced: no longer offered, but kept for existing
 * links.
 */
const supersededExportSchema = servedExportSchema.extend({ supersededAt: z.iso.datetime() });
type SupersededExport = z.infer<typeof supersededExportSchema>;

export interface ServedExports {
  readonly exports: readonly ServedExport[];
  readonly superseded: readonly SupersededExport[];
}

/**
 * The lists of exports, and `check`, their SHA-256 as JSON: what the lists state is served without
 * another check.
 */
const servedExportsSchema = z.strictObject({
  check: z.string(),
  exports: z.array(z.unknown()),
  superseded: z.array(z.unknown()).default([]),
});
const someExportsSchema = z.array(servedExportSchema);
const someSupersededSchema = z.array(supersededExportSchema);

export const EXPORTS = 'exports/';

export function servedExportsName(manifest: string): string {
  return `${EXPORTS}${manifest.slice(MANIFESTS.length)}`;
}

/** Reads the list of the exports of a release from its store; empty if there is no such list. */
export async function readServedExports(store: Store, manifest: string): Promise<ServedExports> {
  const name = servedExportsName(manifest);
  try {
    const { bytes } = await store.readWhole(name);
    return await Turns.SHARED.run(servedExportsSteps(bytes));
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') {
      return { exports: [], superseded: [] };
    }
    if (error instanceof StoreError) throw error;
    throw new ShardError(name, 'list', 'is damaged; run tta export again');
  }
}

/** Parses the lists in steps, since those of a nation have thousands of files. */
function* servedExportsSteps(bytes: Uint8Array): Generator<undefined, ServedExports, undefined> {
  const content = servedExportsSchema.parse(yield* jsonSteps(bytes));
  const exports = yield* parseSteps(content.exports, someExportsSchema);
  const superseded = yield* parseSteps(content.superseded, someSupersededSchema);
  const check = yield* listSealSteps([...exports, ...superseded]);
  if (check !== content.check) throw new Error('the seal does not match');
  return { exports, superseded };
}

function* parseSteps<T>(
  items: readonly unknown[],
  schema: z.ZodType<T[]>,
): Generator<undefined, T[], undefined> {
  const parsed: T[] = [];
  for (let i = 0; i < items.length; i += STEP_ITEMS) {
    parsed.push(...schema.parse(items.slice(i, i + STEP_ITEMS)));
    yield;
  }
  return parsed;
}

export function encodeServedExports({ exports, superseded }: ServedExports): Uint8Array {
  const check = hashOfJson([...exports, ...superseded]);
  const lists = superseded.length === 0 ? { exports } : { exports, superseded };
  return Buffer.from(`${JSON.stringify({ check, ...lists })}\n`);
}
