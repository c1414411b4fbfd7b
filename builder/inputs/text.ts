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
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeWindows1252(bytes);
}

function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80]);
}

/** Names of encodings by their numbers as code pages, where those are not part of the name. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  65001: 'utf-8',
};
/** A number such as 1252, CP1252, ANSI 1252, windows-1252 or 88591. */
const CODE_PAGE = /^(?:ansi|oem|windows|cp|ms|ibm|iso)?[ _-]*(\d+)(?:[ _-](\d+))?$/i;

/**
 * A decoder by the name or number of its encoding, as files state it; it returns null for bytes
 * that are not text in this encoding. Null for UTF-8 and unknown names, for which `decodePiece` is
 * better.
 */
export function decoderNamed(label: string): ((bytes: Buffer) => string | null) | null {
  const [, number, part = ''] = CODE_PAGE.exec(label.trim()) ?? [];
  const page = number === undefined ? label.trim() : `${number}${part}`;
  const name =
    CODE_PAGES[page] ??
    page
      .replace(/^8859(\d+)$/, 'iso-8859-$1')
      .replace(/^(125\d|874)$/, 'windows-$1')
      .replace(/^866$/, 'ibm866');
  try {
    const decoder = new TextDecoder(name, { fatal: true });
    if (decoder.encoding === 'utf-8') return null;
    if (decoder.encoding === 'windows-1252') return decodeWindows1252;
    return (bytes) => {
      try {
        return decoder.decode(bytes);
      } catch {
        return null;
      }
    };
  } catch {
    return null;
  }
}

/** Text, and the indices of the bytes at which pieces begin that are not UTF-8. */
interface DecodedText {
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
