import type { IncomingHttpHeaders } from 'node:http';
import type { Release } from '../../shards/release/release.ts';
import type { DeliveredFraction } from '../http/response-writer.ts';
import type { Admission } from '../ledger/metering.ts';
import type { RateState } from '../ledger/rate-window.ts';
import type { FinishedResponse } from './response-cache.ts';

/** A request of the API; a `FastifyRequest` is one. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query: what a URL resolves to is cached. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Path parameters as text. */
  readonly params: unknown;
  /** Query parameters as text; repeated ones as lists. */
  readonly query: unknown;
  /** JSON as bytes; undefined without a body. */
  readonly body?: unknown;
}

/** An authenticated principal whose rate has been checked. */
export type Admitted = Extract<Admission, { outcome: 'admitted' }>;

/** The one who makes a request, pays for it and receives the answer. */
export interface Principal {
  /** Whether nothing is charged, so that no ledger is needed. */
  readonly isExempt: boolean;
  /**
   * Finds the account and takes one request of its rate. Throws if there is no such account, or
   * none of its rate is left. `freeForMembers`: whether members learn nothing about tokens.
   */
  authorize(freeForMembers?: boolean): Promise<Admitted>;
  /** Notes the release that the request, and thus an error about it, refers to. */
  reads(release: Release): void;
  hasLeft(): boolean;
  /** Takes an answer, and resolves with the fraction that was delivered. */
  deliver(answer: Answer): Promise<DeliveredFraction>;
  /** Logs a fault that the answer does not state, and the error that caused it. */
  report(fault: string, error?: unknown): void;
}

export interface Answer {
  readonly status: number;
  /** Empty for 204 and 304, and for HEAD. */
  readonly response: FinishedResponse;
  readonly charged: number;
  /** Balance after the charge; absent where the answer states nothing about tokens. */
  readonly remaining?: number | undefined;
  /** Price of the GET, for its HEAD. */
  readonly cost?: number | undefined;
  /** Whether it repeats the response to an earlier request with the same `Idempotency-Key`. */
  readonly isReplay?: boolean;
  /** Window in which the request was counted; absent if it was not counted by account. */
  readonly rate?: RateState;
  readonly etag?: string;
  /** Release of the response, if its own metadata does not state it. */
  readonly release?: string;
  /** `no-store` by default. */
  readonly cacheControl?: string;
  /** Headers that select the response; by default those of metered routes. */
  readonly vary?: string;
}
