import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { Bytes } from '../units.ts';

/** Bytes buffered before a write. */
const BUFFER_BYTES = 1 << 20;

/**
 * A file for data that exceeds memory: bytes are appended sequentially and read back in any order.
 * Removed when closed.
 */
export class ScratchFile {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #written: Bytes = 0;
  #buffered: Bytes = 0;

  /** `file`: its folder must exist; an existing file is overwritten. */
  constructor(file: string) {
    this.#file = file;
    this.#descriptor = openSync(file, 'w+');
  }

  get bytes(): Bytes {
    return this.#written + this.#buffered;
  }

  append(bytes: Uint8Array): Bytes {
    if (this.#buffered + bytes.length > BUFFER_BYTES) this.#flush();
    const offset = this.bytes;
    if (bytes.length > BUFFER_BYTES) {
      this.#write(bytes);
    } else {
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
    return offset;
  }

  read(offset: Bytes, length: Bytes): Uint8Array {
    if (offset + length > this.#written) this.#flush();
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

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#written + at);
    }
    this.#written += bytes.length;
  }
}
