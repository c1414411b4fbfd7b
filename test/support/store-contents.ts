import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * SHA-256 of every file of a store by name, leaving out locks, its id, times of publication,
 * notes, which depend on the release before, and plans and receipts, which record how a store was
 * built and not its contents.
 */
export async function storeContents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .filter(
      (name) => !/^(plans|receipts|published|notes|\.store-id)/.test(name) && !/lock\b/.test(name),
    );
  const hashes = names.sort().map(async (name) => {
    const bytes = await readFile(path.join(folder, name));
    const content = name === 'latest.json' ? withoutTime(bytes) : bytes;
    return [name, createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

function withoutTime(latest: Uint8Array): string {
  const { published_at: _, check: __, ...rest } = JSON.parse(Buffer.from(latest).toString());
  return JSON.stringify(rest);
}
