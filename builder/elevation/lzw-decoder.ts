import { BaseDecoder } from 'geotiff';
import { blockLimit, damaged, tooLarge } from './block-limit.ts';

const CLEAR = 256;
const END = 257;
const FIRST_STRING = 258;
const MIN_BITS = 9;
const MAX_BITS = 12;
const STRINGS = 1 << MAX_BITS;
const NONE = -1;

/** Unpacks TIFF's variant of LZW, up to the size that a strip’s or tile’s tags give. */
export class LzwDecoder extends BaseDecoder {
  override async decodeBlock(packed: ArrayBufferLike): Promise<ArrayBufferLike> {
    return unpackLzw(new Uint8Array(packed), blockLimit(this.parameters));
  }
}

/**
 * Unpacks LZW data. Each code stands for a string: a single byte, or the string of an earlier code
 * plus one byte. Each code also defines a new string: that of the previous code plus its own first
 * byte. So a code may refer to the very string it defines.
 */
function unpackLzw(packed: Uint8Array, limit: number): ArrayBuffer {
  const start = new Uint16Array(STRINGS);
  const lastByte = Uint8Array.from({ length: STRINGS }, (_, code) => code);
  const lengths = new Uint16Array(STRINGS).fill(1);
  const out = new Uint8Array(limit);
  let size = 0;
  let strings = FIRST_STRING;
  let codeBits = MIN_BITS;
  let before = NONE;
  let held = 0;
  let heldBits = 0;
  for (const byte of packed) {
    held = ((held << 8) | byte) & 0xff_ffff;
    heldBits += 8;
    if (heldBits < codeBits) continue;
    heldBits -= codeBits;
    const code = (held >>> heldBits) & ((1 << codeBits) - 1);
    if (code === END) break;
    if (code === CLEAR) {
      strings = FIRST_STRING;
      codeBits = MIN_BITS;
      before = NONE;
      continue;
    }
    const isNew = code === strings;
    if (code > strings || (before === NONE && code > CLEAR)) throw damaged();
    const known = isNew ? before : code;
    const first = size;
    size += lengths[known] + Number(isNew);
    if (size > limit) throw tooLarge(limit);
    let at = first + lengths[known];
    for (let string = known; at > first; string = start[string]) out[--at] = lastByte[string];
    if (isNew) out[size - 1] = out[first];
    if (before !== NONE && strings < STRINGS) {
      start[strings] = before;
      lastByte[strings] = out[first];
      lengths[strings] = lengths[before] + 1;
      strings++;
    }
    // Codes grow longer one string earlier than necessary.
    if (strings + 1 >= 1 << codeBits && codeBits < MAX_BITS) codeBits++;
    before = code;
  }
  return out.slice(0, size).buffer;
}
