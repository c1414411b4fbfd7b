import type { HeaderName, SentHeader } from '../http/common-headers.ts';
import type { Format } from './negotiate.ts';

type NamedOrigin = {
  /** The list of a site, `sites` or `candidates`; ids are unique per list. */
  readonly list?: string;
  readonly id?: string | number;
  readonly geoid?: string | null;
  readonly dest_id?: number | null;
  readonly origin_lat?: number | null;
  readonly origin_lon?: number | null;
  readonly address?: string;
  /** The ends of a trip, of which `dest_id` is one. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly mode?: string;
  readonly departs?: string;
  /** The JSON of a malformed point or POI. */
  readonly sent?: string;
};

type Members = Readonly<Record<string, unknown>>;

interface OtherMembers {
  readonly next_cursor?: string | null;
  readonly resolved_block?: string;
  readonly block?: object;
  readonly blocks?: readonly object[];
  readonly origins?: readonly object[];
  readonly errors?: readonly (NamedOrigin & { readonly type: string })[];
  readonly truncated?: readonly (NamedOrigin | string | number)[];
  readonly truncated_reason?: string | null;
  readonly area?: object;
  /** Sums beside rows of another kind; rows themselves in CSV of sites. */
  readonly results?: object;
  readonly basket?: object | null;
  readonly precision?: string;
  readonly from?: string;
  readonly to?: string;
  /** The window and percentile of times by transit, where a release has a choice. */
  readonly departure?: string;
  readonly percentile?: number;
  readonly noise?: object;
  readonly formula?: object;
  readonly sites_from?: object;
  readonly unrouted?: readonly { readonly mode: string; readonly reason: string }[];
}

/** Members of a response other than its rows, and the header that repeats each in every format. */
export const ROW_METADATA = [
  repeated('next_cursor', 'X-Next-Cursor', (cursor) => cursor),
  repeated('resolved_block', 'X-Resolved-Block', (geoid) => geoid),
  repeated('errors', 'X-Batch-Errors', ({ length }) => String(length)),
  repeated('truncated', 'X-Batch-Truncated', ({ length }) => String(length)),
  repeated('area', 'X-Area', (area) => JSON.stringify(area)),
  repeated('basket', 'X-Basket', (basket) => JSON.stringify(basket)),
  repeated('unrouted', 'X-Unrouted', (modes) =>
    modes.map(({ mode, reason }) => `${mode}=${reason}`).join(', '),
  ),
  repeated('precision', 'X-Precision', (precision) => precision),
  repeated('truncated_reason', 'X-Truncated-Reason', (reason) => reason),
];

/**
 * Origins of a batch that have no rows, which CSV can state only in headers. Origins that can be
 * resent come first, since headers have limited room.
 */
export const CSV_METADATA = [
  repeated('truncated', 'X-Truncated', (origins) => origins.map(written).join()),
  repeated('errors', 'X-Errors', (errors) =>
    errors.map((error) => `${written(error)}=${error.type}`).join(),
  ),
];

/**
 * Facts about all rows. CSV and NDJSON state them in headers; the last line of NDJSON, if it has
 * one, repeats them.
 */
export const FACTS_METADATA = [
  repeated('from', 'X-From', (version) => version),
  repeated('to', 'X-To', (version) => version),
  repeated('departure', 'X-Departure', (window) => window),
  repeated('percentile', 'X-Percentile', String),
  repeated('noise', 'X-Noise', (noise) =>
    isLong(noise, MAX_NOISE) ? '"/v1/meta/weights"' : JSON.stringify(noise),
  ),
  repeated('formula', 'X-Formula', (formula) => JSON.stringify(formula)),
  repeated('sites_from', 'X-Sites-From', (from) => JSON.stringify(from)),
];

/**
 * Facts about the blocks and points that the rows belong to. CSV and NDJSON state these facts in
 * headers, which have limited room; those that do not fit are in the last line of NDJSON.
 */
export const ORIGIN_METADATA = [
  repeated('block', 'X-Block', (block) => JSON.stringify(block)),
  repeated('blocks', 'X-Blocks', (blocks) => JSON.stringify(blocks)),
  repeated('origins', 'X-Origins', (origins) => JSON.stringify(origins)),
];

/** Headers of text formats, the most useful first. */
const LIMITED_HEADERS: Readonly<Partial<Record<Format, readonly Repeated[]>>> = {
  csv: [...FACTS_METADATA, ...CSV_METADATA, ...ORIGIN_METADATA],
  ndjson: [...FACTS_METADATA, ...ORIGIN_METADATA],
};

const MAX_LISTED_CHARACTERS = 4_096;
/** Leaves room for the versions of two releases. */
const MAX_NOISE = MAX_LISTED_CHARACTERS - 256;

type Repeated = Pick<ReturnType<typeof repeated>, 'sent' | 'textIn'>;

function repeated<M extends keyof OtherMembers>(
  member: M,
  header: HeaderName,
  write: (value: NonNullable<OtherMembers[M]>) => string,
) {
  const sent = header.toLowerCase() as SentHeader;
  const textIn = (body: OtherMembers) => (body[member] ? write(body[member]) : undefined);
  return { member, header, sent, textIn };
}

/** An origin as listed in a header: percent-encoded, since a malformed GEOID may be any text. */
function written(origin: NamedOrigin | string | number): string {
  if (typeof origin !== 'object') return encoded(origin);
  const { geoid, dest_id = geoid, list, id = dest_id, origin_lat, origin_lon } = origin;
  if (origin.from !== undefined) {
    const trip = [origin.from, origin.to ?? dest_id ?? '', origin.mode, origin.departs];
    return encoded(trip.filter((part) => part !== undefined).join(' '));
  }
  const { address, sent = address } = origin;
  const name = encoded(sent ?? (id === undefined ? `${origin_lat} ${origin_lon}` : id));
  return list === undefined ? name : `${list}:${name}`;
}

/** Percent-encodes a value; a lone surrogate, which UTF-8 cannot encode, becomes U+FFFD. */
function encoded(value: string | number | null): string {
  return encodeURIComponent(String(value).replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}

export function metadataHeaders(
  body: OtherMembers,
  format: Format,
): Readonly<Partial<Record<SentHeader, string>>> {
  const headers: Partial<Record<SentHeader, string>> = {};
  for (const { sent, textIn } of ROW_METADATA) {
    const text = textIn(body);
    if (text !== undefined) headers[sent] = text;
  }
  let left = MAX_LISTED_CHARACTERS;
  for (const { sent, textIn } of LIMITED_HEADERS[format] ?? []) {
    const text = textIn(body) ?? '';
    if (text === '' || text.length > left) continue;
    headers[sent] = text;
    left -= text.length;
  }
  return headers;
}

function isLong(member: unknown, most = MAX_LISTED_CHARACTERS): boolean {
  return JSON.stringify(member ?? null).length > most;
}

/** Returns the last line of NDJSON, or null if rows and headers state everything in full. */
export function lastLine(others: Members): Members | null {
  if ('area' in others) {
    const { basket, results, formula, noise } = others;
    return basket || results || formula || isLong(noise, MAX_NOISE) ? others : null;
  }
  const { errors = [], truncated = [], truncated_reason, blocks, origins } = others as OtherMembers;
  const fits = !isLong(blocks ?? origins);
  if (errors.length === 0 && truncated.length === 0 && fits) return null;
  return { errors, truncated, truncated_reason, ...(!fits && { blocks, origins }) };
}
