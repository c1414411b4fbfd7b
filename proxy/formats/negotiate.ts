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
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['text/csv', 'csv'],
  ['text/*', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/geo+json', 'geojson'],
]);

/**
 * The format an `Accept` header wants most of those a route has: RFC 9110 section 12.5.1. JSON
 * where it wants none of them: an answer one can read is better than none.
 */
export function formatFor(accept: string | undefined, table: RowTable | undefined): Format {
  if (accept === undefined || accept === '*/*' || !table) return 'json';
  let best: { format: Format; quality: number } = { format: 'json', quality: 0 };
  for (const part of accept.split(',')) {
    const [type, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const format = FORMAT_OF.get(type);
    if (!format || (format === 'geojson' && !table.hasPoints)) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2)) || 0;
    if (quality > best.quality) best = { format, quality };
  }
  return best.format;
}
