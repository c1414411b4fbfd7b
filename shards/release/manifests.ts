import { createHash } from 'node:crypto';
import { fitted, parseJson } from '../codec/json-object.ts';
import { damaged } from '../errors.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { LATEST } from '../store/store.ts';
import { type Manifest, manifestSchema } from './manifest.ts';

export const MANIFESTS = 'manifests/';

/** `manifests/<release>-<first digits of its SHA-256>.json` */
const NAME = /^manifests\/(.+)-([0-9a-f]{16})\.json$/;

/** The release that a manifest's name refers to; null if it is not a manifest's name. */
export function releaseOfName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

/**
 * Reads a manifest, whether or not it is current; throws a `ShardError` if it is damaged.
 * `recorded`: its SHA-256 from `latest.json`; without it, the hash prefix in its name is checked.
 */
export async function readManifest(
  store: Store,
  name: string,
  recorded?: string,
): Promise<{ ref: ObjectRef; manifest: Manifest }> {
  const { bytes } = await store.readWhole(name);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const expected = recorded ?? NAME.exec(name)?.[2];
  if (expected === undefined || !sha256.startsWith(expected)) {
    const witness = recorded === undefined ? 'its name' : LATEST;
    throw damaged(name, 'hash', `is ${sha256}, which is not what ${witness} says`);
  }
  const manifest = fitted(name, parseJson(name, bytes), manifestSchema);
  return { ref: { name, bytes: bytes.length, sha256 }, manifest };
}
