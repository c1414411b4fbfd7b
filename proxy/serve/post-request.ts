import type { FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL } from '../http/caching.ts';
import { acceptsGzip } from '../http/content-encoding.ts';
import {
  commonHeaders,
  type Header,
  type HeaderList,
  putHeader,
  writeResponse,
} from '../http/raw-response.ts';
import type { ResponseWriter } from '../http/response-writer.ts';
import type { Metering } from '../ledger/metering.ts';
import type { IdempotentRequest, Replays } from '../ledger/replays.ts';
import type { AuthorizedRequest } from '../metering/authorize.ts';
import type { Delivery } from '../metering/debit.ts';
import { putMeteredHeaders, putTokenHeaders } from '../metering/metered-headers.ts';
import type { OpenCharges } from '../metering/open-charges.ts';
import type { FinishedResponse } from '../metering/response-cache.ts';
import { compressed, inflated } from './finish-response.ts';

/** A POST in progress. */
export interface PostRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly ledger: Metering & Replays;
  readonly charges: OpenCharges;
  readonly responseWriter: ResponseWriter;
  readonly admitted: AuthorizedRequest;
  readonly route: string;
  readonly status: number;
  readonly idempotent: IdempotentRequest | null;
  /** Makes a new body for a replay, for routes whose bodies expire before the key does. */
  readonly renew: ((kept: unknown) => Promise<object>) | undefined;
  /**
   * Looks up in the release what the body refers to; throws for what the release lacks, and if
   * `Accept` allows no format of the route.
   */
  resolve(): Promise<ResolvedPost>;
}

/** A request that the release can fulfil, as far as is known before its subject is located. */
interface ResolvedPost {
  /** Price in tokens if all of the subject is located; undefined if it depends on the response. */
  readonly price: number | undefined;
  /** Lower if what cannot be located is free. */
  readonly leastPrice: number | undefined;
  /** Finds the subject of the request; throws a not-found problem for what the release lacks. */
  locate(): Promise<LocatedPost>;
}

/** A request whose subject is located. */
export interface LocatedPost {
  /** Price in tokens; undefined if it depends on the response. */
  readonly price: number | undefined;
  /** Computes the response that the given balance can pay for. */
  compute(balance: number): Promise<PostResponse>;
}

/** A response computed for a POST. */
export interface PostResponse extends FinishedResponse {
  /** Stored instead of a body that would expire; `renew` makes a new body from it. */
  readonly renewable?: object | undefined;
}

/** Sends a response in the encoding that the client accepts. `more`: a further header. */
export async function send(
  { request, reply, responseWriter, status, admitted: { rate } }: PostRequest,
  finished: FinishedResponse,
  charged: number,
  remaining: number,
  more: Header | [],
): Promise<Delivery> {
  const isZipped = acceptsGzip(request.headers['accept-encoding']);
  const encoded = await (isZipped ? compressed(finished) : inflated(finished));
  const { body, contentType, contentEncoding, metadata } = encoded;
  const headers: HeaderList = commonHeaders(request);
  putMeteredHeaders(headers, CACHE_CONTROL.never, rate);
  putHeader(headers, 'content-type', contentType!);
  putHeader(headers, 'content-length', body.length);
  putTokenHeaders(headers, charged, remaining);
  headers.push(...Object.entries(metadata).flat(), ...more);
  if (contentEncoding) putHeader(headers, 'content-encoding', contentEncoding);
  return { share: writeResponse(responseWriter, reply, status, headers, body) };
}
