import { createHash } from 'node:crypto';
import { damaged, ShardError } from './errors.ts';
import { type Manifest, manifestSchema } from './manifest.ts';
import type { ObjectRef, Store } from './store/store.ts';

export const MANIFESTS = 'manifests/';

/** `manifests/<release>-<first digits of its SHA-256>.json` */
const NAME = /^manifests\/(.+)-([0-9a-f]{16})\.json$/;

/** The release a manifest's name speaks of; null for a name that is none. */
export function releaseOfName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

/** Reads a manifest by name, whether or not it is in force; a `ShardError` if it is not as it was written. */
export async function readManifest(
  store: Store,
  name: string,
): Promise<{ ref: ObjectRef; manifest: Manifest }> {
  const { bytes } = await store.readWhole(name);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const digits = NAME.exec(name)?.[2];
  if (digits === undefined || !sha256.startsWith(digits)) {
    throw damaged(name, 'hash', `is ${sha256}, which is not what its name says`);
  }
  const ref = { name, bytes: bytes.length, sha256 };
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new ShardError(name, 'content', (error as Error).message);
  }
  const parsed = manifestSchema.safeParse(content);
  if (parsed.success) return { ref, manifest: parsed.data };
  const [{ path, message }] = parsed.error.issues;
  throw new ShardError(name, path.join('.') || 'content', message);
}
