import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The failure injected into one GET. */
export type Fault =
  | { readonly cutAfter: number }
  | { readonly status: number; readonly headers?: Record<string, string> }
  | { readonly redirectTo: string }
  | { readonly stallMs: number }
  | { readonly silentAfter: number }
  | { readonly wrongRangeBy: number }
  /** A Content-Length that differs from the body's. */
  | { readonly saysBytes: number }
  | 'ignore-range'
  | 'ignore-match'
  | 'without-length'
  /** Without a length, all bytes, and then no end. */
  | 'without-end'
  | 'gzip';

/** One response as sent. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly userAgent: string;
  status: number;
  /** Bytes of the body that were written. */
  sent: number;
}

interface Served {
  readonly bytes: Buffer;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

const MODIFIED = 'Tue, 04 Nov 2025 10:00:00 GMT';
const CHUNK = 16 * 1024;

/**
 * A local file server with ranges, ETags and conditional requests like the real services. It fails
 * in the ways and the order given.
 */
export class Mirror {
  readonly exchanges: Exchange[] = [];
  maxAtOnce = 0;
  readonly #server: Server;
  readonly #files = new Map<string, Served>();
  readonly #faults = new Map<string, Fault[]>();
  #atOnce = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.maxAtOnce = Math.max(this.maxAtOnce, ++this.#atOnce);
      response.once('close', () => this.#atOnce--);
      this.#respond(request, response).catch((error) => response.destroy(error));
    });
  }

  static async start(): Promise<Mirror> {
    const mirror = new Mirror();
    await new Promise<void>((ready) => mirror.#server.listen(0, '127.0.0.1', ready));
    return mirror;
  }

  /** Address and port. */
  get host(): string {
    return new URL(this.url).host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves content at a path; `validators` selects the version headers that are sent. */
  put(
    path: string,
    content: Uint8Array | string,
    validators: 'both' | 'date' | 'weak' | 'none' = 'both',
  ): void {
    const bytes = Buffer.from(content);
    const digest = createHash('md5').update(bytes).digest('hex');
    const etag = { both: `"${digest}"`, date: null, weak: `W/"${digest}"`, none: null }[validators];
    const lastModified = validators === 'none' ? null : MODIFIED;
    this.#files.set(path, { bytes, etag, lastModified });
  }

  served(path: string): { readonly bytes: Uint8Array } {
    return this.#files.get(path)!;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  /** Sets the failures of the next GETs of a path, one after the other; later GETs succeed. */
  fail(path: string, ...faults: Fault[]): void {
    this.#faults.set(path, faults);
  }

  /** The GETs of a path, by default of all paths, since the last call of `takeSent`. */
  gets(path?: string): Exchange[] {
    return this.exchanges.filter(
      (exchange) => exchange.method === 'GET' && (path ?? exchange.path) === exchange.path,
    );
  }

  /** Returns the bytes of all bodies since the last call, and drops the exchanges. */
  takeSent(): number {
    return this.exchanges.splice(0).reduce((sum, { sent }) => sum + sent, 0);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const path = decodeURIComponent(pathname);
    const exchange: Exchange = {
      method: request.method ?? '',
      path,
      range: request.headers.range ?? null,
      userAgent: request.headers['user-agent'] ?? '',
      status: 0,
      sent: 0,
    };
    this.exchanges.push(exchange);
    const respond = (status: number, headers: Record<string, string | number>) => {
      exchange.status = status;
      response.writeHead(status, headers);
    };
    const fault = exchange.method === 'GET' ? this.#faults.get(path)?.shift() : undefined;
    if (typeof fault === 'object') {
      if ('stallMs' in fault) await sleep(fault.stallMs);
      if ('redirectTo' in fault) {
        respond(302, { location: fault.redirectTo });
        response.end();
        return;
      }
      if ('status' in fault) {
        respond(fault.status, fault.headers ?? {});
        response.end('an error page');
        return;
      }
    }
    const file = this.#files.get(path);
    if (!file) {
      respond(404, {});
      response.end('not found');
      return;
    }
    await this.#give(file, request, response, respond, exchange, fault);
  }

  async #give(
    { bytes, etag, lastModified }: Served,
    { headers, method }: IncomingMessage,
    response: ServerResponse,
    respond: (status: number, headers: Record<string, string | number>) => void,
    exchange: Exchange,
    fault: Fault | undefined,
  ): Promise<void> {
    const about: Record<string, string> = { 'accept-ranges': 'bytes' };
    if (etag !== null) about.etag = etag;
    if (lastModified !== null) about['last-modified'] = lastModified;
    if (fault === 'gzip') about['content-encoding'] = 'gzip';
    const isMatchAsked = headers['if-match'] !== undefined && fault !== 'ignore-match';
    if (isMatchAsked && headers['if-match'] !== etag) {
      respond(412, about);
      response.end();
      return;
    }
    const isSame =
      headers['if-none-match'] !== undefined
        ? headers['if-none-match'] === etag
        : lastModified !== null && headers['if-modified-since'] === lastModified;
    if (isSame) {
      respond(304, about);
      response.end();
      return;
    }
    const ifRange = headers['if-range'];
    const isRangeMeant = ifRange === undefined || ifRange === etag || ifRange === lastModified;
    const range = fault === 'ignore-range' || !isRangeMeant ? null : parseRange(headers.range);
    if (range && range.from >= bytes.length) {
      respond(416, { ...about, 'content-range': `bytes */${bytes.length}` });
      response.end();
      return;
    }
    let body = bytes;
    if (range) {
      const from = range.from + (isFault(fault, 'wrongRangeBy') ? fault.wrongRangeBy : 0);
      const to = Math.min(range.to ?? bytes.length - 1, bytes.length - 1);
      body = bytes.subarray(from, to + 1);
      about['content-range'] = `bytes ${from}-${to}/${bytes.length}`;
    }
    if (isFault(fault, 'saysBytes')) about['content-length'] = String(fault.saysBytes);
    else if (fault !== 'without-length' && fault !== 'without-end')
      about['content-length'] = String(body.length);
    respond(range ? 206 : 200, about);
    if (method === 'HEAD') {
      response.end();
      return;
    }
    const end = fault === 'without-end' ? body.length : null;
    const cut = isFault(fault, 'cutAfter') ? fault.cutAfter : end;
    const silent = isFault(fault, 'silentAfter') ? fault.silentAfter : null;
    const until = Math.min(cut ?? silent ?? body.length, body.length);
    for (let at = 0; at < until; at += CHUNK) {
      const chunk = body.subarray(at, Math.min(at + CHUNK, until));
      await new Promise((written) => response.write(chunk, written));
      exchange.sent += chunk.length;
    }
    // An orderly end of the connection: what was sent arrives, and nothing more.
    if (cut !== null) response.socket?.end();
    else if (silent === null) response.end();
  }
}

function isFault<K extends string>(
  fault: Fault | undefined,
  kind: K,
): fault is Extract<Fault, Record<K, unknown>> {
  return typeof fault === 'object' && kind in fault;
}

function parseRange(header: string | undefined): { from: number; to: number | null } | null {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  return match && { from: Number(match[1]), to: match[2] === '' ? null : Number(match[2]) };
}
