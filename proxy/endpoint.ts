import type { z } from 'zod';
import type { ProblemSlug } from '../portal/http/problem-types.ts';
import { PLANS } from '../portal/plans.ts';
import type { Waiters } from '../shards/concurrency/fair-queue.ts';
import type { Geoid } from '../shards/geoid.ts';
import type { Mode } from '../shards/modes.ts';
import type { TileAddress } from '../shards/pmtiles/tile-id.ts';
import type { Release } from '../shards/release/release.ts';
import type { Degrees, DestId, DestTypeId, Minutes } from '../shards/units.ts';
import type { RowTable } from './formats/row-table.ts';
import type { ResolvedQuery } from './metering/query-cache.ts';
import type { ProxyServices, QueryContext } from './services.ts';

/** Declares a route: its schemas validate requests and generate the OpenAPI document. */
interface Described {
  /** As OpenAPI writes it: `/v1/blocks/{geoid}/summary`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** Describes the response with status 200. */
  readonly responseDescription: string;
  readonly response: z.ZodType;
  /** An answer that is of no release; the others are made for the document. */
  readonly example?: unknown;
  /** Problems in addition to those of every route with the same access. */
  readonly problems: readonly ProblemSlug[];
}

/** A route asked with GET. Its schemas are strict: a parameter that is not there is refused by name. */
interface Asked<P extends z.ZodObject, Q extends z.ZodObject> extends Described {
  readonly params: P;
  readonly query: Q;
}

export type Input<P extends z.ZodObject, Q extends z.ZodObject> = {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
};

/** A route that needs no key. */
export interface FreeEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
> extends Asked<P, Q> {
  readonly access: 'free';
  /** `catalogue`: the same for everybody until the next release. `never`: of this moment. */
  readonly cache: 'catalogue' | 'never';
  /** A second status with the same kind of body as 200. */
  readonly otherStatus?: number;
  /** Whether the body is one GeoJSON object, which may be asked for as such. */
  readonly isGeoJson?: boolean;
  respond(services: ProxyServices, input: Input<P, Q>): Promise<StaticResult> | StaticResult;
}

export interface StaticResult {
  readonly status?: number;
  readonly body: object;
}

/** A route that needs a key and costs nothing. */
export interface KeyedEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
> extends Asked<P, Q> {
  readonly access: 'keyed';
  respond(balance: number, input: Input<P, Q>): object;
}

/** The result of a metered route, and its price. */
export interface QueryResult {
  /** An object is sent as JSON; bytes as they are; `null` is 204. */
  readonly body: object | BinaryBody | null;
  readonly tokens: number;
  /** The columns of the route's table that the request selected; absent for all. */
  readonly columns?: readonly string[];
}

/** A body that is no JSON. */
export class BinaryBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly contentEncoding: 'gzip' | null;

  constructor(bytes: Uint8Array, contentType: string, contentEncoding: 'gzip' | null) {
    this.bytes = bytes;
    this.contentType = contentType;
    this.contentEncoding = contentEncoding;
  }
}

/** An answer of rows: a token a row, at least one. */
export function rowsResponse(body: object, rows: number): QueryResult {
  return { body, tokens: Math.max(PLANS.charges.minimum, rows * PLANS.charges.row) };
}

/**
 * A route that is charged for. It says what it needs; key, rate, validation, conditional requests,
 * reading once, charging and refunding are the same for all (`serve/serve-metered.ts`).
 */
export interface MeteredEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  Resolved extends ResolvedQuery = ResolvedQuery,
  Located = unknown,
> extends Asked<P, Q> {
  readonly access: 'metered';
  /** How its rows are written as CSV, NDJSON or GeoJSON; absent where there are none. */
  readonly table?: RowTable;
  /** Members do not pay for it, and get no token headers. */
  readonly freeForMembers?: boolean;
  /** There may be nothing to send: 204. */
  readonly mayBeEmpty?: boolean;
  /** The media type of a body that is one GeoJSON object (`MeteredPlan.isGeoJson`). */
  readonly geoJson?: z.ZodType;
  /** The media type of its body, if not JSON. */
  readonly mediaType?: string;
  /**
   * Plans the request on this release. Reads only objects cached whole; rejects requests that
   * cannot be answered.
   */
  resolve(
    release: Release,
    input: Input<P, Q>,
    services: ProxyServices,
  ): Resolved | Promise<Resolved>;
  /**
   * Finds what is asked about, or throws a not-found problem. Reads indexes at most. Absent where
   * planning has found it.
   */
  locate?(release: Release, resolved: Resolved, waiters: Waiters): Promise<Located>;
  /** `located`: what `locate` has found. */
  respond(
    release: Release,
    resolved: Resolved,
    context: QueryContext,
    located: Located,
  ): Promise<QueryResult>;
}

/**
 * Things of the release that is served, for the examples of the document: a request that puts them
 * together has an answer, and one of few rows.
 */
export interface ExampleMarks {
  readonly block: Geoid;
  /** In the block. */
  readonly point: { readonly lat: Degrees; readonly lon: Degrees };
  readonly mode: Mode;
  /** Within so many minutes of the block by that mode, and of that type. */
  readonly poi: { readonly dest_id: DestId; readonly lat: Degrees; readonly lon: Degrees };
  readonly maxMinutes: Minutes;
  readonly type: DestTypeId;
  /** Has the block; absent where the release has no such census place. */
  readonly place: { readonly geoid: string; readonly name: string } | null;
  /** Has the block; absent of a release without tiles of that mode and type. */
  readonly tile: TileAddress | null;
}

/** A metered route asked with POST: what is asked does not fit a URL. Never kept by caches. */
export interface PostEndpoint<B extends z.ZodObject = z.ZodObject, Resolved = unknown>
  extends Described {
  readonly access: 'posted';
  readonly body: B;
  readonly table: RowTable;
  /** A body of few rows. */
  requestExample(marks: ExampleMarks): object;
  /** Plans the request on this release; rejects requests that cannot be answered. */
  resolve(release: Release, body: z.output<B>, services: ProxyServices): Resolved;
  /** `balance`: what can be paid. A batch answers as much; other routes answer anyway. */
  respond(
    release: Release,
    resolved: Resolved,
    context: QueryContext,
    balance: number,
  ): Promise<QueryResult>;
}

// Endpoints differ in their schemas; tables of them do not care. These keep inference at the
// definition and give the table's type.
export function freeEndpoint<P extends z.ZodObject, Q extends z.ZodObject>(
  endpoint: FreeEndpoint<P, Q>,
): FreeEndpoint {
  return endpoint as unknown as FreeEndpoint;
}

export function keyedEndpoint<P extends z.ZodObject, Q extends z.ZodObject>(
  endpoint: KeyedEndpoint<P, Q>,
): KeyedEndpoint {
  return endpoint as unknown as KeyedEndpoint;
}

export function meteredEndpoint<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  Resolved extends ResolvedQuery,
  Located,
>(endpoint: MeteredEndpoint<P, Q, Resolved, Located>): MeteredEndpoint {
  return endpoint as unknown as MeteredEndpoint;
}

export function postEndpoint<B extends z.ZodObject, Resolved>(
  endpoint: PostEndpoint<B, Resolved>,
): PostEndpoint {
  return endpoint as unknown as PostEndpoint;
}

export type Endpoint = FreeEndpoint | KeyedEndpoint | MeteredEndpoint | PostEndpoint;
