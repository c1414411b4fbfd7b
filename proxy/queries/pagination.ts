import type { CursorSealer } from '../http/cursor.ts';

/** Which of some rows, which have an order, an answer gives. */
export interface Page {
  /** Where it begins, by the keys that order the rows. */
  readonly position: readonly number[];
  readonly limit: number;
  /** The request without its page: what a cursor is bound to. */
  readonly bound: string;
}

/** A request that is answered in pages. */
export interface PagedRequest {
  /** The request in one spelling, and who seals the cursor of its answer: that is part of its bytes. */
  readonly canonical: string;
  readonly page: Page;
}

/**
 * The page that a request asks for. `asked`: its other parameters, spelled out; `beginning`: the
 * position before all rows. `invalid-cursor` for one of another request.
 */
export function pagedRequest(
  cursors: CursorSealer,
  route: string,
  asked: Readonly<Record<string, unknown>>,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  beginning: readonly number[],
): PagedRequest {
  const bound = canonicalRequest(route, asked);
  const position = cursor === undefined ? beginning : cursors.open(bound, cursor, beginning.length);
  const { sealer } = cursors;
  return {
    canonical: canonicalRequest(route, { ...asked, limit, position, sealer }),
    page: { position, limit, bound },
  };
}

/** The cursor of the page that begins at a position; null where there is none. */
export function nextCursor(
  cursors: CursorSealer,
  { bound }: Page,
  position: readonly number[] | null,
): string | null {
  return position && cursors.seal(bound, position);
}

/** A canonical request: the route and its parameters by name, those left out not among them. */
export function canonicalRequest(
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): string {
  const names = Object.keys(parameters).filter((name) => parameters[name] !== undefined);
  return `${route} ${JSON.stringify(names.sort().map((name) => [name, parameters[name]]))}`;
}
