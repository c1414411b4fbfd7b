import { numberWord } from '../../shards/number-words.ts';
import { CHALLENGE_MINUTES, CODE_TRIES } from '../accounts/sign-ins.ts';
import { MAX_ACTIVE_KEYS } from '../key-limits.ts';
import { POLYGON_LIMITS, REQUEST_LIMITS } from './request-limits.ts';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly advice: string;
}

/**
 * Every slug with its status, its title, and advice for the reader: the page that its `type` links
 * to.
 */
export const PROBLEM_TYPES = {
  'invalid-parameters': {
    status: 400,
    title: 'Some parameters are not valid',
    advice: 'The errors member lists each parameter that is wrong, and how.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'The cursor is not one of this query',
    advice:
      'Pass next_cursor unchanged, with the same other parameters, or begin again without one.',
  },
  'invalid-bbox': {
    status: 400,
    title: 'The bounding box is not valid',
    advice: 'Give min_lon,min_lat,max_lon,max_lat in degrees: west, south, east, north.',
  },
  'missing-location': {
    status: 400,
    title: 'A location is needed',
    advice: 'Give a bbox, or lat, lon and radius_m; for an isochrone block, or lon and lat.',
  },
  'missing-area': {
    status: 400,
    title: 'An area is needed',
    advice: 'Give a polygon, or center and radius_m.',
  },
  'invalid-geometry': {
    status: 400,
    title: 'The geometry is not valid',
    advice:
      'Rings must be closed, and must not cross or come back to a point of their own; holes lie in their shell, polygons do not overlap, longitude comes before latitude.',
  },
  'polygon-too-complex': {
    status: 400,
    title: 'The polygon is too large or too detailed',
    advice: `At most ${POLYGON_LIMITS}: simplify the polygon, or divide it into several requests.`,
  },
  'missing-origins': {
    status: 400,
    title: 'Origins are needed',
    advice: `List 1 to ${REQUEST_LIMITS.origins} origins.`,
  },
  'too-many-origins': {
    status: 400,
    title: 'Too many origins',
    advice: `Divide the origins into requests of at most ${REQUEST_LIMITS.origins}.`,
  },
  'missing-key': {
    status: 401,
    title: 'An API key is needed',
    advice: 'Send the header "Authorization: Bearer" and your API key.',
  },
  'invalid-key': {
    status: 401,
    title: 'The API key is not valid',
    advice: 'Check the key for typing errors. One that was revoked never works again: use another.',
  },
  'no-session': {
    status: 401,
    title: 'You are not signed in',
    advice:
      'Sign in: POST /auth/request sends a code to your address, POST /auth/verify-code takes it.',
  },
  'invalid-csrf-token': {
    status: 403,
    title: 'The request cannot be told from one of another site',
    advice: 'Send what GET /auth/csrf answers in the header X-CSRF-Token, from this site itself.',
  },
  'invalid-code': {
    status: 400,
    title: 'The code is not right',
    advice: `A code is taken once, within ${numberWord(CHALLENGE_MINUTES)} minutes, and the newest of an address only; ${numberWord(CODE_TRIES)} wrong ones end it. Ask for another.`,
  },
  'invalid-link': {
    status: 400,
    title: 'The sign-in link is not right',
    advice: `A link is taken once, within ${numberWord(CHALLENGE_MINUTES)} minutes, and the newest of an address only. Ask for another.`,
  },
  'key-in-url': {
    status: 400,
    title: 'An API key stands in the URL',
    advice:
      'URLs are kept in histories and logs: send the key in the header "Authorization: Bearer". One that has been in a URL is better revoked, and another made.',
  },
  'invalid-signature': {
    status: 400,
    title: 'The event is not signed as it should be',
    advice: 'Only the payment processor sends events, each signed less than five minutes ago.',
  },
  'account-disabled': {
    status: 403,
    title: 'The account is disabled',
    advice: 'Write to the people who run this service.',
  },
  'block-not-found': {
    status: 404,
    title: 'No such census block',
    advice: 'Check the 15 digits, with leading zeros; the release may not cover that county.',
  },
  'poi-not-found': {
    status: 404,
    title: 'No such point of interest',
    advice: 'Check the dest_id; the place may be gone from the newest release.',
  },
  'place-not-found': {
    status: 404,
    title: 'No such census place',
    advice: 'Look the place up with GET /v1/places; the release may not cover it.',
  },
  'point-not-covered': {
    status: 404,
    title: 'The point is outside all blocks of the release',
    advice: 'Check that latitude and longitude are not mixed up; releases cover US blocks only.',
  },
  'no-isochrone-data': {
    status: 404,
    title: 'There is no isochrone',
    advice:
      'Leave out v for the version in force, or choose an origin near a street. Tiles need a release that was built with them, a mode of it and a leaf of its destination types.',
  },
  'archive-not-found': {
    status: 404,
    title: 'No such tile archive',
    advice:
      'GET /v1/meta/tiles lists the archives of the release in force; those of earlier releases are in its object storage.',
  },
  'direction-not-available': {
    status: 404,
    title: 'The store lacks this direction',
    advice: 'GET /v1/isochrone/meta lists the directions there are.',
  },
  'key-not-found': {
    status: 404,
    title: 'The account has no such key',
    advice: 'GET /keys lists the keys with their ids.',
  },
  'session-not-found': {
    status: 404,
    title: 'The account has no such session',
    advice: 'GET /sessions lists where you are signed in; a session may have ended by itself.',
  },
  'not-found': {
    status: 404,
    title: 'No such route',
    advice: 'Check the path; the reference lists all routes.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The route does not take this method',
    advice: 'The Allow header lists what the route takes.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The route has no format that is accepted',
    advice:
      'The formats member lists those of the route. Send an Accept header that allows one of them, or none.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request did not arrive in time',
    advice: 'Send it again on a new connection; nothing was charged.',
  },
  'idempotency-conflict': {
    status: 409,
    title: 'The Idempotency-Key was used for another request',
    advice: 'Use a new Idempotency-Key for each new request.',
  },
  'too-many-keys': {
    status: 409,
    title: 'The account has as many keys as it can have',
    advice: `Revoke one of the ${numberWord(MAX_ACTIVE_KEYS)} active keys first.`,
  },
  'already-subscribed': {
    status: 409,
    title: 'The account has a membership already',
    advice: 'Manage it at portal_url.',
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large',
    advice: 'Send a smaller body: the detail member tells how much is taken.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is of a type not taken here',
    advice: 'Send application/json.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The range is outside the archive',
    advice: 'Content-Range has the size of the archive: request bytes below it.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait as long as Retry-After says. RateLimit tells how much is left.',
  },
  'too-many-codes': {
    status: 429,
    title: 'Too many codes',
    advice:
      'Wait as long as Retry-After says. Where codes are refused, the link of the newest mail still works.',
  },
  'tokens-exhausted': {
    status: 429,
    title: 'Not enough tokens',
    advice:
      'Ask for fewer rows, or have tokens added to the account; GET /v1/plans lists what they cost.',
  },
  'internal-error': {
    status: 500,
    title: 'Something went wrong here',
    advice: 'A fault on our side. Try again; report X-Request-Id if it stays.',
  },
  overloaded: {
    status: 503,
    title: 'Too much is asked at once',
    advice: 'Try again after Retry-After; nothing was charged. Ask for less at a time.',
  },
  'debit-unavailable': {
    status: 503,
    title: 'Accounts cannot be reached',
    advice:
      'Try again after Retry-After; nothing was charged, or it is given back once accounts answer.',
  },
  'membership-unavailable': {
    status: 503,
    title: 'Nothing can be bought here',
    advice: 'This service has been set up without payment. Its people can grant tokens.',
  },
  'payment-unavailable': {
    status: 503,
    title: 'The payment processor cannot be reached',
    advice: 'Try again after Retry-After; nothing was bought.',
  },
  'store-unavailable': {
    status: 503,
    title: 'Data cannot be reached',
    advice: 'Try again after Retry-After; nothing was charged.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

/** Errors of single origins in a batch, whose response is valid for the others. */
export const BATCH_FAULTS = {
  'no-block-data': {
    status: 200,
    title: 'No wanted mode can be routed from the block',
    advice:
      'The detail member tells why for each mode. Ask for other modes, or leave the block out; the other origins of the batch are answered.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemSlug = keyof typeof PROBLEM_TYPES;
