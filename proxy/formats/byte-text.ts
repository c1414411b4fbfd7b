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
