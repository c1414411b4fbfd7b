import { numberWord } from '../../shards/number-words.ts';
import { CHALLENGE_MINUTES } from '../ledger/sign-ins.ts';
import { MAX_ACTIVE_KEYS } from '../plans.ts';
import { POLYGON_LIMITS, REQUEST_LIMITS } from './request-limits.ts';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly advice: string;
}

/**
 * Every slug with its status, its title, and advice for the reader, as shown on the page that its
 * `type` links to.
 */
export const PROBLEM_TYPES = {
  'invalid-parameters': {
    status: 400,
    title: 'Invalid parameters',
    advice: 'The errors member lists each invalid parameter and what is wrong with it.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'Invalid cursor',
    advice:
      'Pass next_cursor unchanged, with the same other parameters, or start again without a cursor.',
  },
  'invalid-bbox': {
    status: 400,
    title: 'Invalid bounding box',
    advice: 'Send min_lon,min_lat,max_lon,max_lat in degrees: west, south, east, north.',
  },
  'missing-location': {
    status: 400,
    title: 'Location required',
    advice: 'Send a bbox, or lat, lon and radius_m; for an isochrone send a block, or lon and lat.',
  },
  'missing-area': {
    status: 400,
    title: 'Area required',
    advice:
      'Send a polygon, or center and radius_m; or one of the other ways that the route takes.',
  },
  'invalid-geometry': {
    status: 400,
    title: 'Invalid geometry',
    advice:
      'Rings must be closed and must not cross or touch themselves; holes must lie inside their shell; polygons must not overlap; longitude comes before latitude.',
  },
  'polygon-too-complex': {
    status: 400,
    title: 'Polygon too large or too detailed',
    advice: `The limit is ${POLYGON_LIMITS}: simplify the polygon, or split it into several requests.`,
  },
  'missing-origins': {
    status: 400,
    title: 'Origins required',
    advice: `List 1 to ${REQUEST_LIMITS.origins} origins.`,
  },
  'too-many-origins': {
    status: 400,
    title: 'Too many origins',
    advice: `Split the origins into requests of at most ${REQUEST_LIMITS.origins}.`,
  },
  'missing-key': {
    status: 401,
    title: 'API key required',
    advice: 'Send the header "Authorization: Bearer" with your API key.',
  },
  'invalid-key': {
    status: 401,
    title: 'Invalid API key',
    advice:
      'Check the key for typos. A revoked key never works again: use another. A browser token ends with its session and its time, and works on pages of its origin only.',
  },
  'no-session': {
    status: 401,
    title: 'Not signed in',
    advice:
      'Sign in: POST /auth/request e-mails you a code, and POST /auth/verify-code accepts it.',
  },
  'invalid-csrf-token': {
    status: 403,
    title: 'Cross-site request blocked (CSRF)',
    advice: 'Send the token from GET /auth/csrf in the X-CSRF-Token header, from this site itself.',
  },
  'invalid-code': {
    status: 400,
    title: 'Invalid code',
    advice: `A code works once, for ${numberWord(CHALLENGE_MINUTES)} minutes, and only the latest for an address is valid. Request another.`,
  },
  'invalid-link': {
    status: 400,
    title: 'Invalid sign-in link',
    advice: `A link works once, for ${numberWord(CHALLENGE_MINUTES)} minutes, and only the latest for an address is valid. Request another.`,
  },
  'key-in-url': {
    status: 400,
    title: 'API key in URL',
    advice:
      'URLs end up in histories and logs: send the key in the header "Authorization: Bearer". Revoke a key that has been in a URL and create another.',
  },
  'invalid-signature': {
    status: 400,
    title: 'Invalid event signature',
    advice: 'Only the payment processor may send events, each signed less than five minutes ago.',
  },
  'account-disabled': {
    status: 403,
    title: 'Account disabled',
    advice: 'Contact the operator of this service.',
  },
  'block-not-found': {
    status: 404,
    title: 'Unknown census block',
    advice: 'Check the 15 digits, including leading zeros. The release may not cover that county.',
  },
  'poi-not-found': {
    status: 404,
    title: 'No such point of interest',
    advice:
      'Check the dest_id, or the type and the area. The POI may no longer exist in the latest release.',
  },
  'place-not-found': {
    status: 404,
    title: 'Unknown census place',
    advice: 'Look up the place with GET /v1/places. The release may not cover it.',
  },
  'county-not-found': {
    status: 404,
    title: 'Unknown county',
    advice: 'Send the five-digit FIPS code of a county that the release covers.',
  },
  'point-not-covered': {
    status: 404,
    title: 'Outside all blocks of the release',
    advice:
      'Check that latitude and longitude are not swapped. Releases cover US census blocks only, and an area has those whose centre is in it.',
  },
  'address-not-found': {
    status: 404,
    title: 'Address not found, or not certain',
    advice:
      'GET /v1/addresses lists what an address may mean: send the label of a match, its GEOID or its coordinates.',
  },
  'no-isochrone-data': {
    status: 404,
    title: 'No isochrone data',
    advice:
      'Omit v to use the current version, or choose an origin near a street. Tiles require a release built with them, one of its modes, and a leaf destination type.',
  },
  'export-not-found': {
    status: 404,
    title: 'No such export',
    advice:
      'GET /v1/exports lists the exported tables of the release in force; POST /v1/exports/links returns a link to one.',
  },
  'origin-not-allowed': {
    status: 403,
    title: 'Page of another origin',
    advice:
      'A service on your own machine takes calls of tools from pages of this machine and of the portal, or with a browser token for the page.',
  },
  'link-refused': {
    status: 403,
    title: 'The link does not work',
    advice: 'Use a link unchanged, within an hour; POST /v1/exports/links returns a new one.',
  },
  'archive-not-found': {
    status: 404,
    title: 'No such tile archive',
    advice:
      'GET /v1/meta/tiles and /v1/meta/block-bands list the archives of the release in force; those of earlier releases are served until their files are removed.',
  },
  'direction-not-available': {
    status: 404,
    title: 'Direction not available',
    advice: 'GET /v1/isochrone/meta lists the available directions.',
  },
  'key-not-found': {
    status: 404,
    title: 'Unknown key',
    advice: 'GET /keys lists your keys and their ids.',
  },
  'session-not-found': {
    status: 404,
    title: 'Unknown session',
    advice: 'GET /sessions lists where you are signed in. The session may have expired.',
  },
  'not-found': {
    status: 404,
    title: 'Unknown route',
    advice: 'Check the path. The API reference lists all routes.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    advice: 'The Allow header lists the methods of the route.',
  },
  'not-acceptable': {
    status: 406,
    title: 'No acceptable format',
    advice:
      'The formats member lists the available formats. Send an Accept header that allows one of them, or none at all.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    advice: 'Send the request again on a new connection; nothing was charged.',
  },
  'idempotency-conflict': {
    status: 409,
    title: 'Idempotency-Key already used',
    advice: 'Use a new Idempotency-Key for each new request.',
  },
  'too-many-keys': {
    status: 409,
    title: 'Too many keys',
    advice: `Revoke one of your ${numberWord(MAX_ACTIVE_KEYS)} active keys first.`,
  },
  'already-subscribed': {
    status: 409,
    title: 'Already a member',
    advice: 'Manage the membership at portal_url.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    advice:
      'Send the request without If-Match and If-Unmodified-Since, or with the current ETag; nothing was charged. To revalidate a copy, send If-None-Match.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Body too large',
    advice: 'Send a smaller body: the detail member states the limit.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported body type',
    advice: 'Send application/json.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The range is outside the file',
    advice: 'Content-Range has the size of the file: request bytes below it.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    advice:
      'Wait for the number of seconds in Retry-After. RateLimit states how many requests are left.',
  },
  'too-many-codes': {
    status: 429,
    title: 'Too many codes',
    advice:
      'Wait for the number of seconds in Retry-After. Even while codes are refused, the link in the latest message still works, and so does a code that is requested now.',
  },
  'tokens-exhausted': {
    status: 429,
    title: 'Not enough tokens',
    advice: 'Request fewer rows, or add tokens to the account: GET /v1/plans lists prices.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    advice: 'This is an error on our side. Try again, and report X-Request-Id if it persists.',
  },
  overloaded: {
    status: 503,
    title: 'Service overloaded',
    advice: 'Try again after Retry-After; nothing was charged. Send smaller or fewer requests.',
  },
  'debit-unavailable': {
    status: 503,
    title: 'Accounts unavailable',
    advice:
      'Try again after Retry-After, a POST with its Idempotency-Key, so that it is charged once. The detail member states whether this attempt was charged.',
  },
  'membership-unavailable': {
    status: 503,
    title: 'Purchases not available',
    advice: 'This service is set up without payment. Ask the operator for tokens.',
  },
  'payment-unavailable': {
    status: 503,
    title: 'Payment processor unavailable',
    advice: 'Try again after Retry-After; nothing was purchased.',
  },
  'store-unavailable': {
    status: 503,
    title: 'Data unavailable',
    advice: 'Try again after Retry-After, with the same Idempotency-Key if there is one.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

/** Errors of single origins in a batch, whose response is valid for the others. */
export const BATCH_FAULTS = {
  'no-block-data': {
    status: 200,
    title: 'No requested mode can be routed from the block',
    advice:
      'The detail member gives the reason for each mode. Request other modes, or omit the block; the other origins of the batch are answered.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemSlug = keyof typeof PROBLEM_TYPES;
