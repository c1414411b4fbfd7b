import { watch } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';

/** A folder, made if need be, whose files are counted, those removed again included. */
export async function watchedFolder(folder: string) {
  await mkdir(folder, { recursive: true });
  const seen = new Set<string | null>();
  const watcher = watch(folder, (_, file) => seen.add(file));
  return {
    /** Stops watching; returns how many files there were, and how many are left. */
    async counted(): Promise<{ seen: number; left: number }> {
      const left = (await readdir(folder)).length;
      watcher.close();
      return { seen: seen.size, left };
    },
  };
}
