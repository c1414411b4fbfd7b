import { crc32c } from '../codec/crc32c.ts';
import { damaged, ShardError } from '../errors.ts';
import { concatBodies, type PutBody, putBodyOf } from './put-body.ts';

/**
 * The envelope of every binary object:
 *
 *     0   8  magic "TTASHARD"
 *     8   2  format version
 *    10   2  number of sections
 *    12   4  kind, four letters
 *    16   4  bytes of this header, so that a reader knows what to fetch first
 *    20   4  `stemSum` of an object that is read in part; zero where the whole is hashed
 *    24  32  per section: tag (4 letters), CRC-32C (4), offset (8), bytes (8), zero (8)
 *     …   4  CRC-32C of all of the above
 *
 * Little-endian. Sections follow, each on an 8-byte boundary, so that typed arrays can view them
 * without a copy. The CRC of a section whose rows carry their own checksums is zero.
 */
const MAGIC = 'TTASHARD';
const FIXED_BYTES = 24;
const ENTRY_BYTES = 32;
const ALIGNMENT = 8;

export interface Section {
  readonly tag: string;
  readonly bytes: Uint8Array;
}

/** Tag of sections whose rows carry their own checksums. */
export const SELF_CHECKED = 'ROWS';

interface SectionEntry {
  readonly tag: string;
  readonly crc: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface Envelope {
  readonly kind: string;
  readonly sum: number;
  readonly headerBytes: number;
  readonly sections: readonly SectionEntry[];
}

/** Bytes to fetch first: more than any header in use, so that one read is enough. */
export const HEADER_READ_BYTES = 1024;

/** Builds a whole object in memory. `sum`: its `stemSum`, for an object that is read in part. */
export function writeEnvelope(kind: string, sections: readonly Section[], sum = 0): Uint8Array {
  const { header, offsets, end } = layOut(kind, sections.map(sized), sum);
  return filled(end, header, sections, offsets);
}

/**
 * Builds an object whose last section consists of rows, which may be too large for memory. `sum`:
 * its `stemSum`.
 */
export function envelopeContent(
  kind: string,
  sections: readonly Section[],
  rows: PutBody,
  sum: number,
): PutBody {
  const rowSection = { tag: SELF_CHECKED, bytes: rows.bytes, crc: 0 };
  const { header, offsets, end } = layOut(kind, [...sections.map(sized), rowSection], sum);
  const head = filled(offsets[sections.length], header, sections, offsets);
  const padding = new Uint8Array(end - head.length - rows.bytes);
  return concatBodies([putBodyOf(head), rows, putBodyOf(padding)]);
}

function sized({ tag, bytes }: Section) {
  return { tag, bytes: bytes.length, crc: crcOf(tag, bytes) };
}

function filled(
  length: number,
  header: Uint8Array,
  sections: readonly Section[],
  offsets: readonly number[],
): Uint8Array {
  const out = new Uint8Array(length);
  out.set(header);
  sections.forEach(({ bytes }, i) => {
    out.set(bytes, offsets[i]);
  });
  return out;
}

function crcOf(tag: string, bytes: Uint8Array): number {
  return tag === SELF_CHECKED ? 0 : crc32c(bytes);
}

function layOut(
  kind: string,
  sections: readonly { tag: string; bytes: number; crc: number }[],
  sum: number,
) {
  const headerBytes = FIXED_BYTES + sections.length * ENTRY_BYTES + 4;
  let end = align(headerBytes);
  const offsets = sections.map(({ bytes }) => {
    const offset = end;
    end = align(offset + bytes);
    return offset;
  });
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  putLetters(header, 0, MAGIC);
  view.setUint16(8, FORMAT_VERSION, true);
  view.setUint16(10, sections.length, true);
  putLetters(header, 12, kind);
  view.setUint32(16, headerBytes, true);
  view.setUint32(20, sum, true);
  sections.forEach(({ tag, bytes, crc }, i) => {
    const at = FIXED_BYTES + i * ENTRY_BYTES;
    putLetters(header, at, tag);
    view.setUint32(at + 4, crc, true);
    view.setBigUint64(at + 8, BigInt(offsets[i]), true);
    view.setBigUint64(at + 16, BigInt(bytes), true);
  });
  view.setUint32(headerBytes - 4, crc32c(header, 0, 0, headerBytes - 4), true);
  return { header, offsets, end };
}

/**
 * Reads the header of `object` from its first `bytes`, at least `headerBytes` of them. Throws a
 * `ShardError` for anything but a complete header of the expected kind whose sections lie within
 * `objectBytes`.
 */
export function readEnvelope(
  object: string,
  bytes: Uint8Array,
  objectBytes: number,
  kind?: string,
): Envelope {
  const fail = (problem: string) => new ShardError(object, 'header', problem);
  if (bytes.length < FIXED_BYTES) throw fail(`truncated: ${bytes.length} bytes`);
  if (getLetters(bytes, 0, 8) !== MAGIC) throw fail('not a shard of this service');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint16(8, true);
  if (version !== FORMAT_VERSION) {
    throw fail(`format version ${version}; this program reads version ${FORMAT_VERSION}`);
  }
  const sectionCount = view.getUint16(10, true);
  const headerBytes = view.getUint32(16, true);
  if (headerBytes !== FIXED_BYTES + sectionCount * ENTRY_BYTES + 4) throw damaged(object, 'header');
  if (bytes.length < headerBytes) throw fail(`truncated: ${bytes.length} of ${headerBytes} bytes`);
  if (view.getUint32(headerBytes - 4, true) !== crc32c(bytes, 0, 0, headerBytes - 4)) {
    throw damaged(object, 'header');
  }
  const found = getLetters(bytes, 12, 4);
  if (kind !== undefined && found !== kind) throw fail(`is a "${found}", not a "${kind}"`);
  const sections = Array.from({ length: sectionCount }, (_, i): SectionEntry => {
    const at = FIXED_BYTES + i * ENTRY_BYTES;
    return {
      tag: getLetters(bytes, at, 4),
      crc: view.getUint32(at + 4, true),
      offset: Number(view.getBigUint64(at + 8, true)),
      bytes: Number(view.getBigUint64(at + 16, true)),
    };
  });
  for (const { tag, offset, bytes: length } of sections) {
    if (offset + length > objectBytes) {
      throw new ShardError(object, tag, `truncated: ends at ${offset + length} of ${objectBytes}`);
    }
  }
  return { kind: found, sum: view.getUint32(20, true), headerBytes, sections };
}

export function sectionOf(object: string, envelope: Envelope, tag: string): SectionEntry {
  const entry = envelope.sections.find((s) => s.tag === tag);
  if (!entry) throw new ShardError(object, tag, 'section is missing');
  return entry;
}

/** The verified bytes of a section in `whole`, which starts at offset `base` of the object. */
export function checkedSection(
  object: string,
  envelope: Envelope,
  tag: string,
  whole: Uint8Array,
  base = 0,
): Uint8Array {
  const entry = sectionOf(object, envelope, tag);
  const bytes = whole.subarray(entry.offset - base, entry.offset - base + entry.bytes);
  if (bytes.length !== entry.bytes) throw new ShardError(object, tag, 'truncated');
  if (crcOf(tag, bytes) !== entry.crc) {
    throw damaged(object, tag);
  }
  return bytes;
}

function align(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

function putLetters(out: Uint8Array, at: number, letters: string): void {
  for (let i = 0; i < letters.length; i++) out[at + i] = letters.charCodeAt(i);
}

function getLetters(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** The version of every binary layout in `shards/`. Readers reject any other. */
export const FORMAT_VERSION = 5;
