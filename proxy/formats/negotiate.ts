import type { z } from 'zod';
import { Problem } from '../http/problem.ts';

export type Format = 'json' | 'csv' | 'ndjson' | 'parquet' | 'geojson';

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  geojson: 'application/geo+json; charset=utf-8',
};

/**
 * A format that a route offers, and the media types by which `Accept` may request it, the preferred
 * one first.
 */
interface Offer {
  readonly format: Format;
  readonly mediaTypes: readonly string[];
}

const JSON_OFFER: Offer = { format: 'json', mediaTypes: ['application/json'] };
const GEOJSON_OFFER: Offer = { format: 'geojson', mediaTypes: ['application/geo+json'] };
const ROW_OFFERS: readonly Offer[] = [
  JSON_OFFER,
  { format: 'csv', mediaTypes: ['text/csv'] },
  {
    format: 'ndjson',
    mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  },
  { format: 'parquet', mediaTypes: ['application/vnd.apache.parquet'] },
];

export const JSON_ALONE: readonly Offer[] = [JSON_OFFER];
/** Offers for a body that is one GeoJSON object: the same bytes under either media type. */
export const GEOJSON_OBJECT: readonly Offer[] = [JSON_OFFER, GEOJSON_OFFER];

/** The rows of a route, which are offered in other formats too. */
export interface EndpointRows {
  /** The geometry of a row in GeoJSON: its `lon` and `lat`, or the outline of its block. */
  readonly geometry: 'point' | 'outline' | null;
  /** The properties of features, if not those of `results`. */
  readonly row?: z.ZodType;
}

/** Formats offered by a route, the default first. */
export function offersOf(route: {
  readonly rows?: EndpointRows | undefined;
  /** Media type of a body rendered by the route itself. */
  readonly mediaType?: string | undefined;
}): readonly Offer[] {
  if (route.mediaType !== undefined) return [binary(route.mediaType)];
  if (!route.rows) return JSON_ALONE;
  return route.rows.geometry ? [...ROW_OFFERS, GEOJSON_OFFER] : ROW_OFFERS;
}

/**
 * Offers bytes of a specific media type, also to clients that accept any bytes, or that accept JSON
 * on every route.
 */
function binary(mediaType: string): Offer {
  const others = ['application/x-protobuf', 'application/octet-stream', 'application/json'];
  return { format: 'json', mediaTypes: [mediaType, ...others] };
}

/**
 * Selects the offered format that an `Accept` header prefers (RFC 9110 section 12.5.1); among
 * equals, the one that the header names first. Throws `not-acceptable` if the header allows none of
 * the offered formats. A header without any media range is ignored.
 */
export function formatFor(accept: string | undefined, offers: readonly Offer[]): Format {
  const [{ format, mediaTypes }] = offers;
  if (accept === undefined || accept === '*/*' || accept === mediaTypes[0]) return format;
  const ranges = rangesOf(accept);
  if (ranges.length === 0) return format;
  let best: { offer: Offer; quality: number; order: number } | undefined;
  for (const offer of offers) {
    for (const mediaType of offer.mediaTypes) {
      const { quality, order } = rangeOf(mediaType, ranges);
      const isBetter =
        !best || quality > best.quality || (quality === best.quality && order < best.order);
      if (quality > 0 && isBetter) best = { offer, quality, order };
    }
  }
  if (best) return best.offer.format;
  const formats = offers.map(({ mediaTypes: [own] }) => own);
  throw new Problem(
    'not-acceptable',
    `Accept allows none of the formats of this route: ${formats.join(', ')}`,
    { formats },
  );
}

interface Range {
  readonly range: string;
  readonly quality: number;
  /** Position in the header. */
  readonly order: number;
}
const REFUSED: Pick<Range, 'quality' | 'order'> = { quality: 0, order: 0 };

/** Returns the most specific range that matches a media type; `REFUSED` if none does. */
function rangeOf(mediaType: string, ranges: readonly Range[]) {
  const [kind] = mediaType.split('/', 1);
  for (const wanted of [mediaType, `${kind}/*`, '*/*']) {
    const found = ranges.find(({ range }) => range === wanted);
    if (found) return found;
  }
  return REFUSED;
}

function rangesOf(accept: string): Range[] {
  return accept.split(',').flatMap((part, order) => {
    const [range, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (!/^[^\s/]+\/[^\s/]+$/.test(range)) return [];
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { range, order, quality: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
}
