import { z } from 'zod';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { exportedTableSchema } from '../../shards/release/exported-table.ts';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';

/** A file; its name is relative to the folder that `--out` names. */
const fileSchema = objectRefSchema.extend({ name: z.string() });

export const exportedFileSchema = exportedTableSchema.extend(fileSchema.shape);
export type ExportedFile = z.infer<typeof exportedFileSchema>;

const exportedFilesSchema = z.strictObject({
  release: z.string(),
  /** Identifies the contents of the release. */
  version: z.string(),
  files: z.array(exportedFileSchema),
  /** The texts beside the tables (`companions.ts`). */
  companions: z.array(fileSchema),
});
export type ExportedFiles = z.infer<typeof exportedFilesSchema>;

export const FILES = 'files.json';

/** Reads the list of the files in a release's folder; null if the folder has no list. */
export async function readFiles(store: Store, root: string): Promise<ExportedFiles | null> {
  const name = `${root}/${FILES}`;
  try {
    const { bytes } = await store.readWhole(name);
    return exportedFilesSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') return null;
    if (error instanceof StoreError) throw error;
    throw new ShardError(name, 'list', 'is damaged; remove it and export again');
  }
}

/** Merges lists of files, sorted by name. A file replaces an earlier one with the same name. */
export function mergeFiles(...lists: readonly (readonly ExportedFile[])[]): ExportedFile[] {
  const byName = new Map(lists.flat().map((file) => [file.name, file]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function* verifyExport(
  out: WritableStore,
  only: string | null = null,
): AsyncGenerator<{ readonly name: string; readonly isDamaged: boolean }> {
  const names = await out.topNames();
  const roots = names.filter((name) => name.startsWith('release=') && (!only || name === only));
  for (const root of roots.sort()) {
    const list = await readFiles(out, root);
    if (!list) yield { name: `${root}/files.json`, isDamaged: true };
    for (const file of list ? [...list.files, ...list.companions] : []) {
      yield { name: file.name, isDamaged: !(await isAsRecorded(out, file)) };
    }
  }
}
