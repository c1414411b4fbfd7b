import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Bytes } from '../../shards/units.ts';
import { unreadable } from '../inputs/fingerprint.ts';

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
