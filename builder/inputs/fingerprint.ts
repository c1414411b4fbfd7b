import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';

/**
 * SHA-256, hex, of some files' contents in the given order: used in a component's version. A folder
 * counts as its files by name.
 */
export async function fingerprint(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const input of paths) {
    try {
      for (const file of await filesIn(input)) {
        for await (const chunk of createReadStream(file)) hash.update(chunk);
      }
    } catch (error) {
      throw unreadable(input, error);
    }
  }
  return hash.digest('hex');
}

/** The file itself, or those of a folder by name. */
async function filesIn(input: string): Promise<string[]> {
  if (!(await stat(input)).isDirectory()) return [input];
  return (await readdir(input)).sort().map((name) => path.join(input, name));
}

/** The error for an input that cannot be read from the file system. */
export function unreadable(input: string, error: unknown): BuildError {
  const code = systemCode(error);
  if (code === 'ENOENT') return new BuildError(`${input}: no such file; check the path`);
  if (code === 'EISDIR') return new BuildError(`${input}: is a folder, not a file`);
  if (code === 'EACCES') return new BuildError(`${input}: permission denied`);
  return new BuildError(`${input}: cannot be read (${messageOf(error)})`);
}
