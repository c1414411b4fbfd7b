/**
 * Every slug of the contract and its status: what clients may rely on, written down a second time.
 */
export const PROBLEM_STATUS = {
  'invalid-parameters': 400,
  'invalid-cursor': 400,
  'invalid-bbox': 400,
  'invalid-geometry': 400,
  'missing-location': 400,
  'missing-area': 400,
  'missing-origins': 400,
  'too-many-origins': 400,
  'polygon-too-complex': 400,
  'key-in-url': 400,
  'missing-key': 401,
  'invalid-key': 401,
  'account-disabled': 403,
  'not-found': 404,
  'block-not-found': 404,
  'poi-not-found': 404,
  'place-not-found': 404,
  'point-not-covered': 404,
  'no-isochrone-data': 404,
  'direction-not-available': 404,
  'archive-not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'idempotency-conflict': 409,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'range-not-satisfiable': 416,
  'rate-limited': 429,
  'tokens-exhausted': 429,
  'internal-error': 500,
  'debit-unavailable': 503,
  'store-unavailable': 503,
} as const;

export type ProblemSlug = keyof typeof PROBLEM_STATUS;
