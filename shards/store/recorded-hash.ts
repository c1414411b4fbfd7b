import { createHash } from 'node:crypto';
import { Turns } from '../concurrency/turns.ts';
import { damaged, ShardError, StoreError } from '../errors.ts';
import type { Bytes } from '../units.ts';
import type { PutBody } from './put-body.ts';
import type { ObjectRef, Store, WritableStore } from './store.ts';

/** Bytes hashed between two clock checks: about 2 ms. */
const STEP_BYTES: Bytes = 2 ** 20;
/** Bytes per read where the whole object need not be in memory. */
const READ_BYTES: Bytes = 4 * 2 ** 20;

/** Reads a whole object; throws a `ShardError` if its SHA-256 is not the recorded one. */
export async function readVerified(
  store: Store,
  ref: ObjectRef,
  turns = Turns.SHARED,
): Promise<Uint8Array> {
  const whole = await store.readRange(ref, 0, ref.bytes);
  requireHash(ref, await turns.run(hashSteps(whole)));
  return whole;
}

export function* hashSteps(bytes: Uint8Array): Generator<undefined, string, undefined> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    hash.update(bytes.subarray(at, at + STEP_BYTES));
    yield;
  }
  return hash.digest('hex');
}

/**
 * Checks an object as `readVerified` does, but range by range, since it may be too large for
 * memory.
 */
export async function checkRecordedHash(store: Store, ref: ObjectRef): Promise<void> {
  for await (const _ of storedBody(store, ref).chunks());
  // A range read verifies the length too, but an empty object has no ranges.
  if (ref.bytes === 0) await store.readRange(ref, 0, 0);
}

/**
 * The content of an object of another store, read range by range; ends with a `ShardError` if its
 * SHA-256 is not the recorded one.
 */
export function storedBody(store: Store, ref: ObjectRef): PutBody {
  return {
    bytes: ref.bytes,
    async *chunks() {
      const hash = createHash('sha256');
      for (let offset = 0; offset < ref.bytes; offset += READ_BYTES) {
        const length = Math.min(READ_BYTES, ref.bytes - offset);
        const bytes = await store.readRange(ref, offset, length);
        hash.update(bytes);
        yield bytes;
      }
      requireHash(ref, hash.digest('hex'));
    },
  };
}

/**
 * Whether an object exists as recorded. A store that records hashes is queried for them; otherwise
 * the object is read.
 */
export async function isAsRecorded(store: WritableStore, ref: ObjectRef): Promise<boolean> {
  const there = await store.stat(ref.name);
  if (there?.bytes !== ref.bytes) return false;
  if (there.sha256 !== null) return there.sha256 === ref.sha256;
  try {
    await checkRecordedHash(store, ref);
    return true;
  } catch (error) {
    if (error instanceof ShardError) return false;
    if (error instanceof StoreError && ['missing', 'changed'].includes(error.failure)) return false;
    throw error;
  }
}

function requireHash(ref: ObjectRef, sha256: string): void {
  if (sha256 === ref.sha256) return;
  throw damaged(ref.name, 'hash', `is ${sha256}; the manifest says ${ref.sha256}`);
}
