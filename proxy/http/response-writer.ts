import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Body } from '../../portal/http/content-encoding.ts';
import type { Bytes } from '../../shards/units.ts';

/** What is written at once: how finely a delivery that was broken off is measured. */
const PIECE: Bytes = 16_384;
const SWEEP_MS = 1_000;
/**
 * Small answers that are written one right after another, if so many are ready in a turn of the event
 * loop. Written each as it is ready, the kernel would wake a reader for each, who sleeps again before
 * the next: that costs more than the writing.
 */
const TOGETHER = 8;

/** How long answers may wait, and how much of them. */
export interface ResponseWriterLimits {
  /** In all: past it, readers that have taken nothing for longest are ended. */
  readonly maxWaiting: Bytes;
  /** A reader may be slow for so long before it has to keep up. */
  readonly patienceMs?: number;
  /** The rate to keep up with, from the answer's beginning. */
  readonly minBytesPerSecond?: number;
}

/** How much was delivered of what is paid for in an answer: 1 is all of it. */
export type DeliveredFraction = number;

/** An answer of one piece. */
interface Letter {
  readonly raw: ServerResponse;
  readonly body: Buffer;
  /** Whether the kernel has begun to take it. */
  isBegun: boolean;
}

/** An answer on its way, of more than one piece. */
interface Parcel {
  readonly socket: Socket;
  readonly bytes: Bytes;
  readonly begunMs: number;
  handed: Bytes;
  /** Of the piece that is being handed over, what the kernel may have: all of it, or nothing yet. */
  begun: Bytes;
  /** When the kernel last took a piece. */
  takenMs: number;
}

/**
 * Hands answers to the kernel, and knows how much of each it took. A piece counts as delivered once
 * the kernel has begun to take it: it takes a part where its buffer is full, and how much of it nobody
 * is told of a connection that breaks then. Else a reader who fills that buffer could have the part
 * for nothing. A piece of which the kernel refused every byte was not delivered. Ends the connections of readers
 * that do not keep up with a least rate; and, when more waits than memory is meant for, of those
 * that have taken nothing for longest.
 */
export class ResponseWriter {
  readonly #limits: Required<ResponseWriterLimits>;
  readonly #parcels = new Set<Parcel>();
  readonly #timer: NodeJS.Timeout;
  #waiting: Bytes = 0;
  /** Small answers that leave when there are enough of them, at the end of this turn at the latest. */
  #ready: Letter[] = [];
  /** Readers whose connections were ended: they stood still, or too much waited. */
  readersEnded = 0;

  constructor(limits: ResponseWriterLimits) {
    this.#limits = { patienceMs: 20_000, minBytesPerSecond: 16_384, ...limits };
    this.#timer = setInterval(() => this.#endSlowReaders(performance.now()), SWEEP_MS).unref();
  }

  /** Bytes of large answers that wait for their readers. */
  get waiting(): Bytes {
    return this.#waiting;
  }

  /**
   * Writes the body of an answer whose head has been written, and ends it. Resolves with the share
   * of it, from 0 to 1, that was delivered to the socket: what the kernel took, by whole pieces. What
   * becomes of it on the way, nobody is told.
   */
  send(raw: ServerResponse, body: Body): Promise<DeliveredFraction> {
    const { socket } = raw.req;
    if (raw.destroyed || socket.destroyed) return Promise.resolve(0);
    if (body.length > PIECE) return this.#sendInPieces(raw, socket, body);
    return new Promise((resolve) => {
      const letter = this.#sendWhole(raw, body);
      raw.on('finish', () => resolve(Number(letter.isBegun || isSound(socket))));
      raw.on('close', () => resolve(Number(letter.isBegun)));
    });
  }

  /** The same of what nobody pays for. */
  sendUnpaid(raw: ServerResponse, body: Body): void {
    if (body.length > PIECE) void this.send(raw, body);
    else if (!raw.destroyed) this.#sendWhole(raw, body);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sendWhole(raw: ServerResponse, body: Body): Letter {
    const letter = { raw, body: body.whole(), isBegun: false };
    this.#ready.push(letter);
    if (this.#ready.length === TOGETHER) this.#writeReady();
    else if (this.#ready.length === 1) setImmediate(this.#writeReady);
    return letter;
  }

  readonly #writeReady = (): void => {
    const ready = this.#ready;
    this.#ready = [];
    for (const letter of ready) {
      const { raw, body } = letter;
      raw.end(body);
      letter.isBegun = isSound(raw.req.socket);
    }
  };

  #sendInPieces(raw: ServerResponse, socket: Socket, body: Body): Promise<DeliveredFraction> {
    const now = performance.now();
    const parcel: Parcel = {
      socket,
      bytes: body.length,
      begunMs: now,
      handed: 0,
      begun: 0,
      takenMs: now,
    };
    this.#parcels.add(parcel);
    this.#waiting += body.length;
    this.#makeRoom();
    return new Promise((resolve) => {
      const settle = () => {
        if (!this.#parcels.delete(parcel)) return;
        this.#waiting -= body.length - parcel.handed;
        resolve(Math.min(1, (parcel.handed + parcel.begun) / body.paidLength));
      };
      const begin = (bytes: Bytes) => {
        if (isSound(socket)) parcel.begun = bytes;
      };
      const taken = (bytes: Bytes) => {
        parcel.handed += bytes;
        parcel.begun = 0;
        parcel.takenMs = performance.now();
        this.#waiting -= bytes;
      };
      const pieces = body.cut(PIECE);
      const next = () => {
        const piece: Buffer = pieces.next().value;
        if (parcel.handed + piece.length === body.length) {
          raw.once('finish', () => {
            begin(piece.length);
            settle();
          });
          raw.end(piece);
          begin(piece.length);
          return;
        }
        raw.write(piece, (error) => {
          if (error || !isSound(socket)) return settle();
          taken(piece.length);
          next();
        });
        // Node hands the piece over at the end of this tick, and says at once if nothing was taken.
        process.nextTick(begin, piece.length);
      };
      raw.once('close', settle);
      next();
    });
  }

  #makeRoom(): void {
    let excess = this.#waiting - this.#limits.maxWaiting;
    if (excess <= 0) return;
    const idlest = [...this.#parcels].sort((a, b) => a.takenMs - b.takenMs);
    for (const { socket, bytes, handed } of idlest) {
      if (excess <= 0) return;
      excess -= bytes - handed;
      this.readersEnded++;
      socket.destroy(new Error('too much waits to be read'));
    }
  }

  #endSlowReaders(nowMs: number): void {
    const { patienceMs, minBytesPerSecond } = this.#limits;
    for (const { socket, begunMs, handed } of this.#parcels) {
      const elapsed = nowMs - begunMs;
      if (elapsed < patienceMs || handed >= (elapsed / 1000) * minBytesPerSecond) continue;
      this.readersEnded++;
      socket.destroy(new Error('the answer is read too slowly'));
    }
  }
}

/** Node says `finish`, and writes on, where a connection has been reset. */
function isSound(socket: Socket): boolean {
  return !socket.destroyed && !socket.errored;
}
