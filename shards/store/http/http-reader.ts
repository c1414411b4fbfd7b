import { Agent, type Dispatcher } from 'undici';
import { RetryBudget, retry, TransientError } from '../../concurrency/retry.ts';
import { nullIfMissing, StoreError } from '../../errors.ts';
import type { Bytes, Millis } from '../../units.ts';
import {
  LATEST,
  type ObjectRef,
  type ObjectStat,
  type PresignedUrl,
  type Store,
  type WireCounts,
} from '../store.ts';
import { type Attempt, hedged, Latencies } from './hedging.ts';
import { transientFault } from './network-errors.ts';
import type { Headers, ObjectProtocol, Refusal } from './object-protocol.ts';
import { beginningOf, bytesOf, MAX_WHOLE_BYTES, textOf } from './response-body.ts';
import { BUILDING_TIMEOUTS, type Timeouts } from './timeouts.ts';

const CONNECTIONS = 128;
const KEEP_ALIVE_MS = 20_000;
const SLOWEST_BYTES_PER_MS = 128;
const WHOLE_MS = 60_000;
/**
 * Largest read that is hedged. Reads up to this size take similar times, so that a late one can be
 * recognized.
 */
const HEDGED_BYTES: Bytes = 2 ** 16;
/** Minimum delay before a hedged read: a nearby server's latency is not worth a second request. */
const HEDGE_NO_SOONER_MS = 10;
/** Header with the SHA-256 that a store recorded for an object; see `S3Store`. */
const SHA256_HEADER = 'x-amz-meta-sha256';

interface ObjectResponse {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Time since the object was written, by the server's own clock, to the second. */
  readonly ageMs: number;
}

export interface HttpReaderOptions {
  /** Additional certificates to trust, PEM. */
  readonly ca?: string;
  /** Timeouts; by default, those of builds. */
  readonly patience?: Timeouts;
}

/**
 * A read-only store over HTTP. A range is one request on a kept-alive connection. A response counts
 * only if it is a 206 of exactly that range, of an object of the recorded length and, if the server
 * states it, of the recorded SHA-256; the name carries that hash too, and readers verify the
 * content. Transient failures are retried, and a slow small read is hedged, both within a retry
 * budget.
 */
export class HttpReader implements Store {
  readonly location: string;
  readonly #protocol: ObjectProtocol;
  readonly #agent: Agent;
  readonly #latencies = new Latencies();
  /**
   * One retry per five reads, up to fifty saved; one hedged read per ten, twice the share of late
   * reads.
   */
  readonly #retries = new RetryBudget(0.2, 50, 50);
  readonly #hedges = new RetryBudget(0.1, 10, 0);
  readonly #patience: Timeouts;
  #fetchedBytes: Bytes = 0;

  constructor(
    location: string,
    protocol: ObjectProtocol,
    { ca, patience = BUILDING_TIMEOUTS }: HttpReaderOptions = {},
  ) {
    this.location = location;
    this.#protocol = protocol;
    this.#patience = patience;
    const { connectMs, silenceMs } = patience;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      connect: { timeout: connectMs, ...(ca !== undefined && { ca }) },
    });
  }

  get wireCounts(): WireCounts {
    const fetchedBytes = this.#fetchedBytes;
    return { fetchedBytes, retries: this.#retries.spent, hedges: this.#hedges.spent };
  }

  async readRange(ref: ObjectRef, offset: Bytes, length: Bytes): Promise<Uint8Array> {
    if (offset + length > ref.bytes) {
      throw this.#changed(ref.name, `has no ${length} bytes at ${offset}`);
    }
    // HTTP cannot express an empty range.
    if (length === 0) return this.#nothingOf(ref);
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    const withinMs = this.#patience.tryMs + length / SLOWEST_BYTES_PER_MS;
    const begin = () =>
      this.#begin('GET', ref.name, headers, withinMs, async (response) => {
        await this.#requireRange(ref, offset, length, response);
        return this.#bytesOf(response, length);
      });
    return this.#retried(ref.name, () =>
      length <= HEDGED_BYTES ? this.#small(begin) : begin().done,
    );
  }

  async presignedUrl(name: string, expiresMs: Millis): Promise<PresignedUrl | null> {
    return (await this.#protocol.presignedUrl?.(name, expiresMs)) ?? null;
  }

  async readWhole(name: string): Promise<{ bytes: Uint8Array; identity: string }> {
    const { bytes, etag } = await this.readNow(name, name === LATEST);
    return { bytes, identity: this.#protocol.identityOf(bytes, etag) };
  }

  /** Reads a whole object and its metadata. `fresh` bypasses caches. */
  protected readNow(name: string, fresh: boolean): Promise<ObjectResponse> {
    const headers: Headers = fresh ? { 'cache-control': 'no-cache' } : {};
    return this.#retried(name, () => {
      const attempt = this.#begin('GET', name, headers, WHOLE_MS, async (response) => {
        await this.#requireStatus(200, name, response);
        const stated = response.headers['content-length'];
        const length = stated === undefined ? null : Number(stated);
        if (length !== null && length > MAX_WHOLE_BYTES) {
          throw new TransientError(`more than ${MAX_WHOLE_BYTES} bytes are said to come`);
        }
        return {
          bytes: await this.#bytesOf(response, length),
          etag: textOf(response.headers.etag),
          ageMs:
            Date.parse(textOf(response.headers.date)) -
            Date.parse(textOf(response.headers['last-modified'])),
        };
      });
      return attempt.done;
    });
  }

  async stat(name: string): Promise<ObjectStat | null> {
    const read = () =>
      this.#begin('HEAD', name, {}, this.#patience.tryMs, async (response) => {
        await this.#requireStatus(200, name, response);
        const sha256 = textOf(response.headers[SHA256_HEADER]) || null;
        await response.body.dump();
        return { bytes: Number(response.headers['content-length']), sha256 };
      }).done;
    return nullIfMissing(this.#retried(name, read));
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #retried<T>(name: string, attempt: () => Promise<T>): Promise<T> {
    const { retryWithinMs } = this.#patience;
    return retryRequest(this.#protocol.nameOf(name), this.#retries, retryWithinMs, attempt);
  }

  #bytesOf(response: Dispatcher.ResponseData, length: number | null): Promise<Uint8Array> {
    return bytesOf(response, length, (received) => {
      this.#fetchedBytes += received;
    });
  }

  /** Makes a small read and records its latency. A read that takes unusually long is hedged. */
  async #small(begin: () => Attempt<Uint8Array>): Promise<Uint8Array> {
    const begunMs = performance.now();
    const { lateMs } = this.#latencies;
    this.#hedges.earn();
    const bytes =
      lateMs === null
        ? await begin().done
        : await hedged(begin, Math.max(lateMs, HEDGE_NO_SOONER_MS), () => this.#hedges.spend());
    this.#latencies.add(performance.now() - begunMs);
    return bytes;
  }

  #begin<T>(
    method: 'GET' | 'HEAD',
    name: string,
    headers: Headers,
    withinMs: number,
    receive: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Attempt<T> {
    const abort = new AbortController();
    const deadline = setTimeout(
      () =>
        abort.abort(
          new TransientError(`no whole response within ${Math.round(withinMs / 1000)} s`),
        ),
      withinMs,
    );
    const ask = async (): Promise<T> => {
      const { origin, path, headers: sent } = await this.#protocol.request(method, name, headers);
      try {
        const { signal } = abort;
        const options = { origin, path, method, headers: sent, signal };
        const response = await this.#agent.request(options);
        // The body of a refused response must not raise an unhandled error.
        response.body.on('error', () => {});
        try {
          return await receive(response);
        } finally {
          response.body.destroy();
        }
      } catch (error) {
        throw transientFault(origin, error);
      }
    };
    const done = ask().finally(() => clearTimeout(deadline));
    // No caller awaits an abandoned attempt.
    done.catch(() => {});
    return { done, giveUp: () => abort.abort(new TransientError('given up')) };
  }

  async #requireRange(
    ref: ObjectRef,
    offset: Bytes,
    length: Bytes,
    response: Dispatcher.ResponseData,
  ): Promise<void> {
    if (response.statusCode === 416) throw this.#changed(ref.name, `has no byte ${offset}`);
    await this.#requireStatus(206, ref.name, response);
    const range = textOf(response.headers['content-range']);
    const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? [];
    if (total !== undefined) this.#requireLength(ref, Number(total));
    const last = offset + length - 1;
    if (Number(from) !== offset || Number(to) !== last) {
      throw new TransientError(
        `bytes ${offset} to ${last} were asked for; the response says "${range}"`,
      );
    }
    this.#requireHash(ref, textOf(response.headers[SHA256_HEADER]));
  }

  async #requireStatus(
    wanted: number,
    name: string,
    response: Dispatcher.ResponseData,
  ): Promise<void> {
    const { statusCode: status, headers } = response;
    if (status === wanted) return;
    if (status === 200) {
      throw new TransientError(
        'the server sent all of an object for a range of it; a store needs ranges',
      );
    }
    const refusal: Refusal = { status, headers, body: await beginningOf(response) };
    throw (
      this.#protocol.explain(name, refusal) ??
      new TransientError(`the server responded with ${status}`)
    );
  }

  async #nothingOf(ref: ObjectRef): Promise<Uint8Array> {
    const found = await this.stat(ref.name);
    const name = this.#protocol.nameOf(ref.name);
    if (found === null) throw new StoreError('missing', name, 'no such object');
    this.#requireLength(ref, found.bytes);
    this.#requireHash(ref, found.sha256 ?? '');
    return new Uint8Array(0);
  }

  #requireLength(ref: ObjectRef, bytes: Bytes): void {
    if (bytes === ref.bytes) return;
    throw this.#changed(ref.name, `has ${bytes} bytes; its manifest says ${ref.bytes}`);
  }

  #requireHash(ref: ObjectRef, recorded: string): void {
    if (recorded === '' || ref.sha256 === '' || recorded === ref.sha256) return;
    throw this.#changed(ref.name, `has the SHA-256 ${recorded}; its manifest says ${ref.sha256}`);
  }

  #changed(name: string, problem: string): StoreError {
    const advice = 'build the release again';
    return new StoreError('changed', this.#protocol.nameOf(name), `${problem}: ${advice}`);
  }
}

const TRIES = 4;
const FIRST_PAUSE_MS = 50;

/**
 * Retries transient failures a few times within the budget, with exponential backoff and full
 * jitter, so that clients that failed together do not return together. No attempt starts later than
 * `withinMs` after the first. Rejects with a `StoreError` for `object`.
 */
export async function retryRequest<T>(
  object: string,
  budget: RetryBudget,
  withinMs: Millis,
  attempt: () => Promise<T>,
): Promise<T> {
  const lastMs = performance.now() + withinMs;
  budget.earn();
  return retry(attempt, (error, tries) => {
    if (!(error instanceof TransientError)) throw error;
    if (tries === TRIES || performance.now() > lastMs || !budget.spend()) {
      const times = tries === 1 ? '' : ` (${tries} attempts)`;
      const cause = { cause: error.cause ?? error };
      throw new StoreError('unavailable', object, `${error.message}${times}`, cause);
    }
    return Math.random() * FIRST_PAUSE_MS * 2 ** (tries - 1);
  });
}
