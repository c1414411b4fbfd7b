import { EVEN_NUMBERS, EVERY_NUMBER, ODD_NUMBERS } from '../../shards/addresses/address-table.ts';
import { parseHouseNumber } from '../../shards/addresses/house-number.ts';
import { BuildError } from '../errors.ts';
import { type LineRecord, readLineShapefile } from '../inputs/shapefile.ts';
import { parityOf, type SourceRange, zipOf } from './source-range.ts';

const PARITIES: Readonly<Record<string, number>> = {
  O: ODD_NUMBERS,
  E: EVEN_NUMBERS,
  B: EVERY_NUMBER,
};
/** The sides of an edge, and the letter that the names of their columns begin or end with. */
const SIDES = [
  { side: 'left', letter: 'L' },
  { side: 'right', letter: 'R' },
] as const;
const COLUMNS = ['FULLNAME', 'LFROMHN', 'LTOHN', 'RFROMHN', 'RTOHN'];

/**
 * Reads the address ranges of a TIGER/Line `addrfeat` shapefile. Sides without two house numbers,
 * and numbers that are no plain numbers (`N6W23001`), are left out. Throws a `BuildError` for a
 * file of another layer.
 */
export async function* readAddressFeatures(
  path: string,
  note: (line: string) => void,
): AsyncGenerator<SourceRange> {
  let unread = 0;
  for await (const record of readLineShapefile(path, note)) {
    const { number, fields, lines } = record;
    const missing = COLUMNS.find((column) => !(column in fields));
    if (missing !== undefined) {
      throw new BuildError(
        `${path}: record ${number} has no ${missing}; a TIGER/Line addrfeat file is needed`,
      );
    }
    const street = textOf(record, 'FULLNAME');
    if (street === '') continue;
    for (const { side, letter } of SIDES) {
      const texts = [`${letter}FROMHN`, `${letter}TOHN`].map((column) => textOf(record, column));
      const [from, to] = texts.map(parseHouseNumber);
      if (from === null || to === null) {
        if (texts.some((text) => text !== '')) unread++;
        continue;
      }
      yield {
        street,
        zip: zipOf(fields[`ZIP${letter}`]),
        from: from.number,
        to: to.number,
        parity: PARITIES[textOf(record, `PARITY${letter}`)] ?? parityOf(from.number, to.number),
        suffix: '',
        side,
        line: lines.flat(),
      };
    }
  }
  if (unread > 0) note(`${path}: ${unread} × house numbers that are no plain numbers; left out`);
}

function textOf({ fields }: LineRecord, column: string): string {
  return String(fields[column] ?? '').trim();
}
