import { isUtf8 } from 'node:buffer';
import { BuildError } from '../errors.ts';

/**
 * The characters of the bytes from 0x80 to 0x9F in Windows-1252, which Node decodes as control
 * characters; the others are those of Latin-1.
 */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Decodes a piece of text, such as a field: as UTF-8 if its bytes are that, and otherwise as
 * Windows-1252. The result depends on these bytes alone, so the same id reads the same wherever it
 * is written, and ids that differ remain different.
 */
export function decodePiece(bytes: Buffer): string {
  return isUtf8(bytes)
    ? bytes.toString('utf8')
    : bytes
        .toString('latin1')
        .replaceAll(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80]);
}

/** Text, and the indices of the bytes at which pieces begin that are not UTF-8. */
export interface DecodedText {
  readonly text: string;
  readonly guessedAt: readonly number[];
}

/**
 * Pieces from their first byte beyond ASCII, between the marks that separate fields and strings.
 */
const PIECES = /[\x80-\xff][^,;|"\t\r\n]*/g;

/** Decodes the fields of a table, or the strings of JSON, each by `decodePiece`. */
export function decodePieces(bytes: Buffer): DecodedText {
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), guessedAt: [] };
  const guessedAt: number[] = [];
  const text = bytes.toString('latin1').replaceAll(PIECES, (piece, at: number) => {
    const part = bytes.subarray(at, at + piece.length);
    if (!isUtf8(part)) guessedAt.push(at);
    return decodePiece(part);
  });
  return { text, guessedAt };
}

const BYTE_ORDER_MARKS = [
  { mark: Buffer.from([0xef, 0xbb, 0xbf]), encoding: 'utf-8' },
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;
const MARK_BYTES = 3;

/**
 * Passes on the bytes of a text without its byte order mark, and converts UTF-16, which has one, to
 * UTF-8. `name` names the text in the error for invalid UTF-16.
 */
export async function* bytesOfText(
  name: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  let decode = (bytes: Buffer, _isLast: boolean) => bytes;
  for await (const chunk of chunks) {
    let bytes: Buffer = chunk;
    if (head !== null) {
      head = Buffer.concat([head, chunk]);
      if (head.length < MARK_BYTES) continue;
      [bytes, decode] = startOf(name, head);
      head = null;
    }
    yield decode(bytes, false);
  }
  if (head !== null) {
    const [bytes, decodeAll] = startOf(name, head);
    yield decodeAll(bytes, true);
  } else yield decode(Buffer.alloc(0), true);
}

type Decode = (bytes: Buffer, isLast: boolean) => Buffer;

function startOf(name: string, head: Buffer): [bytes: Buffer, decode: Decode] {
  const found = BYTE_ORDER_MARKS.find(({ mark }) => head.subarray(0, mark.length).equals(mark));
  const bytes = head.subarray(found?.mark.length ?? 0);
  if (found === undefined || found.encoding === 'utf-8') return [bytes, (one) => one];
  const decoder = new TextDecoder(found.encoding, { fatal: true, ignoreBOM: true });
  return [
    bytes,
    (one, isLast) => {
      try {
        return Buffer.from(decoder.decode(one, { stream: !isLast }));
      } catch {
        throw new BuildError(`${name}: is not valid text in UTF-16; save it in UTF-8`);
      }
    },
  ];
}
