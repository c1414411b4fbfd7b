import { z } from 'zod';

/** A header of answers. */
interface AnswerHeader {
  readonly schema: z.ZodType;
  /** Whether pages of other origins may read it. Some, like `Cache-Control`, they always may. */
  readonly isExposed?: true;
}

const text = (description: string) => z.string().meta({ description });
const whole = (description: string) => z.int().meta({ description });
const textIfAny = (description: string) => z.string().optional().meta({ description });

/** Every header that is of this API, by its name: the document and the CORS headers are of it. */
export const ANSWER_HEADERS = {
  ETag: { isExposed: true, schema: text('Hash of what decides the answer.') },
  'X-Tokens-Charged': { isExposed: true, schema: whole('What this answer cost.') },
  'X-Tokens-Remaining': { isExposed: true, schema: whole('The balance after it.') },
  'X-Tokens-Cost': {
    isExposed: true,
    schema: z.int().optional().meta({ description: 'What the GET would charge.' }),
  },
  RateLimit: {
    isExposed: true,
    schema: text('What is left of the window: `"default";r=299;t=60`.'),
  },
  'RateLimit-Policy': { isExposed: true, schema: text('The window: `"default";q=300;w=60`.') },
  'Retry-After': { isExposed: true, schema: whole('Seconds to wait.') },
  'X-Request-Id': { isExposed: true, schema: text('Name it when you report a fault.') },
  'Idempotency-Replayed': {
    isExposed: true,
    schema: z
      .literal('true')
      .optional()
      .meta({ description: 'The answer was given, and charged for, before.' }),
  },
  Link: {
    isExposed: true,
    schema: textIfAny('Where the next page is, if there is one: `<…>; rel="next"`.'),
  },
  'X-Next-Cursor': { isExposed: true, schema: textIfAny('`next_cursor`, if not null.') },
  'X-Resolved-Block': { isExposed: true, schema: text('`resolved_block`.') },
  'X-Batch-Errors': { isExposed: true, schema: whole('How many `errors` there are.') },
  'X-Batch-Truncated': { isExposed: true, schema: whole('How many origins are `truncated`.') },
  'X-Truncated-Reason': {
    isExposed: true,
    schema: textIfAny('`truncated_reason`, if not null.'),
  },
  'X-Unrouted': {
    isExposed: true,
    schema: textIfAny('`unrouted`, if any: `walk=no-street-near, transit=no-street-near`.'),
  },
  'Cache-Control': { schema: text('Who may keep the answer, and for how long.') },
  Vary: { schema: text('Headers of the request that choose the answer.') },
  'WWW-Authenticate': {
    schema: text(
      '`Bearer`; of a key that was sent and is not valid `Bearer error="invalid_token"`.',
    ),
  },
} as const satisfies Readonly<Record<string, AnswerHeader>>;

export type HeaderName = keyof typeof ANSWER_HEADERS;

/** The names that `Access-Control-Expose-Headers` lists. */
export const EXPOSED = Object.entries<AnswerHeader>(ANSWER_HEADERS)
  .filter(([, { isExposed }]) => isExposed)
  .map(([name]) => name)
  .join(', ');

/** Headers as the document writes them. */
export function headersNamed(...names: readonly HeaderName[]): Record<string, z.ZodType> {
  return Object.fromEntries(names.map((name) => [name, ANSWER_HEADERS[name].schema]));
}
