import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge, Metering } from '../../portal/accounts/metering.ts';
import {
  type IdempotentRequest,
  MAX_IDEMPOTENCY_KEY,
  type Receipt,
  type Replay,
  type Replays,
} from '../../portal/accounts/replays.ts';
import { CACHE_CONTROL } from '../../portal/http/caching.ts';
import {
  acceptsGzip,
  Body,
  gunzipBody,
  gzipBody,
  MIN_COMPRESSED_BYTES,
} from '../../portal/http/content-encoding.ts';
import type { BoundedJson } from '../../portal/http/json-body.ts';
import { parseJson, validBody } from '../../portal/http/json-body.ts';
import { invalidParameters, Problem } from '../../portal/http/problem.ts';
import { parseInput } from '../../portal/http/validation.ts';
import type { ClientId } from '../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../shards/concurrency/yielding.ts';
import type { PostEndpoint } from '../endpoint.ts';
import { accepts, formatFor, offersOf } from '../formats/negotiate.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import {
  commonHeaders,
  type Header,
  type HeaderList,
  putHeader,
  writeResponse,
} from '../http/raw-response.ts';
import type { ResponseWriter } from '../http/response-writer.ts';
import { type AuthorizedRequest, authorize } from '../metering/authorize.ts';
import { putMeteredHeaders, putTokenHeaders } from '../metering/metered-headers.ts';
import {
  type Delivery,
  deliverBody,
  mayAfford,
  type Settlement,
  tokensExhausted,
} from '../metering/payment.ts';
import type { FinishedResponse } from '../metering/response-cache.ts';
import { NONE } from '../schemas/named-parameter.ts';
import type { ProxyServices } from '../services.ts';
import { compressed, finishResponse, inflated } from './finish-response.ts';

/** Attempts at rebuilding a response because concurrent requests have spent its balance. */
const ATTEMPTS = 3;

declare module 'fastify' {
  interface FastifyRequest {
    /** Authenticates a POST: the key is checked before the body is read. */
    admitted: AuthorizedRequest | null;
  }
}

/**
 * Handles every metered POST: key and rate, then the body, validation, the Idempotency-Key,
 * reading, debit, response. Types, weights and the like are looked up in the release for new
 * responses only, so that a replay needs none that the release in force may lack. Responses are not
 * cacheable. A request holds a slot of the semaphore from the first step that may produce a large
 * response until the response writer accounts for it: this bounds responses in memory, whatever the
 * load and however slow the ledger.
 */
export function servePost(endpoint: PostEndpoint, services: ProxyServices) {
  const { ledger } = services;
  const offers = offersOf(endpoint);
  const route = `POST ${endpoint.path}`;
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    request.admitted = await authorize(services, request, reply);
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const release = services.releases.current;
    reply.dataRelease = release.version;
    parseInput({ params: NONE, query: NONE }, request);
    const format = formatFor(request.headers.accept, offers);
    const clientId = request.admitted!.account;
    await turnOf(clientId);
    const json = parseJson(request);
    await turnOf(clientId);
    const body = validBody(endpoint.body, json);
    await turnOf(clientId);
    const posted: Posted = {
      request,
      reply,
      ledger,
      responseWriter: services.responseWriter,
      admitted: request.admitted!,
      route,
      status: endpoint.status ?? 200,
      idempotent: idempotentRequest(endpoint, request, json),
      renew: endpoint.renew && ((kept) => endpoint.renew!(kept, services)),
      accepts: (contentType) => accepts(request.headers.accept, offers, contentType),
      async resolve() {
        const resolved = await endpoint.resolve(release, body, services, clientId);
        const compute = async (balance: number) => {
          const { config, cursors } = services;
          const context = { config, cursors, waiters: clientId, format: ROW_FORMATS[format] };
          const response = await endpoint.respond(release, resolved, context, balance);
          const finished = await finishResponse(response, format, endpoint.table, clientId);
          // Stored with the response: a replay names the release that it was computed from.
          const metadata = { ...finished.metadata, 'x-data-release': release.version };
          return { ...finished, metadata, renewable: response.renewable };
        };
        return { price: endpoint.price?.(resolved), compute };
      },
    };
    try {
      const { settled } = await services.batchSemaphore.run(clientId, async () => {
        if (request.raw.socket.destroyed) throw new ClientGone();
        return (await replayed(posted)) ?? charged(posted);
      });
      await settled;
    } catch (error) {
      if (!(error instanceof ClientGone)) throw error;
      reply.hijack();
    }
  };
  return { onRequest, handler };
}

/**
 * A large body takes milliseconds to parse, and again to validate: limits how many are processed
 * per turn of the event loop.
 */
async function turnOf(clientId: ClientId): Promise<void> {
  const pause = yieldIfOverdue(clientId);
  if (pause) await pause;
}

/** The client disconnected while the request waited: nothing is sent or charged. */
class ClientGone extends Error {}

/** A POST in progress. */
interface Posted {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly ledger: Metering & Replays;
  readonly responseWriter: ResponseWriter;
  readonly admitted: AuthorizedRequest;
  readonly route: string;
  readonly status: number;
  readonly idempotent: IdempotentRequest | null;
  /** Makes a new body where the first would have expired. */
  readonly renew: ((kept: unknown) => Promise<object>) | undefined;
  /** Whether `Accept` allows a stored response of a type. */
  accepts(contentType: string): boolean;
  /** Looks up in the release what the body refers to; throws for what it lacks. */
  resolve(): Promise<ResolvedPost>;
}

/** A request that the release can fulfil. */
interface ResolvedPost {
  /** Undefined if it depends on the response. */
  readonly price: number | undefined;
  /** Computes the response that the given balance can pay for. */
  compute(balance: number): Promise<PostedResponse>;
}

interface PostedResponse extends FinishedResponse {
  readonly renewable?: object | undefined;
}

/** Replays a stored response, if there is one. */
async function replayed(posted: Posted): Promise<Settlement | undefined> {
  const { ledger, admitted, idempotent } = posted;
  const replay = idempotent && (await ledger.replay(admitted.account, idempotent, Date.now()));
  return replay ? replayResponse(posted, replay) : undefined;
}

async function charged(posted: Posted): Promise<Settlement> {
  const { request, ledger, admitted, route, idempotent } = posted;
  const { account, keyId, balance } = admitted;
  const { price, compute } = await posted.resolve();
  if (!mayAfford(balance, price)) throw tokensExhausted(balance);
  for (let attempt = 1, payable = balance; ; attempt++) {
    const response = await compute(payable);
    const { tokens } = response;
    const due: Charge = { account, keyId, route, tokens, atMs: Date.now() };
    const paid = idempotent ? await ledger.debitOnce(due, idempotent) : await ledger.debit(due);
    if (paid.outcome === 'insufficient') {
      // A batch adapts to the remaining balance; another route's response has a fixed price.
      if (attempt === ATTEMPTS || paid.balance === payable) {
        throw tokensExhausted(paid.balance);
      }
      payable = paid.balance;
      continue;
    }
    if (paid.outcome !== 'debited') return replayResponse(posted, paid, response);
    if (paid.receipt) await keep(posted, paid.receipt, response);
    return deliverBody(
      request,
      due.tokens,
      (undelivered) =>
        paid.receipt
          ? ledger.undeliver(paid.receipt, undelivered)
          : ledger.refund(due, undelivered),
      () => send(posted, response, response.tokens, paid.balance, []),
    );
  }
}

/**
 * Replays a response that was charged before, charging again for what was refunded. `own`: the
 * response computed for this request, if a concurrent one was stored first.
 */
async function replayResponse(
  posted: Posted,
  replay: Replay,
  own?: FinishedResponse,
): Promise<Settlement> {
  const { request, ledger } = posted;
  if (replay.outcome === 'conflict') {
    throw new Problem(
      'idempotency-conflict',
      'this Idempotency-Key was used for another path, body or Accept within the last 24 hours; use a new one',
    );
  }
  if (replay.outcome === 'insufficient') throw tokensExhausted(replay.balance);
  const { balance, charged } = replay;
  return deliverBody(
    request,
    replay.tokens,
    (undelivered) => ledger.undeliver(replay.receipt, undelivered),
    async () => {
      const response = await madeBefore(posted, replay, own);
      return send(posted, response, charged, balance, ['idempotency-replayed', 'true']);
    },
  );
}

async function madeBefore(
  posted: Posted,
  { response: stored, tokens }: Extract<Replay, { outcome: 'replayed' }>,
  own: FinishedResponse | undefined,
): Promise<FinishedResponse> {
  if (stored === null) {
    return own?.tokens === tokens ? own : (await posted.resolve()).compute(tokens);
  }
  const { 'content-type': contentType, ...metadata } = stored.headers;
  if (!posted.accepts(contentType)) {
    throw new Problem(
      'idempotency-conflict',
      `the response of this Idempotency-Key is ${contentType}, which Accept does not allow; accept it, or use a new key`,
    );
  }
  const kept = { contentType, metadata, tokens };
  const body = Body.of(stored.gzip);
  if (posted.renew) {
    const renewable = JSON.parse((await gunzipBody(body)).whole().toString());
    const renewed = JSON.stringify(await posted.renew(renewable));
    return { ...kept, body: Body.of(Buffer.from(renewed)), contentEncoding: null };
  }
  // Uncompressed for clients that request it. For short bodies the stored encoding is unknown.
  return stored.gzip.length < MIN_COMPRESSED_BYTES
    ? { ...kept, body: await gunzipBody(body), contentEncoding: null }
    : { ...kept, body, contentEncoding: 'gzip' };
}

/**
 * Stores a response for replay, or what renews it. One that is not stored is recomputed when it is
 * requested again.
 */
async function keep(
  { request, ledger }: Posted,
  receipt: Receipt,
  { body, contentType, metadata, renewable }: PostedResponse,
): Promise<void> {
  const headers = { 'content-type': contentType!, ...metadata };
  const kept = renewable ? Body.of(Buffer.from(JSON.stringify(renewable))) : body;
  try {
    await ledger.storeResponse(receipt, { headers, gzip: (await gzipBody(kept)).whole() });
  } catch (error) {
    request.log.error({ err: error, reqId: request.id }, 'response not stored for replay');
  }
}

const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_IDEMPOTENCY_KEY}}$`);

function idempotentRequest(
  { path }: PostEndpoint,
  request: FastifyRequest,
  json: BoundedJson,
): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidParameters([
      {
        loc: ['header', 'idempotency-key'],
        msg: `must be 1 to ${MAX_IDEMPOTENCY_KEY} printable characters`,
        type: 'invalid_format',
      },
    ]);
  }
  const asked = `${path}\n${JSON.stringify(json)}`;
  return { key, fingerprint: hash('sha256', asked, 'base64url') };
}

async function send(
  { request, reply, responseWriter, status, admitted: { rate } }: Posted,
  made: FinishedResponse,
  charged: number,
  remaining: number,
  more: Header | [],
): Promise<Delivery> {
  const isZipped = acceptsGzip(request.headers['accept-encoding']);
  const coded = await (isZipped ? compressed(made) : inflated(made));
  const { body, contentType, contentEncoding, metadata } = coded;
  const headers: HeaderList = commonHeaders(request);
  putMeteredHeaders(headers, CACHE_CONTROL.never, rate);
  putHeader(headers, 'content-type', contentType!);
  putHeader(headers, 'content-length', body.length);
  putTokenHeaders(headers, charged, remaining);
  headers.push(...Object.entries(metadata).flat(), ...more);
  if (contentEncoding) putHeader(headers, 'content-encoding', contentEncoding);
  return { share: writeResponse(responseWriter, reply, status, headers, body) };
}
