import { pointAt } from '../../shards/geometry/geo-json.ts';
import { Body } from '../http/body.ts';
import { byteText } from './byte-text.ts';
import type { RowFormat, RowMembers } from './row-format.ts';
import { Rows } from './rows.ts';

/** Renders the body of a response as JSON: an object, one member of which may be rows. */
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
 * Renders the rows of a body, or the body itself as the only row if it has no rows. For a batch or
 * an area, also renders the other members, as far as the format can express them; for other
 * responses, headers have all of these members.
 */
export function renderRows(format: RowFormat, columns: readonly string[], body: object): Body {
  const rows = Object.values(body).find((value) => value instanceof Rows);
  const others = 'truncated' in body || 'area' in body ? otherMembers(body) : undefined;
  return (rows ?? onlyRow(format, columns, body as RowMembers)).between(
    format.before(columns, others),
    format.after(others),
  );
}

/** Members of a response other than its rows. */
export function otherMembers(body: object): RowMembers {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !(value instanceof Rows)));
}

function onlyRow(format: RowFormat, columns: readonly string[], members: RowMembers): Rows {
  const { lon, lat } = members as { lon: number; lat: number };
  const rows = new Rows(format);
  rows.add(format.begin(pointAt(lon, lat)) + format.members(members, columns) + format.end);
  return rows;
}
