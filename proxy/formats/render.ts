import { Body } from '../../portal/http/body.ts';
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

/** Writes the rows of a body alone, or itself as the only row where it has none. */
export function renderRows(format: RowFormat, columns: readonly string[], body: object): Body {
  const rows = Object.values(body).find((value) => value instanceof Rows);
  return (rows ?? onlyRow(format, columns, body as RowMembers)).between(
    format.before(columns),
    format.after,
  );
}

function onlyRow(format: RowFormat, columns: readonly string[], members: RowMembers): Rows {
  const { lon, lat } = members as { lon: number; lat: number };
  const rows = new Rows(format);
  rows.add(format.begin(lon, lat) + format.members(members, columns) + format.end);
  return rows;
}
