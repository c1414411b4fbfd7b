import type { RowTable } from './row-table.ts';

export type Format = 'json' | 'csv' | 'ndjson' | 'geojson';

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
};

const FORMAT_OF: ReadonlyMap<string, Format> = new Map([
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/geo+json', 'geojson'],
]);

export const JSON_ALONE: readonly Format[] = ['json'];
/** Of a body that is one GeoJSON object: the same bytes under either name. */
export const GEOJSON_OBJECT: readonly Format[] = ['json', 'geojson'];

/** The formats of an answer, the one given to those who do not mind first. */
export function formatsOf(table: RowTable | undefined): readonly Format[] {
  if (!table) return JSON_ALONE;
  return table.hasPoints ? ['json', 'csv', 'ndjson', 'geojson'] : ['json', 'csv', 'ndjson'];
}

/**
 * The format an `Accept` header wants most of those there are: RFC 9110 section 12.5.1, of equals
 * the one named first. JSON where it wants none of them: an answer one can read is better than none.
 */
export function formatFor(accept: string | undefined, formats: readonly Format[]): Format {
  if (accept === undefined || accept === '*/*' || formats.length === 1) return formats[0];
  let best: { format: Format; quality: number } = { format: formats[0], quality: 0 };
  for (const { range, quality } of rangesOf(accept)) {
    if (quality <= best.quality) continue;
    const named = FORMAT_OF.get(range);
    const format = named ?? formats.find((one) => covers(range, MEDIA_TYPES[one]));
    if (format !== undefined && formats.includes(format)) best = { format, quality };
  }
  return best.format;
}

/** Whether a range with a star takes a media type. */
function covers(range: string, mediaType: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && mediaType.startsWith(range.slice(0, -1)));
}

function rangesOf(accept: string): { range: string; quality: number }[] {
  return accept.split(',').map((part) => {
    const [range, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { range, quality: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
}
