import { z } from 'zod';
import type {
  Endpoint,
  FreeEndpoint,
  KeyedEndpoint,
  MeteredEndpoint,
  PostEndpoint,
} from '../endpoint.ts';
import {
  CSV_METADATA,
  FACTS_METADATA,
  ORIGIN_METADATA,
  ROW_METADATA,
} from '../formats/row-metadata.ts';
import { type HeaderName, headersIfAny, headersNamed } from '../http/common-headers.ts';
import { HEADER_OF_STATUS } from '../http/problem-docs.ts';
import {
  KEPT_BYTES_PER_ACCOUNT,
  KEPT_BYTES_PER_TOKEN,
  MAX_IDEMPOTENCY_KEY,
  RESPONSE_LIFE_MS,
} from '../ledger/replays.ts';

export const ifNoneMatch = z
  .string()
  .optional()
  .meta({
    description:
      'The `ETag` of an earlier response: if it is still current, the response is a 304, and free.',
    param: { id: 'IfNoneMatch' },
  });
export const idempotencyKey = z
  .string()
  .min(1)
  .max(MAX_IDEMPOTENCY_KEY)
  .regex(/^[ -~]+$/)
  .optional()
  .meta({
    description: `Send the same key when repeating a request: within ${RESPONSE_LIFE_MS / 3_600_000} hours it is charged once and answered again. The repeated response is identical to the first, in its format, if that was kept: up to ${KEPT_BYTES_PER_TOKEN / 2 ** 10} KiB compressed per token, and ${KEPT_BYTES_PER_ACCOUNT / 2 ** 20} MiB an account, from which the largest are dropped first; otherwise it is computed again, uncharged. For a kept response, an \`Accept\` that does not allow that is \`idempotency-conflict\`.`,
    param: { id: 'IdempotencyKey' },
  });

const COMMON = headersNamed('X-Request-Id', 'Cache-Control');
const RATE = ['RateLimit', 'RateLimit-Policy'] as const;
const TOKENS = ['X-Tokens-Charged', 'X-Tokens-Remaining'] as const;

/** The access to a route, which determines the headers of its responses. */
export type Access =
  | Pick<FreeEndpoint, 'access' | 'cache'>
  | Pick<KeyedEndpoint, 'access'>
  | Pick<MeteredEndpoint, 'access'>
  | Pick<PostEndpoint, 'access'>;

/** Returns the kind of the responses of an endpoint, which is part of the names of components. */
export function kindOf(endpoint: Access): 'Probe' | '' | 'Keyed' | 'Metered' {
  if (isMetered(endpoint)) return 'Metered';
  if (endpoint.access === 'keyed') return 'Keyed';
  return isProbe(endpoint) ? 'Probe' : '';
}

/** Whether responses (isochrones and tiles) are free for members, who get no token headers. */
export function isFreeForMembers(endpoint: Endpoint): boolean {
  return 'freeForMembers' in endpoint && endpoint.freeForMembers === true;
}

function tokens(endpoint: Endpoint): z.ZodRawShape {
  if (endpoint.access === 'free') return {};
  return isFreeForMembers(endpoint) ? headersIfAny(...TOKENS) : headersNamed(...TOKENS);
}

/** Whether responses have an `ETag` and support `If-None-Match`. */
export function isConditional(endpoint: Endpoint): boolean {
  if (endpoint.access === 'free') return endpoint.cache === 'catalogue';
  return endpoint.access === 'metered';
}

function isProbe(endpoint: Access): boolean {
  return endpoint.access === 'free' && endpoint.cache === 'never';
}

function isMetered({ access }: Access): boolean {
  return access === 'metered' || access === 'posted';
}

/** Whether responses name the release: metered ones, and that of readiness. */
function namesRelease(endpoint: Endpoint): boolean {
  return isMetered(endpoint) || (endpoint.access === 'free' && endpoint.otherStatus !== undefined);
}

/** Headers of a response that do not repeat any of its body. */
function plainHeaders(endpoint: Endpoint): z.ZodRawShape {
  return {
    ...COMMON,
    ...(!isProbe(endpoint) && headersNamed(...RATE)),
    ...tokens(endpoint),
    ...(namesRelease(endpoint) && headersNamed('X-Data-Release')),
    ...(isConditional(endpoint) && headersNamed('ETag')),
    ...(!isProbe(endpoint) && headersNamed('Vary')),
  };
}

/** Headers of a response without a body: 204, 304. */
export function bareHeaders(endpoint: Endpoint) {
  return z.object(plainHeaders(endpoint));
}

/** Headers of the successful response to a HEAD: its price, without anything about the rows. */
export const HEAD_HEADERS = z.object({
  ...COMMON,
  ...headersIfAny(...RATE, ...TOKENS, 'X-Tokens-Cost', 'X-Data-Release', 'ETag', 'Vary'),
});

export function fileHeaders(...more: readonly HeaderName[]) {
  return z.object({
    ...COMMON,
    ...headersIfAny(...RATE),
    ...headersNamed('ETag', 'Accept-Ranges', ...more),
  });
}

export function responseHeaders(endpoint: Endpoint) {
  const shape = endpoint.response instanceof z.ZodObject ? endpoint.response.shape : {};
  const members = Object.keys(shape);
  // A header that repeats an optional member is absent where the member is.
  const isAlways = (member: string) => !(shape[member] instanceof z.ZodOptional);
  const repeating = (member: string) => [
    ...headersRepeating(member),
    ...('rows' in endpoint ? headersOfOrigins(member) : []),
  ];
  const isPaged = endpoint.access !== 'posted' && members.includes('next_cursor');
  return z.object({
    ...plainHeaders(endpoint),
    ...headersIfAny(...members.filter((one) => !isAlways(one)).flatMap(repeating)),
    ...headersNamed(...members.filter(isAlways).flatMap(repeating)),
    ...(isPaged && headersNamed('Link')),
    ...(endpoint.access === 'posted' && headersNamed('Idempotency-Replayed')),
  });
}

export function problemHeaders(endpoint: Access, status: number) {
  const isClientKnown = status !== 401 && status !== 403;
  return z.object({
    ...COMMON,
    ...(isClientKnown && !isProbe(endpoint) && headersIfAny(...RATE)),
    ...(isClientKnown && endpoint.access !== 'free' && headersIfAny(...TOKENS)),
    ...(isClientKnown && isMetered(endpoint) && headersIfAny('X-Data-Release')),
    ...headersOfStatus(status),
  });
}

/** Headers of a response that is not about data of the release. */
export function otherHeaders(status: number) {
  return z.object({ ...COMMON, ...headersOfStatus(status) });
}

function headersOfStatus(status: number): z.ZodRawShape {
  return status in HEADER_OF_STATUS ? headersNamed(HEADER_OF_STATUS[status]) : {};
}

function headersRepeating(member: string) {
  return namesOf([...ROW_METADATA, ...CSV_METADATA], member);
}

function headersOfOrigins(member: string) {
  return namesOf([...FACTS_METADATA, ...ORIGIN_METADATA], member);
}

type Repeated = { readonly member: string; readonly header: HeaderName };

function namesOf(metadata: readonly Repeated[], member: string): readonly HeaderName[] {
  return metadata.filter((one) => one.member === member).map(({ header }) => header);
}
