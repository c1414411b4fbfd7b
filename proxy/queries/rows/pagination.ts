import type { CursorSealer } from '../../http/cursor.ts';

/**
 * Maximum number of counties searched for a page; a search over a continent takes several pages.
 */
export const COUNTIES_PER_PAGE = 64;

export interface Page {
  /** Where the page starts, by the keys that order the rows. */
  readonly position: readonly number[];
  readonly limit: number;
  /**
   * The request as sent, without paging parameters. Cursors are valid for this request alone, and
   * continue in releases that have other modes and types.
   */
  readonly cursorScope: string;
}

export interface PagedRequest {
  /**
   * The request in canonical form. It includes the sealer's id, since the response has a cursor
   * that the sealer encrypted.
   */
  readonly canonical: string;
  readonly page: Page;
}

export interface RequestParameters {
  /** Parameters as sent, with lists sorted; the same in every release. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Parameters as this release completes them: all its modes, for example, or a type's leaves. */
  readonly resolved: Readonly<Record<string, unknown>>;
}

/**
 * Resolves the requested page. `beginning` is the position before all rows, whose keys must mean
 * the same in every release. Throws `invalid-cursor` for a cursor of another request.
 */
export function pagedRequest(
  cursors: CursorSealer,
  route: string,
  { sent, resolved }: RequestParameters,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  beginning: readonly number[],
): PagedRequest {
  const cursorScope = canonicalRequest(route, sent);
  const position =
    cursor === undefined ? beginning : cursors.open(cursorScope, cursor, beginning.length);
  const { sealer } = cursors;
  return {
    canonical: canonicalRequest(route, { ...sent, ...resolved, limit, position, sealer }),
    page: { position, limit, cursorScope },
  };
}

/** Cursor of the page that starts at a position; null if there is none. */
export function nextCursor(
  cursors: CursorSealer,
  { cursorScope }: Page,
  position: readonly number[] | null,
): string | null {
  return position && cursors.seal(cursorScope, position);
}

/** Builds a canonical request: the route and its parameters by name, without those omitted. */
export function canonicalRequest(
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): string {
  const names = Object.keys(parameters).filter((name) => parameters[name] !== undefined);
  return `${route} ${JSON.stringify(names.sort().map((name) => [name, parameters[name]]))}`;
}

/** Whether a position is after another, by the first key that differs. */
export function isAfter(position: readonly number[], other: readonly number[]): boolean {
  const key = position.findIndex((value, i) => value !== other[i]);
  return key !== -1 && position[key] > other[key];
}
