import type { HeaderName, SentHeader } from '../answer-headers.ts';

/** Members of an answer that are not its rows. */
interface Beside {
  readonly next_cursor?: string | null;
  readonly resolved_block?: string;
  readonly errors?: readonly object[];
  readonly truncated?: readonly unknown[];
  readonly truncated_reason?: string | null;
  readonly unrouted?: readonly { readonly mode: string; readonly reason: string }[];
}

/**
 * What an answer says beside its rows, and the header that repeats it: formats that have rows alone
 * say it nowhere else. Of the origins of a batch that gave nothing it says how many; JSON lists them.
 */
export const BESIDE_ROWS = [
  repeated('next_cursor', 'X-Next-Cursor', (cursor) => cursor),
  repeated('resolved_block', 'X-Resolved-Block', (geoid) => geoid),
  repeated('errors', 'X-Batch-Errors', ({ length }) => String(length)),
  repeated('truncated', 'X-Batch-Truncated', ({ length }) => String(length)),
  repeated('unrouted', 'X-Unrouted', (modes) =>
    modes.map(({ mode, reason }) => `${mode}=${reason}`).join(', '),
  ),
  repeated('truncated_reason', 'X-Truncated-Reason', (reason) => reason),
];

function repeated<M extends keyof Beside>(
  member: M,
  header: HeaderName,
  write: (value: NonNullable<Beside[M]>) => string,
) {
  const sent = header.toLowerCase() as SentHeader;
  const textIn = (body: Beside) => (body[member] ? write(body[member]) : undefined);
  return { member, header, sent, textIn };
}

/** The headers of an answer that repeat what its body says beside the rows. */
export function headersBesideRows(body: Beside): Readonly<Partial<Record<SentHeader, string>>> {
  const headers: Partial<Record<SentHeader, string>> = {};
  for (const { sent, textIn } of BESIDE_ROWS) {
    const text = textIn(body);
    if (text !== undefined) headers[sent] = text;
  }
  return headers;
}
