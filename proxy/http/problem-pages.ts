import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { CACHE_CONTROL } from './cache-control.ts';
import { PROBLEMS, Problem, type ProblemSlug } from './problem.ts';

/** What a person can do about each problem: the page its `type` leads to. */
const ADVICE: Readonly<Record<ProblemSlug, string>> = {
  'invalid-parameters': 'The errors member lists each parameter that is wrong, and how.',
  'invalid-cursor':
    'Pass next_cursor unchanged, with the same other parameters, or begin again without one.',
  'invalid-bbox': 'Give min_lon,min_lat,max_lon,max_lat in degrees: west, south, east, north.',
  'missing-location':
    'Give a bbox, or lat, lon and radius_m; for an isochrone block, or lon and lat.',
  'missing-area': 'Give a polygon, or center and radius_m.',
  'invalid-geometry':
    'Rings must be closed, and must not cross or come back to a point of their own; holes lie in their shell, polygons do not overlap, longitude comes before latitude.',
  'polygon-too-complex':
    'At most 2,000 vertices and 5,000 km²: simplify the polygon, or divide it into several requests.',
  'missing-origins': 'List 1 to 250 origins.',
  'too-many-origins': 'Divide the origins into requests of at most 250.',
  'missing-key': 'Send the header "Authorization: Bearer" and your API key.',
  'invalid-key':
    'Check the key for typing errors. One that was revoked never works again: use another.',
  'account-disabled': 'Write to the people who run this service.',
  'block-not-found':
    'Check the 15 digits, with leading zeros; the release may not cover that county.',
  'poi-not-found': 'Check the dest_id; the place may be gone from the newest release.',
  'place-not-found': 'Look the place up with GET /v1/places; the release may not cover it.',
  'point-not-covered':
    'Check that latitude and longitude are not mixed up; releases cover US blocks only.',
  'no-isochrone-data':
    'Leave out v for the version in force, or choose an origin near a street. Tiles need a mode of the release and a leaf of its destination types.',
  'direction-not-available': 'GET /v1/isochrone/meta lists the directions there are.',
  'not-found': 'Check the path; /openapi.json lists all routes.',
  'method-not-allowed': 'The Allow header lists what the route takes.',
  'idempotency-conflict': 'Use a new Idempotency-Key for each new request.',
  'payload-too-large': 'Send a smaller body.',
  'unsupported-media-type': 'Send application/json.',
  'rate-limited': 'Wait as long as Retry-After says. RateLimit tells how much is left.',
  'tokens-exhausted':
    'Ask for fewer rows, or have tokens added to the account; GET /v1/plans lists what they cost.',
  'internal-error': 'A fault on our side. Try again; report X-Request-Id if it stays.',
  'debit-unavailable': 'Try again after Retry-After; nothing was charged.',
  'store-unavailable': 'Try again after Retry-After; nothing was charged.',
};

const STYLE =
  'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:38rem;margin:4rem auto;padding:0 1rem;color:#1c2733}code{color:#55606c}';

/** The page has its one style, and nothing else: no script, no picture, no frame around it. */
const SECURITY = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Serves a short readable page at each problem's `type`. */
export function serveProblemPages(app: FastifyInstance, path: string): void {
  app.get<{ Params: { slug: string } }>(path, async (request, reply) => {
    const { slug } = request.params;
    if (!isSlug(slug)) throw new Problem('not-found', `there is no problem ${slug}`);
    const { status, title } = PROBLEMS[slug];
    reply.headers({
      ...SECURITY,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': CACHE_CONTROL.catalogue,
    });
    return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><h1>${title}</h1><p><code>${slug}</code>, HTTP status ${status}</p><p>${ADVICE[slug]}</p></html>`;
  });
}

function isSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(PROBLEMS, text);
}
