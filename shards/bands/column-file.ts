import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { z } from 'zod';
import { parseJson, parseWith } from '../codec/json-object.ts';
import { messageOf } from '../error-facts.ts';
import { ShardError } from '../errors.ts';
import type { Bytes } from '../units.ts';
import { columnBytes, decodeColumn, encodeColumn, HEAD_AT } from './column-layout.ts';

/**
 * Limit on the inflated head, more than any county needs: a few bytes of Deflate could expand to
 * gigabytes.
 */
const MAX_HEAD_BYTES: Bytes = 1 << 26;

const deflate = promisify(deflateRaw);
const DENSEST = { level: 9 };

/**
 * Encodes columns of numbers below 8, one for each block. `headOf`: returns the head, given the
 * lengths of the columns.
 */
export async function encodeColumnFile(
  magic: string,
  columns: readonly Uint8Array[],
  headOf: (columnBytes: readonly Bytes[]) => object,
): Promise<Uint8Array> {
  const packed = await Promise.all(columns.map((one) => deflate(encodeColumn(one), DENSEST)));
  const text = JSON.stringify(headOf(packed.map(({ length }) => length)));
  const head = await deflate(text, DENSEST);
  const start = Buffer.alloc(HEAD_AT);
  start.write(magic, 'latin1');
  start.writeUInt32LE(head.length, magic.length);
  return Buffer.concat([start, head, ...packed]);
}

export class ColumnFile<Head extends { readonly column_bytes: readonly Bytes[] }> {
  readonly head: Head;
  readonly #object: string;
  readonly #columns: readonly Uint8Array[];

  /**
   * Throws a `ShardError` for anything that `encodeColumnFile` did not write. `kind`: the content,
   * in words.
   */
  constructor(
    object: string,
    bytes: Uint8Array,
    { magic, kind, schema }: { magic: string; kind: string; schema: z.ZodType<Head> },
  ) {
    const fail = (problem: string) => new ShardError(object, 'head', problem);
    if (Buffer.from(bytes.subarray(0, magic.length)).toString('latin1') !== magic) {
      throw fail(`not ${kind}`);
    }
    if (bytes.length < HEAD_AT) throw fail(`truncated: ${bytes.length} bytes`);
    const { buffer, byteOffset } = bytes;
    const end = HEAD_AT + new DataView(buffer, byteOffset).getUint32(magic.length, true);
    const text = inflated(object, 'head', bytes.subarray(HEAD_AT, end), MAX_HEAD_BYTES);
    this.head = parseWith(object, parseJson(object, text), schema);
    this.#object = object;
    let at = end;
    this.#columns = this.head.column_bytes.map((length) => {
      at += length;
      return bytes.subarray(at - length, at);
    });
    if (at !== bytes.length) throw fail(`columns end at ${at} of ${bytes.length} bytes`);
  }

  column(number: number, blocks: number): Uint8Array {
    const part = `column ${number}`;
    const bytes = columnBytes(blocks);
    const steps = inflated(this.#object, part, this.#columns[number], bytes);
    if (steps.length !== bytes) {
      throw new ShardError(this.#object, part, `has ${steps.length} of ${bytes} bytes`);
    }
    return decodeColumn(steps, blocks);
  }
}

function inflated(object: string, part: string, packed: Uint8Array, most: Bytes): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    throw new ShardError(object, part, messageOf(error));
  }
}
