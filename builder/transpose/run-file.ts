import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { Bytes } from '../../shards/units.ts';

/** A scratch file that sorted slices wait in: written one after the other, read in any order. */
export class RunFile {
  readonly #file: string;
  readonly #descriptor: number;
  #bytes: Bytes = 0;

  constructor(file: string) {
    this.#file = file;
    this.#descriptor = openSync(file, 'w+');
  }

  /** Returns where in the file the bytes are. */
  append(bytes: Uint8Array): Bytes {
    const start = this.#bytes;
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at, start + at);
    }
    this.#bytes += bytes.length;
    return start;
  }

  read(offset: Bytes, length: Bytes): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const read = readSync(this.#descriptor, bytes, at, length - at, offset + at);
      if (read === 0) throw new Error(`${this.#file} ends before byte ${offset + length}`);
      at += read;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#descriptor);
    rmSync(this.#file, { force: true });
  }
}
