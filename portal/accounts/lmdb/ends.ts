import type { Books, Ending } from './books.ts';

/** More than a new record adds, so that none pile up. */
const REMOVED_AT_ONCE = 4;

/** Notes when a record of a table that was put ends, and removes some records that have. */
export function noteEnd(
  { ends, ...tables }: Pick<Books, Ending | 'ends'>,
  table: Ending,
  key: string,
  endsAtMs: number,
  nowMs: number,
): void {
  ends.put([endsAtMs, table, key], true);
  const ended = ends.getKeys({ end: [nowMs, '', ''], limit: REMOVED_AT_ONCE });
  for (const end of Array.from(ended)) {
    ends.remove(end);
    const [, name, key] = end;
    // The same key may have been put again since, with a later end.
    const endsAtMs = tables[name].get(key)?.endsAtMs ?? null;
    if (endsAtMs !== null && endsAtMs <= nowMs) tables[name].remove(key);
  }
}
