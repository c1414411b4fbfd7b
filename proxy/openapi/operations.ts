import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Endpoint } from '../endpoint.ts';
import { describeRequest } from '../http/openapi.ts';
import type { ProblemResponses } from '../http/problem-docs.ts';
import { contentOf } from './content.ts';
import {
  bareHeaders,
  idempotencyKey,
  ifNoneMatch,
  isConditional,
  isFreeForMembers,
  kindOf,
  otherHeaders,
  problemHeaders,
  responseHeaders,
} from './headers.ts';
import { problemsOf } from './problems.ts';

/** An operation as the document describes it. */
export function operation(
  endpoint: Endpoint,
  problems: ProblemResponses,
  alike: AlikeResponses,
): ZodOpenApiOperationObject {
  const isPosted = endpoint.access === 'posted';
  return {
    ...describeRequest(endpoint, requestOf(endpoint)),
    responses: {
      [isPosted ? (endpoint.status ?? 200) : 200]: {
        description: endpoint.responseDescription,
        headers: responseHeaders(endpoint),
        content: contentOf(endpoint),
      },
      ...emptyResponses(endpoint, alike),
      ...problems.of(problemsOf(endpoint), {
        kind: kindOf(endpoint),
        headers: (status) => problemHeaders(endpoint, status),
      }),
      ...otherResponse(endpoint),
    },
  };
}

function requestOf(endpoint: Endpoint) {
  const { access } = endpoint;
  return {
    security: access === 'free' ? [] : [{ apiKey: [] }],
    requestParams: {
      ...(access !== 'posted' && { path: endpoint.params, query: endpoint.query }),
      ...(isConditional(endpoint) && { header: z.object({ 'If-None-Match': ifNoneMatch }) }),
      ...(access === 'posted' && { header: z.object({ 'Idempotency-Key': idempotencyKey }) }),
    },
    ...(access === 'posted' && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: endpoint.body } },
      },
    }),
  };
}

/** Responses other than problems that several operations share. */
export class AlikeResponses {
  readonly #made = new Map<string, ZodOpenApiResponseObject>();

  named(id: string, make: () => ZodOpenApiResponseObject): ZodOpenApiResponseObject {
    const made = this.#made.get(id) ?? { ...make(), id };
    this.#made.set(id, made);
    return made;
  }
}

/** Responses without a body. */
function emptyResponses(endpoint: Endpoint, alike: AlikeResponses) {
  return {
    ...(endpoint.access === 'metered' &&
      endpoint.mayBeEmpty && {
        204: {
          description: 'Nothing to return. Free.',
          headers: bareHeaders(endpoint),
        },
      }),
    ...(isConditional(endpoint) && {
      304: alike.named(`${kindOf(endpoint)}${payerOf(endpoint)}NotModified`, () => ({
        description: 'Not modified since that ETag. Free.',
        headers: bareHeaders(endpoint),
      })),
    }),
  };
}

function payerOf(endpoint: Endpoint): 'ForMembers' | '' {
  return isFreeForMembers(endpoint) ? 'ForMembers' : '';
}

/** Response with the second status of a probe; its body has the same schema as for 200. */
function otherResponse(endpoint: Endpoint) {
  if (endpoint.access !== 'free' || endpoint.otherStatus === undefined) return {};
  const content = { 'application/json': { schema: endpoint.response } };
  return { [endpoint.otherStatus]: { ...notReady(endpoint.otherStatus), content } };
}

function notReady(status: number) {
  return { description: 'Not ready.', headers: otherHeaders(status) };
}
