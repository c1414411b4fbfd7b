import { decodeRow, type ModeRow, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import { Spool } from '../../shards/spool.ts';

const HEAD_BYTES = 8;
const NO_MORE = Number.POSITIVE_INFINITY;
/** Rows are handed to the spool in pieces of about this size. */
const PIECE_BYTES = 1 << 20;

/** Rows by target, ascending, in a scratch file: per row its target and length, 32 bits each, and it. */
export class Run {
  readonly modes: number;
  readonly unit: TimeUnit;
  readonly #spool: Spool;
  #piece = new Uint8Array(PIECE_BYTES);
  #filled = 0;

  constructor(file: string, modes: number, unit: TimeUnit) {
    this.#spool = new Spool(file);
    this.modes = modes;
    this.unit = unit;
  }

  add(target: number, row: Uint8Array): void {
    if (this.#filled + HEAD_BYTES + row.length > this.#piece.length) this.#flush(row.length);
    const view = new DataView(this.#piece.buffer, this.#filled);
    view.setUint32(0, target, true);
    view.setUint32(4, row.length, true);
    this.#piece.set(row, this.#filled + HEAD_BYTES);
    this.#filled += HEAD_BYTES + row.length;
  }

  #flush(next: number): void {
    this.#spool.append(this.#piece.subarray(0, this.#filled));
    this.#piece = new Uint8Array(Math.max(PIECE_BYTES, HEAD_BYTES + next));
    this.#filled = 0;
  }

  chunks(): AsyncIterable<Uint8Array> {
    if (this.#filled > 0) this.#flush(0);
    return this.#spool.chunks();
  }

  close(): void {
    this.#spool.close();
  }
}

/** Reads a run row by row. */
export class RunReader {
  /** Of the row at hand; infinity past the last. */
  target = -1;
  readonly #run: Run;
  readonly #origins: number;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #pending: Uint8Array = new Uint8Array(0);
  #at = 0;
  #row: Uint8Array = new Uint8Array(0);

  /** `origins`: how many there are in all. */
  constructor(run: Run, origins: number) {
    this.#run = run;
    this.#origins = origins;
    this.#chunks = run.chunks()[Symbol.asyncIterator]();
  }

  async advance(): Promise<void> {
    if (!(await this.#hold(HEAD_BYTES))) {
      this.target = NO_MORE;
      return;
    }
    const view = new DataView(this.#pending.buffer, this.#pending.byteOffset + this.#at);
    const length = view.getUint32(4, true);
    this.target = view.getUint32(0, true);
    this.#at += HEAD_BYTES;
    if (!(await this.#hold(length))) throw new Error('a run of the transposition ends early');
    this.#row = this.#pending.subarray(this.#at, this.#at + length);
    this.#at += length;
  }

  row(): ModeRow[] {
    const { modes, unit } = this.#run;
    return decodeRow('run', this.target, this.#row, modes, this.#origins, unit);
  }

  /** Makes sure that so many bytes are at hand; false at the very end. */
  async #hold(bytes: number): Promise<boolean> {
    if (this.#pending.length - this.#at >= bytes) return true;
    const parts = [this.#pending.subarray(this.#at)];
    let held = parts[0].length;
    while (held < bytes) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(value);
      held += value.length;
    }
    this.#pending = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    this.#at = 0;
    return held >= bytes && held > 0;
  }
}
