import { Duplex } from 'node:stream';

/**
 * A connection with a simulated kernel, which accepts a given number of written bytes, all read by
 * the peer, and then no more, so that deliveries are known to the byte.
 */
export class ControlledSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  /** Bytes that the kernel has accepted and the peer has read. */
  taken = Buffer.alloc(0);
  /** Resolves when the kernel accepts no more and some bytes are left over. */
  readonly stalled: Promise<void>;
  #stall = () => {};
  #allowance: number;
  /** Whether the peer has reset the connection: a write fails before any of it is accepted. */
  #isReset = false;

  constructor(allowance: number) {
    super();
    this.#allowance = allowance;
    this.stalled = new Promise((resolve) => {
      this.#stall = resolve;
    });
    this.on('error', () => {});
  }

  /** Sends bytes as a client would. */
  ask(text: string): void {
    this.push(text);
  }

  /** Resets the connection as the peer; the server is notified at once. */
  reset(): void {
    this.#isReset = true;
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  }

  /** Resets the connection as the peer; the server notices at its next write. */
  resetUnnoticed(): void {
    this.#isReset = true;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#take(chunk, done);
  }

  override _writev(
    chunks: readonly { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error) => void,
  ): void {
    const all = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    this.#take(Buffer.concat(all), done);
  }

  #take(bytes: Buffer, done: (error?: Error) => void): void {
    if (this.#isReset) {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      return;
    }
    const some = bytes.subarray(0, this.#allowance);
    this.#allowance -= some.length;
    this.taken = Buffer.concat([this.taken, some]);
    if (some.length === bytes.length) done();
    else this.#stall();
  }
}
