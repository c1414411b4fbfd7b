import { KNOWN_REQUESTS } from '../routes.ts';

/** What decides the price of an answer. */
export interface Delivered {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The path as the document writes it. */
  readonly route: string;
  readonly isMember: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without its coding. */
  readonly body: Buffer;
}

const CONTOUR_TOKENS = 10;
const ISOCHRONE = '/v1/isochrone';
const BY_THE_ROW = new Set(KNOWN_REQUESTS.map(({ route }) => route).filter((r) => r !== ISOCHRONE));

/** The tokens that an answer is worth by what it holds: a second opinion of what was charged. */
export function worthOf(answer: Delivered): number {
  const { method, route, isMember, status, headers, body } = answer;
  if (status !== 200 || headers['idempotency-replayed'] === 'true') return 0;
  const isDrawn = route === ISOCHRONE || route.endsWith('.mvt');
  if (!isDrawn && !BY_THE_ROW.has(route)) return 0;
  if (isDrawn && isMember) return 0;
  if (method === 'HEAD') return 1;
  if (route === ISOCHRONE) return CONTOUR_TOKENS * contoursAsked(answer.path);
  if (isDrawn) return 1;
  return Math.max(1, rowsIn(String(headers['content-type']), body));
}

/** The rows of an answer, whatever it is written in. */
export function rowsIn(contentType: string, body: Buffer): number {
  switch (contentType.split(';')[0]) {
    case 'application/json':
      // One place is its own row.
      return (JSON.parse(body.toString()).results ?? [null]).length;
    case 'application/geo+json':
      return JSON.parse(body.toString()).features.length;
    case 'application/x-ndjson':
      return body.toString().split('\n').filter(isJsonLine).length;
    case 'text/csv':
      // Line ends within quotes are none; the first line names the columns.
      return (
        body
          .toString()
          .replaceAll(/"[^"]*"/g, '')
          .split('\r\n').length - 2
      );
    default:
      throw new Error(`rows in ${contentType}`);
  }
}

function isJsonLine(line: string): boolean {
  return line !== '' && typeof JSON.parse(line) === 'object';
}

function contoursAsked(path: string): number {
  const { searchParams } = new URL(path, 'http://service');
  const levels = searchParams.getAll('contours').flatMap((one) => one.split(','));
  return Math.max(1, levels.length);
}
