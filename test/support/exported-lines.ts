import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportRelease } from '../../builder/export/export-release.ts';
import { silent } from '../../builder/progress.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

/** The rows of exported tables of a release as text, without quotes in them, by table. */
export async function exportedLines(
  release: Release,
  tables: readonly string[],
): Promise<ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-lines-'));
  try {
    const counties = release.counties.map(({ fips }) => fips);
    await exportRelease(
      release,
      { tables, counties, format: 'csv' },
      new FolderStore(folder),
      silent,
    );
    const found = new Map<string, Record<string, string>[]>(tables.map((table) => [table, []]));
    for (const file of await readdir(folder, { recursive: true })) {
      const table = /table=([a-z_]+)\/.*\.csv$/.exec(file)?.[1];
      if (table === undefined) continue;
      const [head, ...lines] = (await readFile(path.join(folder, file), 'utf8'))
        .trimEnd()
        .split('\r\n');
      const names = head.split(',');
      for (const line of lines) {
        const cells = line.split(',');
        found.get(table)!.push(Object.fromEntries(names.map((name, i) => [name, cells[i]])));
      }
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
