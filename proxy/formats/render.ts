import { Body } from '../../portal/http/content-encoding.ts';
import { byteText } from './byte-text.ts';
import type { RowFormat, RowMembers } from './row-format.ts';
import { Rows } from './rows.ts';

/** Writes the body of an answer as JSON: an object, of which one member may be rows. */
export function renderJson(body: object): Body {
  let rows: Rows | undefined;
  let before = '';
  let text = '';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    if (value instanceof Rows) {
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
 * Writes the rows of a body, or itself as the only row where it has none; and of a batch what became
 * of the origins without rows, as far as the format has a place for it.
 */
export function renderRows(format: RowFormat, columns: readonly string[], body: object): Body {
  const members = Object.entries(body);
  const rows = members.find(([, value]) => value instanceof Rows)?.[1] as Rows | undefined;
  const isBatch = 'truncated' in body;
  const beside = isBatch
    ? Object.fromEntries(members.filter(([, value]) => value !== rows))
    : undefined;
  return (rows ?? onlyRow(format, columns, body as RowMembers)).between(
    format.before(columns, beside),
    format.after(beside),
  );
}

function onlyRow(format: RowFormat, columns: readonly string[], members: RowMembers): Rows {
  const { lon, lat } = members as { lon: number; lat: number };
  const rows = new Rows(format);
  rows.add(format.begin(lon, lat) + format.members(members, columns) + format.end);
  return rows;
}
