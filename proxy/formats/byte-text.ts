/**
 * Text as its UTF-8 bytes, one character per byte. Concatenated, it takes one byte per character
 * even for non-ASCII text, and `toBytes` only copies it.
 */
export type ByteText = string & { readonly unit?: 'bytes' };

export function byteText(text: string): ByteText {
  return Buffer.from(text).toString('latin1');
}

export function toBytes(text: ByteText): Buffer {
  return Buffer.from(text, 'latin1');
}

/**
 * Flattens a text. Joined text is a tree of its pieces, which would be traversed again for each row
 * that contains it; a cached text copies faster when flat.
 */
export function inOnePiece(text: ByteText): ByteText {
  return toBytes(text).toString('latin1');
}
