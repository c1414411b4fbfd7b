import { expect } from 'vitest';
import { type Api, type Call, expectRows } from './api.ts';

/** More pages than any query of the demo release has. */
const MAX_PAGES = 20_000;

/**
 * Reads all rows of a paginated query, page by page. Expects that each page is charged by its rows,
 * that all but the last are full, and that the last has a null `next_cursor`.
 */
export async function allPages<T>(
  api: Api,
  call: Call,
  /** Runs before each page but the first. */
  between: () => Promise<void> = async () => {},
): Promise<T[]> {
  const rows: T[] = [];
  const limit = Number((call.query ?? (call.body as { limit?: number }))?.limit ?? 100);
  let next: Call = call;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await api.call(next);
    const { results, next_cursor } = expectRows(response, response.json().results?.length ?? 0);
    rows.push(...results);
    if (next_cursor === null) return rows;
    expect(results).toHaveLength(limit);
    expect(next_cursor).toEqual(expect.any(String));
    next = withCursor(call, next_cursor);
    await between();
  }
  throw new Error(`${call.path}: more than ${MAX_PAGES} pages`);
}

/** The request for the page that a cursor leads to. */
export function withCursor(call: Call, cursor: string): Call {
  return call.body === undefined
    ? { ...call, query: { ...call.query, cursor } }
    : { ...call, body: { ...(call.body as object), cursor } };
}
