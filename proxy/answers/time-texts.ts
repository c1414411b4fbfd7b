import { TENTHS } from '../../shards/matrix/row-codec.ts';
import { MODE_LABELS, type Mode } from '../../shards/modes.ts';
import type { Minutes } from '../../shards/units.ts';
import { type ByteText, inOnePiece } from '../formats/byte-text.ts';
import { perFormat } from '../formats/row-format.ts';
import { TIME } from '../formats/row-table.ts';

/** A text for each time there is, by tenths of a minute. */
export function textsOfTimes(textOf: (minutes: Minutes) => ByteText): readonly ByteText[] {
  return Array.from({ length: TENTHS.most + 1 }, (_, tenths) => textOf(tenths / 10));
}

/** The end of rows whose last members are `mode` and `travel_time`. */
export const timeEnds = perFormat((format) => {
  const ends = MODE_LABELS.map((mode) => [
    mode,
    timeTexts(format)[mode].map((text) => inOnePiece(text + format.end)),
  ]);
  return Object.fromEntries(ends) as Readonly<Record<Mode, readonly ByteText[]>>;
});

/** Members `mode` and `travel_time` of rows, by mode and tenths of a minute. */
export const timeTexts = perFormat((format) => {
  const texts = MODE_LABELS.map((mode) => [
    mode,
    textsOfTimes((travel_time) => format.members({ mode, travel_time }, TIME)),
  ]);
  return Object.fromEntries(texts) as Readonly<Record<Mode, readonly ByteText[]>>;
});
