import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RgwServer } from '../support/rgw.ts';

/**
 * Copies the objects of a folder store with matching names into a new bucket; returns its location.
 */
export async function copyToBucket(
  rgw: RgwServer,
  folder: string,
  wanted: RegExp,
): Promise<string> {
  const bucket = await rgw.bucket();
  const entries = await readdir(folder, { recursive: true });
  for (const Key of entries.filter((name) => wanted.test(name) && path.extname(name) !== '')) {
    const Body = await readFile(path.join(folder, Key));
    await rgw.client.putObject({ Bucket: bucket, Key, Body });
  }
  return `s3://${bucket}`;
}
