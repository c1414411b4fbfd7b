import { createHash } from 'node:crypto';
import { messageOf } from '../error-facts.ts';
import { damaged, ShardError } from '../errors.ts';

/** The JSON an object consists of; a `ShardError` if it is none. */
export function parseJson(object: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw damaged(object, 'content', messageOf(error));
  }
}

interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Parses a value by its schema; throws a `ShardError` naming the member that does not fit. */
export function fitted<T>(object: string, value: unknown, schema: Schema<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new ShardError(object, path.join('.') || 'content', message);
}

/** Seals JSON that no other object names: the SHA-256 of the rest of it. */
export function sealOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
