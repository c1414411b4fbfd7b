import type { Dispatcher } from 'undici';
import { TransientError } from '../../concurrency/retry.ts';
import type { Bytes } from '../../units.ts';

/** Largest object read as a whole: a national manifest is about 10 MB. */
export const MAX_WHOLE_BYTES: Bytes = 2 ** 28;
const REFUSAL_BYTES: Bytes = 4096;

/**
 * Reads a whole body: `length` bytes, or all that arrive before it ends. `count` receives the size
 * of each chunk.
 */
export async function bytesOf(
  { body }: Dispatcher.ResponseData,
  length: number | null,
  count: (received: Bytes) => void,
): Promise<Uint8Array> {
  const most = length ?? MAX_WHOLE_BYTES;
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    count(chunk.length);
    if (received > most) throw new TransientError(`more than ${most} bytes came`);
    chunks.push(chunk);
  }
  if (length !== null && received !== length) {
    throw new TransientError(`${received} of ${length} bytes came`);
  }
  return whole(chunks, received);
}

/**
 * Copies chunks into memory of their own, since a reader may view the bytes as numbers of any
 * width, and keep them.
 */
function whole(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

export async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('latin1');
    if (text.length >= REFUSAL_BYTES) break;
  }
  return text.slice(0, REFUSAL_BYTES);
}

/** Value of a header; empty if absent. */
export function textOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}
