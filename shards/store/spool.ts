import type { Bytes } from '../units.ts';
import type { PutBody } from './put-body.ts';
import { ScratchFile } from './scratch-file.ts';

/** Bytes kept in memory before spilling to disk: small objects never reach the disk. */
const IN_MEMORY: Bytes = 16 * 2 ** 20;
const CHUNK_BYTES: Bytes = 2 ** 20;

/**
 * Bytes appended sequentially and read back in order: in memory while they are few, then in a
 * scratch file, which `close` removes.
 */
export class Spool implements PutBody {
  readonly #file: string;
  readonly #inMemory: Bytes;
  #pieces: Uint8Array[] = [];
  #pending = 0;
  #scratch: ScratchFile | null = null;
  bytes = 0;

  /** `file`: where to spill what exceeds memory; its folder must exist. */
  constructor(file: string, inMemory: Bytes = IN_MEMORY) {
    this.#file = file;
    this.#inMemory = inMemory;
  }

  /** Takes ownership of `piece`, which must not change afterwards. */
  append(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#pending += piece.length;
    this.bytes += piece.length;
    if (this.#pending <= this.#inMemory) return;
    this.#scratch ??= new ScratchFile(this.#file);
    for (const pending of this.#pieces) this.#scratch.append(pending);
    this.#pieces = [];
    this.#pending = 0;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const spilled = this.bytes - this.#pending;
    for (let start = 0; start < spilled; start += CHUNK_BYTES) {
      yield this.#scratch!.read(start, Math.min(CHUNK_BYTES, spilled - start));
    }
    yield* this.#pieces;
  }

  close(): void {
    this.#pieces = [];
    this.#scratch?.close();
    this.#scratch = null;
  }
}
