import { checkedSection, readEnvelope } from '../../shards/store/envelope.ts';

/** Opens an object of the builder's own, whose sections are mostly numbers. */
export function openTable(object: string, whole: Uint8Array, kind: string) {
  const envelope = readEnvelope(object, whole, whole.length, kind);
  const section = (tag: string) => checkedSection(object, envelope, tag, whole);
  // Copied, because the bytes may not be aligned in memory.
  const own = (tag: string) => Uint8Array.from(section(tag)).buffer;
  return {
    section,
    numbers: (tag: string) => new Float64Array(own(tag)),
    uint32s: (tag: string) => new Uint32Array(own(tag)),
  };
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
