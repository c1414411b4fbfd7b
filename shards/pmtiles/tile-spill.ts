import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Bytes gathered before they are written. */
const BUFFER_BYTES = 1 << 20;

/**
 * A scratch file for tiles that wait for their archive, of which many are written at once: memory
 * stays bounded whatever the archives grow to. Gone when closed.
 */
export class TileSpill {
  readonly #folder: string;
  readonly #file: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #written = 0;
  #buffered = 0;

  constructor(scratch: string = tmpdir()) {
    this.#folder = mkdtempSync(path.join(scratch, 'tta-tiles-'));
    this.#file = openSync(path.join(this.#folder, 'spill'), 'wx+');
  }

  /** Keeps some bytes; returns where they are. */
  append(bytes: Uint8Array): number {
    if (this.#buffered + bytes.length > BUFFER_BYTES) this.#flush();
    const offset = this.#written + this.#buffered;
    if (bytes.length > BUFFER_BYTES) {
      this.#write(bytes);
    } else {
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
    return offset;
  }

  read(offset: number, length: number): Uint8Array {
    if (offset + length > this.#written) this.#flush();
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.#file, bytes, done, length - done, offset + done);
      if (count === 0) throw new Error(`the scratch file ends before ${offset + length}`);
      done += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#written + done);
    }
    this.#written += bytes.length;
  }
}
