import { z } from 'zod';
import { listSealSteps, STEP_ITEMS, sealOf } from '../codec/json-object.ts';
import { jsonSteps } from '../codec/json-steps.ts';
import { SHARED } from '../concurrency/fair-queue.ts';
import { runCooperatively } from '../concurrency/yielding.ts';
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

/** The list, and the SHA-256 of it as JSON: what it says is served without another check. */
const servedExportsSchema = z.strictObject({ check: z.string(), exports: z.array(z.unknown()) });
const someExportsSchema = z.array(servedExportSchema);

/** The folder of exports in a store. */
export const EXPORTS = 'exports/';

/** The object that lists the exports of a release: that of its manifest, in another folder. */
export function servedExportsName(manifest: string): string {
  return `${EXPORTS}${manifest.slice(MANIFESTS.length)}`;
}

/** The exports in a release's store; none without a list of them. */
export async function readServedExports(store: Store, manifest: string): Promise<ServedExport[]> {
  const name = servedExportsName(manifest);
  try {
    const { bytes } = await store.readWhole(name);
    return await runCooperatively(SHARED, servedExportsSteps(bytes));
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') return [];
    if (error instanceof StoreError) throw error;
    throw new ShardError(name, 'list', 'is damaged; run tta export again');
  }
}

/** Parses a list in steps: that of a nation has thousands of files. */
function* servedExportsSteps(bytes: Uint8Array): Generator<undefined, ServedExport[], undefined> {
  const { check, exports } = servedExportsSchema.parse(yield* jsonSteps(bytes));
  const found: ServedExport[] = [];
  for (let i = 0; i < exports.length; i += STEP_ITEMS) {
    found.push(...someExportsSchema.parse(exports.slice(i, i + STEP_ITEMS)));
    yield;
  }
  if (check !== (yield* listSealSteps(found))) throw new Error('the seal does not match');
  return found;
}

export function encodeServedExports(exports: readonly ServedExport[]): Uint8Array {
  return Buffer.from(`${JSON.stringify({ check: sealOf(exports), exports })}\n`);
}
