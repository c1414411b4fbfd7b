import { z } from 'zod';
import type { Geoid } from '../shards/geoid.ts';
import type { Mode } from '../shards/modes.ts';
import type { TileAddress } from '../shards/pmtiles/tile-id.ts';
import type { Release } from '../shards/release/release.ts';
import type { Degrees, DestId, DestTypeId, Minutes } from '../shards/units.ts';
import type { EndpointRows } from './formats/negotiate.ts';
import type { Operation } from './http/openapi.ts';
import { withoutNullsOf } from './http/validation.ts';
import type { ResolvedQuery } from './metering/query-cache.ts';
import { PLANS } from './plans.ts';
import type { ProxyServices, QueryContext } from './services.ts';

/** Declares a route: its schemas validate requests and generate the OpenAPI document. */
interface Route extends Operation {
  /** Path in OpenAPI syntax: `/v1/blocks/{geoid}/summary`. */
  readonly path: string;
  readonly responseDescription: string;
  readonly response: z.ZodType;
  /**
   * Example response, if it does not depend on the release; other examples are generated for the
   * document.
   */
  readonly example?: unknown;
}

/** A GET route. Its schemas are strict: an unknown parameter is rejected by name. */
interface GetRoute<P extends z.ZodObject, Q extends z.ZodObject> extends Route {
  readonly params: P;
  readonly query: Q;
}

type Input<P extends z.ZodObject, Q extends z.ZodObject> = {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
};

export interface FreeEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
> extends GetRoute<P, Q> {
  readonly access: 'free';
  /** `catalogue`: the same for all clients until the next release. `never`: current state. */
  readonly cache: 'catalogue' | 'never';
  /** A second status whose body has the same schema as 200. */
  readonly otherStatus?: number;
  /**
   * Whether the body is one GeoJSON object, so that the client may request it as
   * `application/geo+json`.
   */
  readonly isGeoJson?: boolean;
  respond(services: ProxyServices, input: Input<P, Q>): Promise<StaticResult> | StaticResult;
}

export interface StaticResult {
  readonly status?: number;
  /**
   * ETag; absent if it is the hash of the body. If present, clients that have it get 304 before the
   * body is rendered.
   */
  readonly etag?: string;
  /** The release, for `X-Data-Release`: a front names it in responses that it has revalidated. */
  readonly release?: string;
  readonly body: object;
}

export interface KeyedEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
> extends GetRoute<P, Q> {
  readonly access: 'keyed';
  respond(balance: number, input: Input<P, Q>): object;
}

export interface QueryResult {
  /** An object is sent as JSON; bytes unchanged; `null` as 204. */
  readonly body: object | BinaryBody | null;
  readonly tokens: number;
  /**
   * Stored for an `Idempotency-Key` in place of a body that expires before the key does; `renew`
   * makes a new body from it.
   */
  readonly renewable?: object;
}

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

/** A response of rows: one token per row, at least one. */
export function rowsResponse(body: object, rows: number): QueryResult {
  return { body, tokens: Math.max(PLANS.charges.minimum, rows * PLANS.charges.row) };
}

/**
 * A metered route. It declares what it needs; key, rate, validation, conditional requests, shared
 * reads, charging and refunding are the same for all (`execute.ts`).
 */
export interface MeteredEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  Resolved extends ResolvedQuery = ResolvedQuery,
  Located = unknown,
> extends GetRoute<P, Q> {
  readonly access: 'metered';
  /** Absent for routes without rows. */
  readonly rows?: EndpointRows;
  /** Whether responses are free for members, in which case they have no token headers. */
  readonly freeForMembers?: boolean;
  /** Whether the result may be empty, which is sent as 204. */
  readonly mayBeEmpty?: boolean;
  /** Schema of a body that is one GeoJSON object (`ResolvedQuery.isGeoJson`). */
  readonly geoJson?: z.ZodType;
  readonly mediaType?: string;
  /**
   * Resolves the request on this release. Reads only objects that are cached whole; throws for
   * requests that cannot be fulfilled.
   */
  resolve(
    release: Release,
    input: Input<P, Q>,
    services: ProxyServices,
  ): Resolved | Promise<Resolved>;
  /**
   * Finds the subject of the request, or throws a not-found problem. Reads indexes at most. Absent
   * if `resolve` already finds the subject.
   */
  locate?(release: Release, resolved: Resolved): Promise<Located>;
  /**
   * The price, if it follows from the request: an account that cannot pay it is refused before the
   * response is computed.
   */
  price?(resolved: Resolved): number;
  /**
   * Counts the tokens of the response from far less than it takes to compute it: an account that
   * cannot pay them is refused before. Unlike a price, they are not stated to it.
   */
  count?(release: Release, resolved: Resolved): Promise<number>;
  respond(
    release: Release,
    resolved: Resolved,
    context: QueryContext,
    located: Located,
  ): Promise<QueryResult>;
}

/**
 * Sample data of the served release, for examples in the document. A request that combines these
 * values has a response with few rows.
 */
export interface ExampleMarks {
  readonly release: string;
  readonly block: Geoid;
  readonly point: { readonly lat: Degrees; readonly lon: Degrees };
  readonly mode: Mode;
  /** A POI of `type` within `maxMinutes` of the block by `mode`. */
  readonly poi: { readonly dest_id: DestId; readonly lat: Degrees; readonly lon: Degrees };
  readonly maxMinutes: Minutes;
  readonly type: DestTypeId;
  /** A trip from the block to a POI, by transit with a ride if such a trip was found nearby. */
  readonly trip: { readonly dest_id: DestId; readonly mode: Mode };
  /** A census place that contains the block; null if the release has none. */
  readonly place: { readonly geoid: string; readonly name: string } | null;
  /** A tile that contains the block; null if the release has no tiles of `mode` and `type`. */
  readonly tile: TileAddress | null;
}

/** A metered POST route, for requests too large for a URL. Never cached. */
export interface PostEndpoint<
  B extends z.ZodObject = z.ZodObject,
  Resolved = unknown,
  Located extends Resolved = Resolved,
  Other extends z.ZodObject = B,
> extends Route {
  readonly access: 'posted';
  /** The status of a success, if not 200. */
  readonly status?: 201;
  /** Makes the body of a replay from the `renewable` part of the first response. */
  renew?(kept: unknown, services: ProxyServices): Promise<object>;
  readonly body: B;
  /** The body of requests that have a certain member, if it is another. */
  readonly bodyWith?: { readonly member: string; readonly body: Other };
  readonly rows?: EndpointRows;
  /** Builds a body that returns few rows. */
  requestExample(marks: ExampleMarks): object;
  resolve(
    release: Release,
    body: z.output<B> | z.output<Other>,
    services: ProxyServices,
  ): Resolved | Promise<Resolved>;
  /** Finds the subject, as in `MeteredEndpoint`; a request without one is located as resolved. */
  locate?(release: Release, resolved: Resolved): Promise<Located>;
  /**
   * The price, as in `MeteredEndpoint`; of a request not yet located, if all of it is. Undefined
   * until it is located if only then it is known.
   */
  price?(resolved: Resolved): number | undefined;
  /** The least price, if what cannot be located is free. */
  readonly leastPrice?: number;
  /**
   * Whether the window and percentile of a request are of releases that it names, whatever those of
   * the release in force.
   */
  readonly namesReleases?: boolean;
  /**
   * Computes the response; `balance` is the affordable price. Batches and matches stop there, and
   * other routes ignore it.
   */
  respond(
    release: Release,
    located: Located,
    context: QueryContext,
    balance: number,
  ): Promise<QueryResult>;
}

// Endpoints differ in their schemas, which tables of endpoints ignore. These helpers keep inference
// at the definition and return the table's type.
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

export function postEndpoint<
  B extends z.ZodObject,
  Resolved,
  Located extends Resolved = Resolved,
  Other extends z.ZodObject = B,
>(endpoint: PostEndpoint<B, Resolved, Located, Other>): PostEndpoint {
  return endpoint as unknown as PostEndpoint;
}

interface ChosenBody {
  readonly schema: z.ZodObject;
  /** The sent value, without nulls of members that only the route's other body has. */
  readonly json: unknown;
  /** Members that only the other body has, with the reason why they are refused. */
  readonly others: ReadonlyMap<string, string>;
}

export function chosenBody({ body, bodyWith }: PostEndpoint, json: unknown): ChosenBody {
  if (!bodyWith) return { schema: body, json, others: new Map() };
  const { member } = bodyWith;
  const hasMember = (json as Readonly<Record<string, unknown>> | null)?.[member] != null;
  const [schema, other] = hasMember ? [bodyWith.body, body] : [body, bodyWith.body];
  const reason = hasMember
    ? `does not go with ${member}: send one of them`
    : `goes with ${member} only`;
  const names = Object.keys(other.shape).filter((name) => !Object.hasOwn(schema.shape, name));
  const others = new Map(names.map((name) => [name, reason]));
  return { schema, json: withoutNullsOf((name) => others.has(name), json), others };
}

/**
 * Returns the schema of all bodies of a route. Members that only one of two has are optional,
 * without a default: generated clients send defaults, which the other body would refuse. Members of
 * both are those of `body`, which must accept whatever the other does.
 */
export function documentedBody({ body, bodyWith }: PostEndpoint): z.ZodObject {
  if (!bodyWith) return body;
  const [one, other] = [body.shape, bodyWith.body.shape];
  const shape = Object.entries({ ...other, ...one }).map(([name, schema]) => [
    name,
    name in one && name in other ? schema : optionalOf(schema as z.ZodType),
  ]);
  return z.strictObject(Object.fromEntries(shape));
}

function optionalOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return schema;
  const isDefault = schema instanceof z.ZodDefault;
  const inner = isDefault ? (schema.unwrap() as z.ZodType) : schema;
  const override = isDefault ? inner.meta()?.override : schema.meta()?.override;
  return inner.optional().meta({ ...schema.meta(), override });
}

export type Endpoint = FreeEndpoint | KeyedEndpoint | MeteredEndpoint | PostEndpoint;
