import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { BuildError } from '../errors.ts';

/** SHA-256, hex, of some files' contents in the given order: what a component's version names. */
export async function fingerprint(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    try {
      for await (const chunk of createReadStream(path)) hash.update(chunk);
    } catch (error) {
      throw unreadable(path, error);
    }
  }
  return hash.digest('hex');
}

/** The error for an input that the file system does not give. */
export function unreadable(path: string, error: unknown): BuildError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new BuildError(`${path}: no such file; check the path`);
  if (code === 'EISDIR') return new BuildError(`${path}: is a folder; a file is needed`);
  if (code === 'EACCES') return new BuildError(`${path}: permission denied`);
  return new BuildError(`${path}: cannot be read (${message})`);
}
