import { Body } from '../../portal/http/body.ts';
import { byteText } from './byte-text.ts';
import type { RowFormat, RowMembers } from './row-format.ts';
import { Rows } from './rows.ts';

/** Writes the body of an answer as JSON: an object, of which one member may be rows. */
export function renderJson(body: object): Body {
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  const at = members.findIndex(([, value]) => value instanceof Rows);
  if (at === -1) return Body.of(Buffer.from(JSON.stringify(body)));
  const written = members.map(([name, value], i) => {
    return `${JSON.stringify(name)}:${i === at ? '' : JSON.stringify(value)}`;
  });
  const rows = members[at][1] as Rows;
  const [before, after] = [written.slice(0, at + 1).join(), ['', ...written.slice(at + 1)].join()];
  return rows.between(byteText(`{${before}[`), byteText(`]${after}}`));
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
