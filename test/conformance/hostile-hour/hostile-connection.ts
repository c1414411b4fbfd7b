import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResponseReader, type WireResponse } from '../response-reader.ts';

/**
 * An attacker's longest wait for a response. Longer than any response takes on a busy machine: one
 * aborted halfway is charged in part, and the books would not match whole responses.
 */
const PATIENCE_MS = 400_000;

/** Records what arrives. */
export interface Witness {
  /** Records that the given number of bytes has arrived. */
  heard(bytes: number): void;
  /** Records that a complete response has arrived. */
  seen(response: WireResponse): void;
}

/** One connection of a hostile client, reopened whenever it has been closed. */
export class HostileConnection {
  readonly #port: number;
  readonly #witness: Witness;
  #socket: Socket | undefined;
  #responses: WireResponse[] = [];
  #received = 0;
  #isHead = false;
  #changed = () => {};

  constructor(port: number, witness: Witness) {
    this.#port = port;
    this.#witness = witness;
  }

  /** Sends raw bytes; a string is sent as Latin-1, so that it can hold any byte. */
  send(bytes: string | Buffer): void {
    this.#open().write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /**
   * Sends requests and reads the given number of complete responses, or until the server closes.
   */
  async ask(
    bytes: string | Buffer,
    { responses = 1, isHead = false } = {},
  ): Promise<WireResponse[]> {
    this.#responses = [];
    this.#isHead = isHead;
    this.send(bytes);
    await this.#until(() => this.#responses.length >= responses);
    this.#isHead = false;
    return this.#responses;
  }

  /** Sends bytes and reads nothing more, for a while; then resets. */
  async neglect(bytes: string | Buffer, forMs: number): Promise<void> {
    this.#open().pause();
    this.send(bytes);
    await sleep(forMs);
    this.reset();
  }

  /** Sends bytes, waits until the given number of response bytes have arrived, and resets. */
  async breakOff(bytes: string | Buffer, afterBytes: number): Promise<void> {
    this.#received = 0;
    this.#responses = [];
    this.send(bytes);
    // No more bytes follow a complete response, however short.
    await this.#until(() => this.#received >= afterBytes || this.#responses.length > 0);
    this.reset();
  }

  reset(): void {
    this.#socket?.resetAndDestroy();
    this.#socket = undefined;
  }

  async #until(isDone: () => boolean): Promise<void> {
    const timer = setTimeout(() => this.reset(), PATIENCE_MS);
    while (!isDone() && this.#socket !== undefined) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    clearTimeout(timer);
  }

  #open(): Socket {
    if (this.#socket !== undefined) return this.#socket;
    const reader = new ResponseReader();
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('data', (chunk) => {
      this.#received += chunk.length;
      this.#witness.heard(chunk.length);
      for (const response of reader.take(chunk, { isHead: this.#isHead })) {
        this.#responses.push(response);
        this.#witness.seen(response);
      }
      this.#changed();
    });
    // A server that gives up may reset while we still write.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#changed();
    });
    this.#socket = socket;
    return socket;
  }
}
