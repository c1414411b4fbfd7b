import { closeSync, createReadStream, openSync, rmSync, writeSync } from 'node:fs';
import type { Content } from './content.ts';
import type { Bytes } from './units.ts';

/** Bytes kept in memory before any go to the disk: small objects never touch it. */
const IN_MEMORY: Bytes = 16 * 2 ** 20;

/**
 * Bytes appended one piece after the other and read back in order, in memory while they are few and
 * in a scratch file after that. `close` removes the file.
 */
export class Spool implements Content {
  readonly #file: string;
  readonly #inMemory: Bytes;
  #pieces: Uint8Array[] = [];
  #pending = 0;
  #descriptor: number | null = null;
  bytes = 0;

  /** `file`: where to put what memory does not hold; its folder must exist. */
  constructor(file: string, inMemory: Bytes = IN_MEMORY) {
    this.#file = file;
    this.#inMemory = inMemory;
  }

  /** Takes over `piece`: it must not change afterwards. */
  append(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#pending += piece.length;
    this.bytes += piece.length;
    if (this.#pending > this.#inMemory) this.#flush();
  }

  #flush(): void {
    this.#descriptor ??= openSync(this.#file, 'w');
    for (const piece of this.#pieces) {
      for (let at = 0; at < piece.length; ) {
        at += writeSync(this.#descriptor, piece, at, piece.length - at);
      }
    }
    this.#pieces = [];
    this.#pending = 0;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#descriptor !== null) {
      this.#flush();
      yield* createReadStream(this.#file, { highWaterMark: 1 << 20 });
    }
    yield* this.#pieces;
  }

  close(): void {
    this.#pieces = [];
    if (this.#descriptor === null) return;
    closeSync(this.#descriptor);
    rmSync(this.#file, { force: true });
    this.#descriptor = null;
  }
}
