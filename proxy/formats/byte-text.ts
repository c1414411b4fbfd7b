/**
 * Text as its bytes of UTF-8, a character each. Joined, it stays as narrow as its bytes, however far
 * from ASCII it is, and `toBytes` copies it.
 */
export type ByteText = string & { readonly unit?: 'bytes' };

export function byteText(text: string): ByteText {
  return Buffer.from(text).toString('latin1');
}

export function toBytes(text: ByteText): Buffer {
  return Buffer.from(text, 'latin1');
}

/**
 * The same text in one piece. Joined text is a tree of its pieces, which each row that it stands in
 * would walk through again; a text that is kept is copied faster from one piece.
 */
export function inOnePiece(text: ByteText): ByteText {
  return toBytes(text).toString('latin1');
}
