import { createHash } from 'node:crypto';
import { damaged, ShardError } from './errors.ts';
import { LATEST, type Latest, latestSchema } from './manifest.ts';
import type { Store } from './store/store.ts';

/**
 * `latest.json`: what is in force, and `check`, the SHA-256 of the rest as JSON, for there is no
 * other place that says what it should be.
 */
export function encodeLatest(latest: Latest): Uint8Array {
  const sealed = { ...latest, check: checkOf(latest) };
  return Buffer.from(`${JSON.stringify(sealed, null, 2)}\n`);
}

/** Reads what `encodeLatest` wrote; anything else is a `ShardError` that names the object. */
export function decodeLatest(bytes: Uint8Array, name: string = LATEST): Latest {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw damaged(name, 'content', (error as Error).message);
  }
  const { check, ...latest } = Object(content) as Record<string, unknown>;
  // One written by hand has none; a flipped byte does not take it away.
  if (check !== undefined && check !== checkOf(latest)) throw damaged(name, 'check');
  const parsed = latestSchema.safeParse(latest);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new ShardError(name, path.join('.') || 'content', message);
}

export async function readLatest(store: Store): Promise<Latest> {
  return decodeLatest((await store.readWhole(LATEST)).bytes);
}

function checkOf(latest: object): string {
  return createHash('sha256').update(JSON.stringify(latest)).digest('hex');
}
