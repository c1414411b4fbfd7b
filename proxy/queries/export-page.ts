import type { ExportFormat } from '../../shards/release/exported-table.ts';
import { BOUNDS } from '../bounds.ts';
import type { StaticResult } from '../endpoint.ts';
import type { ExportList, ExportOffer } from '../exports/export-lists.ts';
import type { CursorSealer } from '../http/cursor.ts';
import { strongEtag } from '../metering/etag.ts';
import { canonicalRequest } from './rows/pagination.ts';

/** A request for a page of a list. */
interface ExportQuery {
  readonly table?: readonly string[] | undefined;
  readonly county?: readonly string[] | undefined;
  readonly format?: readonly ExportFormat[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Builds a page of the exports of a release. A list that fits into one page is returned without a
 * cursor, unless pages are requested, and without using `cursors`, which throw while the ledger is
 * unavailable. Throws `invalid-cursor` for a cursor of another request.
 */
export function exportPage(
  release: string,
  { offers, positions, seal }: ExportList,
  { table, county, format, limit, cursor }: ExportQuery,
  cursors: CursorSealer,
): StaticResult {
  const cursorScope = canonicalRequest('exports', { table, county, format });
  const [start] = cursor === undefined ? [0] : cursors.open(cursorScope, cursor, 1);
  const most = limit ?? BOUNDS.limit.max;
  const page: ExportOffer[] = [];
  let end: number | null = null;
  for (let i = 0; i < offers.length && end === null; i++) {
    const offer = offers[i];
    const isWanted =
      positions[i] >= start &&
      (table?.includes(offer.table) ?? true) &&
      (county?.includes(offer.county ?? '') ?? true) &&
      (format?.includes(offer.format) ?? true);
    if (!isWanted) continue;
    if (page.length < most) page.push(offer);
    else end = positions[i];
  }
  const isPaged = limit !== undefined || cursor !== undefined || end !== null;
  const next_cursor = end === null ? null : cursors.seal(cursorScope, [end]);
  const asked = canonicalRequest('exports', {
    release,
    table,
    county,
    format,
    limit,
    start,
    next_cursor,
  });
  return {
    etag: strongEtag(asked, [{ sha256: seal }]),
    body: { release, exports: page, ...(isPaged && { next_cursor }) },
  };
}
