/** A value that a text of JSON holds, or the beginning of it. */
export interface BoundedJson {
  readonly value: unknown;
  readonly isWhole: boolean;
}

/** What is nested deeper than any request: not looked at. */
export class NestedTooDeep extends Error {
  override readonly name = 'NestedTooDeep';
}

/**
 * The largest body that is taken has fewer; many more take long to parse. That is a polygon of 2,000
 * vertices in triangles with heights, 6 values a vertex, and a thousand values beside it.
 */
export const MAX_VALUES = 13_000;
export const MAX_DEPTH = 32;

const DECODER = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses JSON as far as `MAX_VALUES`: what comes after is left out, as if the text had ended there
 * with all that was open closed. What is wrong with such a body is wrong with its beginning too.
 * Throws a `SyntaxError` for what is no JSON, a `TypeError` for what is no UTF-8.
 */
export function parseBounded(bytes: Uint8Array): BoundedJson {
  const { end, closers } = extent(bytes);
  const text = DECODER.decode(bytes.subarray(0, end));
  return { value: JSON.parse(text + closers), isWhole: end === bytes.length };
}

/** Where to stop, always before a comma, and what closes all that is open there. */
function extent(bytes: Uint8Array): { end: number; closers: string } {
  const open: number[] = [];
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      // Either is closed by the character two after it.
      if (open.push(byte + 2) > MAX_DEPTH) throw new NestedTooDeep();
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open.pop();
    else if (byte === COLON) values++;
    else if (byte === COMMA && ++values > MAX_VALUES) {
      return { end: i, closers: String.fromCharCode(...open.reverse()) };
    }
  }
  return { end: bytes.length, closers: '' };
}

/** The quote that ends the string which another begins. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
