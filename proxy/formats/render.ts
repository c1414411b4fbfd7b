import type { Turns } from '../../shards/concurrency/turns.ts';
import { Body } from '../http/body.ts';
import { ColumnRows } from './column-rows.ts';
import type { RowMembers } from './columns.ts';
import { byteText, TextRows } from './rows.ts';

/** Renders the body of a response: an object, one member of which may be rows. */
export function rendered(body: object, turns: Turns): Body | Promise<Body> {
  const rows = Object.values(body).find(
    (value) => value instanceof TextRows || value instanceof ColumnRows,
  );
  if (rows instanceof ColumnRows) return rows.file(metadataOf(otherMembers(body)), turns);
  return rows === undefined || rows.format.name === 'json'
    ? renderJson(body)
    : renderRows(body, rows);
}

function renderJson(body: object): Body {
  let rows: TextRows | undefined;
  let before = '';
  let text = '';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    if (value instanceof TextRows) {
      rows = value;
      before = `${text}[`;
      text = ']';
    } else {
      text += JSON.stringify(value);
    }
  }
  if (rows === undefined) return Body.of(Buffer.from(`${text || '{'}}`));
  return rows.between(byteText(before), byteText(`${text}}`));
}

/**
 * Renders the rows of a body. For a batch or an area, also renders the other members, as far as the
 * format can express them; for other responses, headers have all of these members.
 */
function renderRows(body: object, rows: TextRows): Body {
  const { format, columns } = rows;
  const others = 'truncated' in body || 'area' in body ? otherMembers(body) : undefined;
  return rows.between(byteText(format.before(columns, others)), byteText(format.after(others)));
}

function otherMembers(body: object): RowMembers {
  const isRows = (value: unknown) => value instanceof TextRows || value instanceof ColumnRows;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isRows(value)));
}

/** The other members as JSON, for the key-value metadata of a Parquet file. */
function metadataOf(others: RowMembers): Record<string, string> {
  const known = Object.entries(others).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, JSON.stringify(value)]));
}
