import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';

/**
 * Returns the SHA-256 of an input in hex. For a folder, it covers the name, size and contents of
 * each file, in order of name, since readers of the folder choose files by their names. It does not
 * cover subfolders, such as `__MACOSX`, which no reader enters.
 */
export async function fingerprint(input: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    if ((await stat(input)).isDirectory()) await hashFolder(hash, input);
    else await hashFile(hash, input);
  } catch (error) {
    throw unreadable(input, error);
  }
  return hash.digest('hex');
}

async function hashFolder(hash: Hash, folder: string): Promise<void> {
  for (const name of (await readdir(folder)).sort()) {
    const file = path.join(folder, name);
    const facts = await stat(file);
    if (facts.isDirectory()) continue;
    hash.update(`${name}\0${facts.size}\0`);
    await hashFile(hash, file);
  }
}

async function hashFile(hash: Hash, file: string): Promise<void> {
  for await (const chunk of createReadStream(file)) hash.update(chunk);
}

export function unreadable(input: string, error: unknown): BuildError {
  // It names the file already.
  if (error instanceof BuildError) return error;
  const code = systemCode(error);
  if (code === 'ENOENT') return new BuildError(`${input}: no such file; check the path`);
  if (code === 'EISDIR') return new BuildError(`${input}: is a folder, not a file`);
  if (code === 'EACCES') return new BuildError(`${input}: permission denied`);
  return new BuildError(`${input}: cannot be read (${messageOf(error)})`);
}

/** Returns the size of an input file. Throws a `BuildError` if it is missing or unreadable. */
export async function sizeOf(file: string): Promise<Bytes> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Size, SHA-256 and MD5 of a file, the digests in hex, in a single read. */
export async function digestsOf(
  path: string,
): Promise<{ bytes: Bytes; sha256: string; md5: string }> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      sha256.update(chunk);
      md5.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  return { bytes, sha256: sha256.digest('hex'), md5: md5.digest('hex') };
}
