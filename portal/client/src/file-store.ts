import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EtagStore } from './etag-stores.ts';

/**
 * Creates a store in a folder, for Node, Deno and Bun, with one file per response. Processes may
 * share it. Files may be deleted at any time; a damaged one is ignored.
 */
export function fileStore(folder: string): EtagStore {
  const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
  const fileOf = (key: string) => join(folder, hash(key));
  return {
    async get(key) {
      const bytes = await readFile(fileOf(key)).catch(() => null);
      if (!bytes) return undefined;
      const end = bytes.indexOf('\n');
      const body = new Uint8Array(bytes.subarray(end + 1));
      const head = bytes.subarray(0, Math.max(end, 0)).toString();
      const sum = hash(body);
      return head.startsWith(sum)
        ? { headers: JSON.parse(head.slice(sum.length)), body }
        : undefined;
    },
    async set(key, { headers, body }) {
      await mkdir(folder, { recursive: true });
      const head = `${hash(body)}${JSON.stringify(headers)}\n`;
      const draft = join(folder, `${randomUUID()}.draft`);
      await writeFile(draft, Buffer.concat([Buffer.from(head), body]));
      await rename(draft, fileOf(key));
    },
  };
}
