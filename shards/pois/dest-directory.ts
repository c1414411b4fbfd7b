import { rankIn } from '../arrays/sorted.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import { checkedSection, readEnvelope, writeEnvelope } from '../store/envelope.ts';
import type { CountyFips, DestId } from '../units.ts';

export const DEST_IDS_KIND = 'DEST';

/** Ids per page; a look-up decodes one page. */
const PAGE_IDS = 256;
const NOWHERE = -1;

/**
 * Maps each POI's `dest_id` to its home county, whose objects describe the POI. Held in memory in
 * encoded form, about five bytes per id, in pages of which a look-up decodes one.
 *
 * Sections: `CNTY` the county codes as numbers; `PAGE` per page its first id, as the delta from the
 * previous page's, and its length in bytes; `IDS ` per id the delta from the previous one and the
 * number of its county.
 */
export class DestDirectory {
  readonly count: number;
  readonly #counties: readonly CountyFips[];
  readonly #firstIds: Float64Array;
  readonly #starts: Uint32Array;
  readonly #ids: Uint8Array;
  readonly #object: string;

  constructor(object: string, bytes: Uint8Array) {
    const envelope = readEnvelope(object, bytes, bytes.length, DEST_IDS_KIND);
    const open = (tag: string) => checkedSection(object, envelope, tag, bytes);
    this.#object = object;
    this.#ids = open('IDS ');
    try {
      const counties = new VarintReader(open('CNTY'));
      this.#counties = Array.from({ length: counties.uint() }, () =>
        String(counties.uint()).padStart(5, '0'),
      );
      const pages = new VarintReader(open('PAGE'));
      this.count = pages.uint();
      const pageCount = Math.ceil(this.count / PAGE_IDS);
      if (pageCount > bytes.length) throw new RangeError(`counts ${this.count} ids`);
      this.#firstIds = new Float64Array(pageCount);
      this.#starts = new Uint32Array(pageCount + 1);
      let first = 0;
      for (let page = 0; page < pageCount; page++) {
        this.#firstIds[page] = first += pages.uint();
        this.#starts[page + 1] = this.#starts[page] + pages.uint();
      }
      if (this.#starts[pageCount] !== this.#ids.length) throw new RangeError('does not add up');
    } catch (error) {
      throw decodingError(object, 'PAGE', error);
    }
  }

  get byteLength(): number {
    return this.#ids.buffer.byteLength + this.#firstIds.byteLength + this.#starts.byteLength;
  }

  /** Home county of a POI; null for an id that is not in the release. */
  countyOf(id: DestId): CountyFips | null {
    const page = rankIn(this.#firstIds, id + 1) - 1;
    if (page === NOWHERE) return null;
    const reader = new VarintReader(this.#ids, this.#starts[page], this.#starts[page + 1]);
    try {
      let found = this.#firstIds[page];
      while (!reader.done) {
        found += reader.uint();
        const county = this.#counties[reader.uint()];
        if (found === id) return county;
        if (found > id) return null;
      }
      return null;
    } catch (error) {
      throw decodingError(this.#object, 'IDS ', error);
    }
  }

  /** Encodes home counties, which must ascend by id without repeats. */
  static encode(
    homes: readonly { readonly id: DestId; readonly county: CountyFips }[],
  ): Uint8Array {
    for (let i = 1; i < homes.length; i++) {
      if (homes[i].id <= homes[i - 1].id) {
        throw new RangeError(`dest_id ${homes[i].id} is out of order`);
      }
    }
    const counties = [...new Set(homes.map(({ county }) => county))].sort();
    const numberOf = new Map(counties.map((county, i) => [county, i]));
    const countyBytes = new VarintWriter();
    countyBytes.uint(counties.length);
    for (const county of counties) countyBytes.uint(Number(county));
    const pages = new VarintWriter();
    const ids = new VarintWriter(homes.length * 5 + 16);
    pages.uint(homes.length);
    let first = 0;
    for (let start = 0; start < homes.length; start += PAGE_IDS) {
      const page = homes.slice(start, start + PAGE_IDS);
      const begun = ids.length;
      pages.uint(page[0].id - first);
      first = page[0].id;
      let previous = first;
      for (const { id, county } of page) {
        ids.uint(id - previous);
        ids.uint(numberOf.get(county)!);
        previous = id;
      }
      pages.uint(ids.length - begun);
    }
    return writeEnvelope(DEST_IDS_KIND, [
      { tag: 'CNTY', bytes: countyBytes.view() },
      { tag: 'PAGE', bytes: pages.view() },
      { tag: 'IDS ', bytes: ids.view() },
    ]);
  }
}
