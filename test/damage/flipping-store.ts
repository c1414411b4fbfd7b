import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../shards/errors.ts';
import type { ObjectRef, ObjectStat, Store } from '../../shards/store/store.ts';

/** A damaged byte of an object: the bits of `mask` are inverted. */
export interface Flip {
  readonly name: string;
  readonly at: number;
  readonly mask: number;
}

/** A byte range read from an object: from `from`, up to but excluding `to`. */
export interface ReadBytes {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The objects of a folder in memory, with at most one damaged byte at a time. */
export class FlippingStore implements Store {
  readonly location: string;
  flip: Flip | null = null;
  reads: ReadBytes[] = [];
  readonly #objects = new Map<string, Buffer>();

  constructor(folder: string) {
    this.location = folder;
  }

  /** The undamaged bytes of an object, which are read once and kept in memory. */
  async bytesOf(name: string): Promise<Buffer> {
    const known = this.#objects.get(name);
    if (known) return known;
    const bytes = await readFile(path.join(this.location, name)).catch((cause) => {
      throw new StoreError('missing', name, 'no such object', { cause });
    });
    this.#objects.set(name, bytes);
    return bytes;
  }

  async readRange({ name }: ObjectRef, offset: number, length: number): Promise<Uint8Array> {
    const whole = await this.bytesOf(name);
    if (offset + length > whole.length) throw new StoreError('changed', name, 'is shorter');
    return this.#read(name, offset, whole.subarray(offset, offset + length));
  }

  async readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }> {
    return { bytes: this.#read(name, 0, await this.bytesOf(name)), identity: name };
  }

  async stat(name: string): Promise<ObjectStat> {
    return { bytes: (await this.bytesOf(name)).length, sha256: null };
  }

  async presignedUrl(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {}

  #read(name: string, from: number, bytes: Uint8Array): Uint8Array {
    this.reads.push({ name, from, to: from + bytes.length });
    const read = Uint8Array.from(bytes);
    if (this.flip?.name === name) {
      const at = this.flip.at - from;
      if (at >= 0 && at < read.length) read[at] ^= this.flip.mask;
    }
    return read;
  }
}
