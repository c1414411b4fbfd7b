import { isAsRecorded } from '../../shards/store/recorded-hash.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { readFiles } from './exported-files.ts';

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
