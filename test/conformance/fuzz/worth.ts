import { parquetMetadata } from 'hyparquet';
import { KNOWN_REQUESTS } from '../routes.ts';

/** A client: an account, or an unknown one. */
export interface Asker {
  readonly name: string;
  /** The `Authorization` header; a client without a key sends none. */
  readonly authorization: string | null;
  /** Whether the key opens an account. */
  readonly isAdmitted: boolean;
  readonly isMember: boolean;
}

/** A response, and everything that determines its price. */
export interface Delivered {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The path template in the document. */
  readonly route: string;
  readonly clientId: Pick<Asker, 'isAdmitted' | 'isMember'>;
  /** The body of the request. */
  readonly sent: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body without its content coding. */
  readonly body: Buffer;
}

const CONTOUR_TOKENS = 10;
const BASKET_TOKENS = 10;
/** Minimum price of sums over an area. */
const AREA_TOKENS = 10;
const LINKS = '/v1/exports/links';
/** The price of the only table that is exported from the demo release. */
const TYPES_TOKENS = 10;
const EXPLAIN = '/v1/blocks/{geoid}/explain';
const EXPLAIN_TOKENS = 5;
const TRIPS = '/v1/explain';
const SITES = '/v1/sites/coverage';
const SUPPLY = '/v1/sites/supply';
const CHANGES = '/v1/changes';
const ISOCHRONE = '/v1/isochrone';
const BY_THE_ROW = new Set(KNOWN_REQUESTS.map(({ route }) => route).filter((r) => r !== ISOCHRONE));

/** The tokens that a response is worth by its contents: a second opinion on the charge. */
export function worthOf(response: Delivered): number {
  const { method, route, status, headers, body } = response;
  if (!isMetered(response) || headers['idempotency-replayed'] === 'true') return 0;
  // HEAD costs a token whatever GET costs, except without content: an empty tile is free.
  if (method === 'HEAD') return status === 200 ? 1 : 0;
  if (route === LINKS) return status === 201 ? TYPES_TOKENS : 0;
  if (status !== 200) return 0;
  if (route === ISOCHRONE) return CONTOUR_TOKENS * contoursAsked(response.path);
  if (isTile(route)) return 1;
  if (route === EXPLAIN) return EXPLAIN_TOKENS;
  const type = String(headers['content-type']);
  if (route === TRIPS) return EXPLAIN_TOKENS * tripsIn(type, response);
  if (route === CHANGES) return AREA_TOKENS + rowsIn(type, body);
  if (route === SUPPLY) {
    const { sites, others } = suppliedIn(type, body, Number(headers['x-batch-errors']));
    return Math.max(AREA_TOKENS, sites) + others;
  }
  if (route === SITES) {
    return Math.max(AREA_TOKENS, sitesIn(type, body, Number(headers['x-batch-errors'])));
  }
  const rows = rowsIn(type, body);
  if (rows === 0 && isUnresolved(response)) return 0;
  if (!isCoverage(route)) return Math.max(1, rows);
  return Math.max(AREA_TOKENS, rows + (headers['x-basket'] === undefined ? 0 : BASKET_TOKENS));
}

/** Whether the response lists every origin of a batch in its errors. */
function isUnresolved({ sent, headers, body }: Delivered): boolean {
  const { origins, dest_ids } = JSON.parse(sent ?? '{}');
  const isJson = String(headers['content-type']).startsWith('application/json');
  const errors = isJson ? JSON.parse(body.toString()).errors?.length : headers['x-batch-errors'];
  return Number(errors) === (origins ?? dest_ids)?.length;
}

/** Number of trips in a response whose rows may be legs. */
function tripsIn(contentType: string, { sent, headers, body }: Delivered): number {
  if (contentType.startsWith('application/json')) return rowsIn(contentType, body);
  const left = [headers['x-batch-errors'], headers['x-batch-truncated']].map((one) =>
    Number(one ?? 0),
  );
  return JSON.parse(sent!).trips.length - left[0] - left[1];
}

/** Numbers of sites that have a ratio, without errors, and of the other rows of supply. */
function suppliedIn(contentType: string, body: Buffer, errors: number) {
  if (contentType.startsWith('application/json')) {
    const { sites, results } = JSON.parse(body.toString());
    return { sites: sites.length, others: results.length };
  }
  if (contentType.startsWith('application/x-ndjson')) {
    const lines: { list?: string; error?: object }[] = body
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return {
      sites: lines.filter(({ list, error }) => list === 'sites' && !error).length,
      others: lines.filter(({ list }) => list !== undefined && list !== 'sites').length,
    };
  }
  const rows = rowsIn(contentType, body);
  const others = rows - siteRowsIn(contentType, body, rows);
  return { sites: rows - others - errors, others };
}

/** Number of rows of sites, which alone have an id. */
function siteRowsIn(contentType: string, body: Buffer, rows: number): number {
  if (contentType.startsWith('application/vnd.apache.parquet')) return rows - idlessIn(body);
  const row = contentType.startsWith('text/csv') ? /^sites,/gm : /"list":"sites"/g;
  return body.toString().match(row)?.length ?? 0;
}

function isCoverage(route: string): boolean {
  return route.endsWith('/coverage');
}

/** Number of sites and candidates that have sums; all others are errors, with a row each. */
function sitesIn(contentType: string, body: Buffer, errors: number): number {
  if (contentType.startsWith('application/json')) {
    const { sites, gains } = JSON.parse(body.toString());
    return sites.length + gains.length;
  }
  // A row of CSV begins with the name of its list; only CSV has rows of the area.
  const areas = contentType.startsWith('text/csv') ? /^area,/gm : /$^/g;
  const others = uncoveredIn(contentType, body) + (body.toString().match(areas)?.length ?? 0);
  return rowsIn(contentType, body) - others - errors;
}

/** Number of rows of blocks that no site covers, in formats that have rows. */
function uncoveredIn(contentType: string, body: Buffer): number {
  if (contentType.startsWith('application/vnd.apache.parquet')) {
    // Only rows of uncovered blocks have no id.
    return idlessIn(body);
  }
  // A row of CSV begins with the name of its list.
  const row = contentType.startsWith('text/csv') ? /^uncovered,/gm : /"list":"uncovered"/g;
  return body.toString().match(row)?.length ?? 0;
}

/** Number of rows of a Parquet file without an id. */
function idlessIn(body: Buffer): number {
  const { row_groups } = parquetMetadata(new Uint8Array(body).buffer);
  const ids = row_groups.map(({ columns }) =>
    columns.find(({ meta_data }) => meta_data?.path_in_schema.join() === 'id'),
  );
  return ids.reduce((sum, id) => sum + Number(id?.meta_data?.statistics?.null_count ?? 0), 0);
}

/** Whether a response of the route may cost the client anything. */
export function isMetered({ route, clientId }: Pick<Delivered, 'route' | 'clientId'>): boolean {
  if (route === ISOCHRONE || isTile(route)) return !clientId.isMember;
  return route === LINKS || route === EXPLAIN || BY_THE_ROW.has(route);
}

function isTile(route: string): boolean {
  return route.endsWith('.mvt');
}

/** Number of rows of a response, in any format. */
export function rowsIn(contentType: string, body: Buffer): number {
  switch (contentType.split(';')[0]) {
    case 'application/json':
      // A response without results, such as a single POI, is one row.
      return (JSON.parse(body.toString()).results ?? [null]).length;
    case 'application/geo+json':
      return JSON.parse(body.toString()).features.length;
    case 'application/x-ndjson':
      return body.toString().split('\n').filter(isRow).length;
    case 'application/vnd.apache.parquet':
      return Number(parquetMetadata(new Uint8Array(body).buffer).num_rows);
    case 'text/csv':
      // Line ends inside quotes do not count; the first line names the columns.
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

/** Whether a line of NDJSON is a row; the last line of a batch or an area holds other members. */
function isRow(line: string): boolean {
  if (line === '') return false;
  const members = JSON.parse(line);
  return !Object.hasOwn(members, 'truncated_reason') && !Object.hasOwn(members, 'area');
}

function contoursAsked(path: string): number {
  const { searchParams } = new URL(path, 'http://service');
  const levels = searchParams.getAll('contours').flatMap((one) => one.split(','));
  return Math.max(1, levels.length);
}
