import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Bytes, Millis } from '../../shards/units.ts';
import type { Body } from './body.ts';

/** Bytes per write: the granularity of a measured partial delivery. */
const WRITE_BYTES: Bytes = 16_384;
const SWEEP_MS = 1_000;
const SLOWEST_READER = { graceMs: 20_000, minBytesPerSecond: 16_384 };
/**
 * Small responses written back to back when several are ready in one turn of the event loop.
 * Writing each as soon as it is ready would wake and suspend a reader per response, which costs
 * more than the writing.
 */
const BATCHED_WRITES = 8;

export interface ResponseWriterLimits {
  /** Total bytes waiting; above it, the connections stalled longest are closed. */
  readonly maxWaiting: Bytes;
  /** Grace period before the minimum rate applies. */
  readonly graceMs?: number;
  /** Minimum rate, averaged since the start of the response. */
  readonly minBytesPerSecond?: number;
}

/** Delivered fraction of the paid part of a response: 1 is all of it. */
export type DeliveredFraction = number;

interface SmallResponse {
  readonly raw: ServerResponse;
  readonly body: Buffer;
  /** Whether the kernel has started to accept the body. */
  isBegun: boolean;
}

interface LargeResponse {
  readonly socket: Socket;
  readonly bytes: Bytes;
  readonly begunMs: number;
  handed: Bytes;
  /** Bytes of the current piece that the kernel may hold: all or none. */
  begun: Bytes;
  /** When the kernel last accepted a piece. */
  takenMs: number;
}

/**
 * Hands responses to the kernel and measures how much of each was delivered. A piece counts as
 * delivered once the kernel begins to accept it. A kernel with a full buffer accepts a part of the
 * piece, whose size stays unknown if the connection then breaks, so a reader who fills that buffer
 * could otherwise get the part for free. A piece that the kernel refused entirely was not
 * delivered. Closes connections of readers below a minimum rate and, when buffered responses exceed
 * the memory limit, of those stalled longest.
 */
export class ResponseWriter {
  readonly #limits: Required<ResponseWriterLimits>;
  readonly #large = new Set<LargeResponse>();
  readonly #timer: NodeJS.Timeout;
  #waiting: Bytes = 0;
  /**
   * Small responses to be sent, once there are enough or, at the latest, at the end of this turn.
   */
  #ready: SmallResponse[] = [];
  /** Connections closed because they stalled, or because too much was waiting. */
  readersClosed = 0;

  constructor(limits: ResponseWriterLimits) {
    this.#limits = { ...SLOWEST_READER, ...limits };
    this.#timer = setInterval(() => this.#endSlowReaders(performance.now()), SWEEP_MS).unref();
  }

  get waiting(): Bytes {
    return this.#waiting;
  }

  /**
   * Writes the body of a response whose head has been written, and ends it. Resolves with the
   * fraction, from 0 to 1, delivered to the socket: accepted by the kernel, in whole pieces. Loss
   * on the network remains unknown.
   */
  send(raw: ServerResponse, body: Body): Promise<DeliveredFraction> {
    const { socket } = raw.req;
    if (raw.destroyed || !isWritable(socket)) return Promise.resolve(0);
    if (body.length > WRITE_BYTES) return this.#sendInPieces(raw, socket, body);
    return new Promise((resolve) => {
      const response = this.#sendWhole(raw, body);
      raw.on('finish', () => resolve(Number(response.isBegun || isWritable(socket))));
      raw.on('close', () => resolve(Number(response.isBegun)));
    });
  }

  sendUnmetered(raw: ServerResponse, body: Body): void {
    if (body.length > WRITE_BYTES) void this.send(raw, body);
    else if (!raw.destroyed) this.#sendWhole(raw, body);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sendWhole(raw: ServerResponse, body: Body): SmallResponse {
    const response = { raw, body: body.whole(), isBegun: false };
    this.#ready.push(response);
    if (this.#ready.length === BATCHED_WRITES) this.#writeReady();
    else if (this.#ready.length === 1) setImmediate(this.#writeReady);
    return response;
  }

  readonly #writeReady = (): void => {
    const ready = this.#ready;
    this.#ready = [];
    for (const response of ready) {
      const { raw, body } = response;
      raw.end(body);
      response.isBegun = isWritable(raw.req.socket);
    }
  };

  #sendInPieces(raw: ServerResponse, socket: Socket, body: Body): Promise<DeliveredFraction> {
    const now = performance.now();
    const large: LargeResponse = {
      socket,
      bytes: body.length,
      begunMs: now,
      handed: 0,
      begun: 0,
      takenMs: now,
    };
    this.#large.add(large);
    this.#waiting += body.length;
    this.#makeRoom();
    return new Promise((resolve) => {
      const settle = () => {
        if (!this.#large.delete(large)) return;
        this.#waiting -= body.length - large.handed;
        resolve(Math.min(1, (large.handed + large.begun) / body.paidLength));
      };
      const begin = (bytes: Bytes) => {
        if (isWritable(socket)) large.begun = bytes;
      };
      const taken = (bytes: Bytes) => {
        large.handed += bytes;
        large.begun = 0;
        large.takenMs = performance.now();
        this.#waiting -= bytes;
      };
      const pieces = body.cut(WRITE_BYTES);
      const next = () => {
        const piece: Buffer = pieces.next().value;
        if (large.handed + piece.length === body.length) {
          raw.once('finish', () => {
            begin(piece.length);
            settle();
          });
          raw.end(piece);
          begin(piece.length);
          return;
        }
        raw.write(piece, (error) => {
          if (error || !isWritable(socket)) return settle();
          taken(piece.length);
          next();
        });
        // Node hands the piece over at the end of this tick, and reports at once if nothing was
        // accepted.
        process.nextTick(begin, piece.length);
      };
      raw.once('close', settle);
      next();
    });
  }

  #makeRoom(): void {
    let excess = this.#waiting - this.#limits.maxWaiting;
    if (excess <= 0) return;
    const idlest = [...this.#large].sort((a, b) => a.takenMs - b.takenMs);
    for (const { socket, bytes, handed } of idlest) {
      if (excess <= 0) return;
      excess -= bytes - handed;
      this.readersClosed++;
      socket.destroy(new Error('too much of the response is waiting to be read'));
    }
  }

  #endSlowReaders(nowMs: number): void {
    for (const { socket, begunMs, handed } of this.#large) {
      if (!isTooSlow(nowMs - begunMs, handed, this.#limits)) continue;
      this.readersClosed++;
      socket.destroy(new Error('the client reads the response too slowly'));
    }
  }
}

/** Whether a reader is below the minimum rate, averaged since the start, after the grace period. */
export function isTooSlow(
  elapsedMs: Millis,
  taken: Bytes,
  { graceMs, minBytesPerSecond } = SLOWEST_READER,
): boolean {
  return elapsedMs > graceMs && taken < (elapsedMs / 1000) * minBytesPerSecond;
}

/**
 * Whether the kernel can accept what is written. Node emits `finish` and keeps writing when a
 * connection has been reset, or ended by the response to a malformed request behind this one.
 */
export function isWritable(socket: Socket): boolean {
  return !socket.writableEnded && !socket.destroyed && !socket.errored;
}
