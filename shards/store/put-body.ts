import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Bytes } from '../units.ts';

const CHUNK_BYTES: Bytes = 2 ** 20;

/** The bytes of an object to be stored, which need not all be in memory at once. */
export interface PutBody {
  readonly bytes: number;
  /** The bytes in order; may be called more than once. */
  chunks(): AsyncIterable<Uint8Array>;
}

export function putBodyOf(whole: Uint8Array): PutBody {
  return {
    bytes: whole.length,
    async *chunks() {
      yield whole;
    },
  };
}

export function fileBody(file: string, bytes: Bytes): PutBody {
  return { bytes, chunks: () => createReadStream(file, { highWaterMark: CHUNK_BYTES }) };
}

export function concatBodies(parts: readonly PutBody[]): PutBody {
  return {
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    async *chunks() {
      for (const part of parts) yield* part.chunks();
    },
  };
}

export async function bufferBody(content: PutBody): Promise<Uint8Array> {
  const whole = new Uint8Array(content.bytes);
  let at = 0;
  for await (const chunk of content.chunks()) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

export async function sha256Of(content: PutBody): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.chunks()) hash.update(chunk);
  return hash.digest('hex');
}
