import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { readFiles } from './exported-files.ts';

/** Rereads every file that the exports in a folder or bucket list. */
export async function* verifyExport(
  out: WritableStore,
): AsyncGenerator<{ readonly name: string; readonly isDamaged: boolean }> {
  const roots = (await out.topNames()).filter((name) => name.startsWith('release='));
  for (const root of roots.sort()) {
    const list = await readFiles(out, root);
    if (!list) yield { name: `${root}/files.json`, isDamaged: true };
    for (const file of list?.files ?? []) {
      yield { name: file.name, isDamaged: !(await isAsRecorded(out, file)) };
    }
  }
}
