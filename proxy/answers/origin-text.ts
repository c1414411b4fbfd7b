import type { ByteText } from '../formats/byte-text.ts';
import type { RowFormat } from '../formats/row-format.ts';

/** Members that say which origin a row is from, and the comma after them, if there are any. */
export function originText(format: RowFormat, origin: object): ByteText {
  const names = Object.keys(origin);
  return names.length === 0 ? '' : `${format.members({ ...origin }, names)},`;
}
