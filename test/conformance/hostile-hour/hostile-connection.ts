import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerReader, type WireAnswer } from '../answer-reader.ts';

/**
 * The longest that an attacker waits for what it asked for. Longer than any answer takes on a busy
 * machine: one given up halfway is paid for in part, and the books would not be those of whole ones.
 */
const PATIENCE_MS = 100_000;

/** Who keeps account of what comes. */
export interface Witness {
  /** So many bytes have come. */
  heard(bytes: number): void;
  /** An answer has come whole. */
  seen(answer: WireAnswer): void;
}

/** One connection of a hostile client, opened anew whenever it has been closed. */
export class HostileConnection {
  readonly #port: number;
  readonly #witness: Witness;
  #socket: Socket | undefined;
  #answers: WireAnswer[] = [];
  #received = 0;
  #isHead = false;
  #changed = () => {};

  constructor(port: number, witness: Witness) {
    this.#port = port;
    this.#witness = witness;
  }

  /** Sends bytes as they are: Latin-1 text, so that any byte can be written. */
  send(bytes: string | Buffer): void {
    this.#open().write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Sends requests and reads so many whole answers, or until the server closes. */
  async ask(bytes: string | Buffer, { answers = 1, isHead = false } = {}): Promise<WireAnswer[]> {
    this.#answers = [];
    this.#isHead = isHead;
    this.send(bytes);
    await this.#until(() => this.#answers.length >= answers);
    this.#isHead = false;
    return this.#answers;
  }

  /** Sends bytes and reads nothing more, for a while; then resets. */
  async neglect(bytes: string | Buffer, forMs: number): Promise<void> {
    this.#open().pause();
    this.send(bytes);
    await sleep(forMs);
    this.reset();
  }

  /** Sends bytes, waits until so many of the answer have come, and resets. */
  async breakOff(bytes: string | Buffer, afterBytes: number): Promise<void> {
    this.#received = 0;
    this.#answers = [];
    this.send(bytes);
    // A short answer is all there will be.
    await this.#until(() => this.#received >= afterBytes || this.#answers.length > 0);
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
    const reader = new AnswerReader();
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('data', (chunk) => {
      this.#received += chunk.length;
      this.#witness.heard(chunk.length);
      for (const answer of reader.take(chunk, { isHead: this.#isHead })) {
        this.#answers.push(answer);
        this.#witness.seen(answer);
      }
      this.#changed();
    });
    // A server that has had enough may reset while we still write.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#changed();
    });
    this.#socket = socket;
    return socket;
  }
}
