import type { DestTypeId } from '../../shards/units.ts';
import { type ByteText, inOnePiece } from '../formats/byte-text.ts';
import { perFormat } from '../formats/row-format.ts';

/** Writes the member `dest_type_id` of rows, and the comma after it. */
export const typeTexts = perFormat((format) => {
  const texts = new Map<DestTypeId, ByteText>();
  return (dest_type_id: DestTypeId): ByteText => {
    const known = texts.get(dest_type_id);
    if (known !== undefined) return known;
    const text = inOnePiece(`${format.members({ dest_type_id }, ['dest_type_id'])},`);
    texts.set(dest_type_id, text);
    return text;
  };
});
