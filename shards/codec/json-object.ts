import { createHash } from 'node:crypto';
import { messageOf } from '../error-facts.ts';
import { damaged, ShardError } from '../errors.ts';
import { jsonSteps } from './json-steps.ts';

export function parseJson(object: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw damaged(object, 'content', messageOf(error));
  }
}

/** Parses an object as `parseJson` does, but in steps, for long objects. */
export function* parseJsonSteps(
  object: string,
  bytes: Uint8Array,
): Generator<undefined, unknown, undefined> {
  try {
    return yield* jsonSteps(bytes);
  } catch (error) {
    throw damaged(object, 'content', messageOf(error));
  }
}

/** Number of list items per step, which takes well below a millisecond. */
export const STEP_ITEMS = 100;

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

/**
 * Parses a value by its schema; throws a `ShardError` naming the member that does not match.
 * `within`: where the value is in the object.
 */
export function parseWith<T>(
  object: string,
  value: unknown,
  schema: Schema<T>,
  within: readonly string[] = [],
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new ShardError(object, [...within, ...path].join('.') || 'content', message);
}

/** Computes `hashOfJson` of a long list in steps. */
export function* listSealSteps(items: readonly unknown[]): Generator<undefined, string, undefined> {
  const hash = createHash('sha256').update('[');
  for (let i = 0; i < items.length; i += STEP_ITEMS) {
    const text = items.slice(i, i + STEP_ITEMS).map((item) => JSON.stringify(item));
    hash.update(`${i === 0 ? '' : ','}${text.join()}`);
    yield;
  }
  return hash.update(']').digest('hex');
}

/**
 * The SHA-256 of a value as JSON, in hex: a key that follows from what something is made of, or the
 * seal of an object whose hash is not recorded elsewhere.
 */
export function hashOfJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
