import type { z } from 'zod';
import type { Release } from '../shards/release.ts';
import type { ObjectRef } from '../shards/store/store.ts';
import type { ProblemSlug } from './http/problem.ts';
import type { Services } from './services.ts';

/** What every route of the API says of itself: its schemas validate, and make the OpenAPI document. */
interface Described<P extends z.ZodObject, Q extends z.ZodObject> {
  /** As OpenAPI writes it: `/v1/blocks/{geoid}/summary`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** Strict: a parameter that is not there is refused by name. */
  readonly params: P;
  readonly query: Q;
  readonly response: z.ZodType;
  readonly example: unknown;
  /** Problems beside those that every route of its access can give. */
  readonly problems: readonly ProblemSlug[];
}

export type Input<P extends z.ZodObject, Q extends z.ZodObject> = {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
};

/** A route that needs no key. */
export interface FreeEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
> extends Described<P, Q> {
  readonly access: 'free';
  /** `catalogue`: the same for everybody until the next release. `never`: of this moment. */
  readonly cache: 'catalogue' | 'never';
  /** Whether requests count against the address's rate. Probes of the service do not. */
  readonly rateLimited: boolean;
  /** A status beside 200 that has the same kind of body. */
  readonly otherStatus?: number;
  answer(services: Services, input: Input<P, Q>): Promise<FreeAnswer> | FreeAnswer;
}

export interface FreeAnswer {
  readonly status?: number;
  readonly body: object;
}

/** A route that needs a key and costs nothing. */
export interface KeyedEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
> extends Described<P, Q> {
  readonly access: 'keyed';
  answer(balance: number, input: Input<P, Q>): object;
}

/** Rows, and how many of them are charged for. */
export interface Answer {
  readonly body: object;
  readonly rows: number;
}

/**
 * A route that is charged by the row. It says what it needs; key, rate, validation, conditional
 * requests, reading once, charging and refunding are the same for all (`metering/serve-metered.ts`).
 */
export interface MeteredEndpoint<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  Plan extends MeteredPlan = MeteredPlan,
> extends Described<P, Q> {
  readonly access: 'metered';
  /** What the request means on this release. Reads nothing; refuses what cannot be meant. */
  plan(release: Release, input: Input<P, Q>, services: Services): Plan;
  /** Throws a not-found problem if what is asked about does not exist. Reads indexes at most. */
  locate(release: Release, plan: Plan): Promise<void>;
  answer(release: Release, plan: Plan, services: Services): Promise<Answer>;
}

export interface MeteredPlan {
  /** The request in one spelling: parameters sorted, defaults filled in. */
  readonly canonical: string;
  /** The objects whose contents decide the answer. */
  readonly dependsOn: readonly ObjectRef[];
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
  Plan extends MeteredPlan,
>(endpoint: MeteredEndpoint<P, Q, Plan>): MeteredEndpoint {
  return endpoint as unknown as MeteredEndpoint;
}

export type Endpoint = FreeEndpoint | KeyedEndpoint | MeteredEndpoint;
