import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';

export const ifNoneMatch = z.string().optional().meta({
  description: 'The `ETag` of an earlier answer: 304, and free, if it still holds.',
  example: '"Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5"',
});
export const idempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    'Send the same key with a repeated request: within 24 hours it is charged once and answered again.',
  example: 'c0f1a9d2-batch-7',
});

const COMMON = {
  'X-Request-Id': z.string().meta({ description: 'Name it when you report a fault.' }),
  'Cache-Control': z.string().meta({ description: 'Who may keep the answer, and for how long.' }),
};
const RATE = {
  RateLimit: z
    .string()
    .meta({ description: 'What is left of the window: `"default";r=299;t=60`.' }),
  'RateLimit-Policy': z.string().meta({ description: 'The window: `"default";q=300;w=60`.' }),
};
const ETAG = { ETag: z.string().meta({ description: 'Hash of what decides the answer.' }) };
const VARY = {
  Vary: z.string().meta({ description: 'Headers of the request that choose the answer.' }),
};
const COST = {
  'X-Tokens-Cost': z.int().optional().meta({ description: 'What the GET would charge.' }),
};

/** Members of an isochrone or tile pay nothing, and hear nothing of it. */
function tokens({ access, ...endpoint }: Endpoint): z.ZodRawShape {
  if (access === 'free') return {};
  const told = (description: string) => {
    const header = z.int().meta({ description });
    return 'freeForMembers' in endpoint && endpoint.freeForMembers ? header.optional() : header;
  };
  return {
    'X-Tokens-Charged': told('What this answer cost.'),
    'X-Tokens-Remaining': told('The balance after it.'),
  };
}

/** Whether answers have an `ETag` and can be asked for with `If-None-Match`. */
export function isConditional(endpoint: Endpoint): boolean {
  if (endpoint.access === 'free') return endpoint.cache === 'catalogue';
  return endpoint.access === 'metered';
}

/** Headers of an answer that repeat nothing of its body. */
function plainHeaders(endpoint: Endpoint): z.ZodRawShape {
  const isSelected = endpoint.access !== 'free' || endpoint.cache !== 'never';
  return {
    ...COMMON,
    ...RATE,
    ...tokens(endpoint),
    ...(isConditional(endpoint) && ETAG),
    ...(isSelected && VARY),
  };
}

/** Headers of an answer without a body: 204, 304. */
export function bareHeaders(endpoint: Endpoint) {
  return z.object(plainHeaders(endpoint));
}

/** Headers of the answer to a HEAD: what it would cost, and nothing of the rows. */
export function headHeaders(endpoint: Endpoint) {
  return z.object({ ...plainHeaders(endpoint), ...(endpoint.access === 'metered' && COST) });
}

/** Headers of an answer with its body. */
export function answerHeaders(endpoint: Endpoint) {
  const members =
    endpoint.response instanceof z.ZodObject ? Object.keys(endpoint.response.shape) : [];
  const isPaged = endpoint.access === 'metered' && members.includes('next_cursor');
  return z.object({
    ...plainHeaders(endpoint),
    ...Object.assign({}, ...members.map((member) => BESIDE_ROWS[member])),
    ...(isPaged && { Link: link }),
    ...(endpoint.access === 'posted' && { 'Idempotency-Replayed': replayed }),
  });
}

/** Headers of a problem with that status. */
export function problemHeaders(endpoint: Endpoint, status: number) {
  const isAskerKnown = status !== 401 && status !== 403;
  return z.object({
    ...COMMON,
    ...(isAskerKnown && z.object(RATE).partial().shape),
    ...(isAskerKnown && endpoint.access !== 'free' && TOKENS_OF_PROBLEMS),
    ...PROBLEM_HEADERS[status],
  });
}

/** Of problems that are found once the key is known. */
const TOKENS_OF_PROBLEMS = {
  'X-Tokens-Charged': z.int().optional().meta({ description: 'Nothing: a failure is free.' }),
  'X-Tokens-Remaining': z.int().optional().meta({ description: 'The balance.' }),
};

/** Headers of an answer that is no problem and no success. */
export const otherHeaders = z.object({ ...COMMON, ...RATE });

const link = z
  .string()
  .optional()
  .meta({ description: 'Where the next page is, if there is one: `<…>; rel="next"`.' });
const replayed = z
  .literal('true')
  .optional()
  .meta({ description: 'The answer was given, and charged for, before.' });

/** Headers that repeat members beside the rows, for the formats that have rows alone. */
const BESIDE_ROWS: Readonly<Record<string, z.ZodRawShape>> = {
  next_cursor: {
    'X-Next-Cursor': z.string().optional().meta({ description: '`next_cursor`, if not null.' }),
  },
  resolved_block: { 'X-Resolved-Block': z.string().meta({ description: '`resolved_block`.' }) },
  errors: { 'X-Batch-Errors': z.int().meta({ description: 'How many `errors` there are.' }) },
  truncated: {
    'X-Batch-Truncated': z.int().meta({ description: 'How many origins are `truncated`.' }),
  },
  unrouted: {
    'X-Unrouted': z
      .string()
      .optional()
      .meta({ description: '`unrouted`, if any: `walk=no-street-near, transit=no-street-near`.' }),
  },
  truncated_reason: {
    'X-Truncated-Reason': z
      .string()
      .optional()
      .meta({ description: '`truncated_reason`, if not null.' }),
  },
};

/** Headers of a problem's status, beside those of every answer. */
const PROBLEM_HEADERS: Readonly<Record<number, z.ZodRawShape>> = {
  401: {
    'WWW-Authenticate': z.string().meta({
      description:
        '`Bearer`; of a key that was sent and is not valid `Bearer error="invalid_token"`.',
    }),
  },
  429: { 'Retry-After': z.int().meta({ description: 'Seconds to wait.' }) },
  503: { 'Retry-After': z.int().meta({ description: 'Seconds to wait.' }) },
};
